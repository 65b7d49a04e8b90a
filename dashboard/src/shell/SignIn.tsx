import { useState } from 'preact/hooks';
import { Code } from '../components/Code.tsx';
import { type Access, enterToken, loginFailure, openIdLogin, startLogin } from '../data/session.ts';
import { texts } from '../language/language.ts';

/** Why the page reads nothing. */
type Refusal = Exclude<Access, 'asking' | 'granted' | 'public'>;

/** Why a visitor is asked for a token, and what follows from it. */
const reasons = (): Readonly<Record<Refusal, readonly [title: string, text: string]>> => ({
  none: [texts.value.login.none, texts.value.login.noneWhy],
  expired: [texts.value.login.expired, texts.value.login.expiredWhy],
  refused: [texts.value.login.refusedToken, texts.value.login.refusedWhy],
  malformed: [texts.value.login.malformed, texts.value.login.malformedWhy],
});

/** What a visitor without a token sees: how to get one, and a field for it. No data. */
export function SignIn({ access }: { readonly access: Refusal }) {
  const [token, setToken] = useState('');
  const login = openIdLogin.value;
  const [title, text] = reasons()[access];
  return (
    <section class="card sign-in">
      <h1>{title}</h1>
      <p>{text}</p>
      {login === undefined ? null : (
        <div class="login">
          <button type="button" class="button primary" onClick={() => startLogin(login)}>
            {texts.value.shell.logIn}
          </button>
          <p class="note">{texts.value.login.at(new URL(login.issuer).host)}</p>
        </div>
      )}
      {loginFailure.value === undefined ? null : (
        <p class="login-failure" role="alert">
          {texts.value.login.failed} {loginFailure.value}
        </p>
      )}
      {login === undefined ? null : <h2>{texts.value.login.orToken}</h2>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== '') enterToken(token);
        }}
      >
        <label for="token">{texts.value.login.token}</label>
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
            {texts.value.login.continue}
          </button>
        </div>
        <p class="note">{texts.value.login.staysInTab}</p>
      </form>
      {login === undefined ? <HowTo /> : null}
    </section>
  );
}

/** How a visitor gets a token on a server without a login. */
function HowTo() {
  return (
    <>
      <h2>{texts.value.login.howTo}</h2>
      <ol class="steps">
        <li>{texts.value.login.askOperator}</li>
        <li>
          {texts.value.login.request}
          <Code
            of={`curl -s ${window.location.origin}/oauth/token \\\n  -d grant_type=client_credentials -d client_id=… -d client_secret=…`}
          />
        </li>
        <li>{texts.value.login.enterAbove}</li>
      </ol>
      <p class="note">{texts.value.login.ownProvider}</p>
    </>
  );
}
