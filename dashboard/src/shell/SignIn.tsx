import { useState } from 'preact/hooks';
import { Code } from '../components/Code.tsx';
import { type Access, enterToken, loginFailure, openIdLogin, startLogin } from '../data/session.ts';

/** Why a visitor is asked for a token, and what follows from it. */
const reasons: Readonly<Record<Exclude<Access, 'asking' | 'granted' | 'public'>, readonly [title: string, text: string]>> = {
  none: [
    'This server needs a token',
    'Everything that it returns is for clients with an access token. The page reads nothing without one.',
  ],
  expired: ['Your token has expired', 'The page reads nothing until you enter a new one or log in again.'],
  refused: [
    'The server does not accept this token',
    'It has not expired. It may be for another server, or the server may have new keys. The page reads nothing without a token.',
  ],
  malformed: [
    'This is not an access token',
    'A token is one long text of three parts with points between them, and usually begins with eyJ. A client id or a secret is none.',
  ],
};

/** What a visitor without a token sees: how to get one, and a field for it. No data. */
export function SignIn({ access }: { readonly access: keyof typeof reasons }) {
  const [token, setToken] = useState('');
  const login = openIdLogin.value;
  const [title, text] = reasons[access];
  return (
    <section class="card sign-in">
      <h1>{title}</h1>
      <p>{text}</p>
      {login === undefined ? null : (
        <div class="login">
          <button type="button" class="button primary" onClick={() => startLogin(login)}>
            Log in
          </button>
          <p class="note">At {new URL(login.issuer).host}. You come back to this page.</p>
        </div>
      )}
      {loginFailure.value === undefined ? null : (
        <p class="login-failure" role="alert">
          The login failed. {loginFailure.value}
        </p>
      )}
      {login === undefined ? null : <h2>Or enter a token</h2>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== '') enterToken(token);
        }}
      >
        <label for="token">Access token</label>
        <div class="row">
          <input
            id="token"
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
          <button type="submit" class="button primary" disabled={token.trim() === ''}>
            Continue
          </button>
        </div>
        <p class="note">It stays in this tab until you close it. It is sent to this server alone.</p>
      </form>
      {login === undefined ? <HowTo /> : null}
    </section>
  );
}

/** How a visitor gets a token on a server without a login. */
function HowTo() {
  return (
    <>
      <h2>How to get a token</h2>
      <ol class="steps">
        <li>Ask the operator of this server for a client, that is an id and a secret with the scope read.</li>
        <li>
          Request a token with it:
          <Code
            of={`curl -s ${window.location.origin}/oauth/token \\\n  -d grant_type=client_credentials -d client_id=… -d client_secret=…`}
          />
        </li>
        <li>Enter the value of access_token above.</li>
      </ol>
      <p class="note">If tokens come from an identity provider of your organization, use one of its access tokens.</p>
    </>
  );
}
