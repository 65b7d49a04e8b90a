import { useState } from 'preact/hooks';
import { Code } from '../components/Code.tsx';
import { type Access, enterToken, loginFailure, openIdLogin, startLogin } from '../data/session.ts';
import { texts } from '../language/language.ts';
import { signInTexts } from '../language/signIn/texts.ts';

/** Why the page reads nothing. */
type Refusal = Exclude<Access, 'asking' | 'granted' | 'public'>;

/** Why a visitor is asked for a token, and what follows from it. */
const reasons = (): Readonly<Record<Refusal, readonly [title: string, text: string]>> => ({
  none: [signInTexts.value.none, signInTexts.value.noneWhy],
  expired: [signInTexts.value.expired, signInTexts.value.expiredWhy],
  refused: [signInTexts.value.refusedToken, signInTexts.value.refusedWhy],
  malformed: [signInTexts.value.malformed, signInTexts.value.malformedWhy],
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
          <p class="note">{signInTexts.value.at(new URL(login.issuer).host)}</p>
        </div>
      )}
      {loginFailure.value === undefined ? null : (
        <p class="login-failure" role="alert">
          {signInTexts.value.failed} {loginFailure.value}
        </p>
      )}
      {login === undefined ? null : <h2>{signInTexts.value.orToken}</h2>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== '') enterToken(token);
        }}
      >
        <label for="token">{signInTexts.value.token}</label>
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
            {signInTexts.value.continue}
          </button>
        </div>
        <p class="note">{signInTexts.value.staysInTab}</p>
      </form>
      {login === undefined ? <HowTo /> : null}
    </section>
  );
}

/** How a visitor gets a token on a server without a login. */
function HowTo() {
  return (
    <>
      <h2>{signInTexts.value.howTo}</h2>
      <ol class="steps">
        <li>{signInTexts.value.askOperator}</li>
        <li>
          {signInTexts.value.request}
          <Code
            of={`curl -s ${window.location.origin}/oauth/token \\\n  -d grant_type=client_credentials -d client_id=… -d client_secret=…`}
          />
        </li>
        <li>{signInTexts.value.enterAbove}</li>
      </ol>
      <p class="note">{signInTexts.value.ownProvider}</p>
    </>
  );
}
