import { access, openIdLogin, startLogin } from '../data/session.ts';
import { shownHead } from '../data/shown.ts';
import { texts } from '../language/language.ts';
import { urlOf } from '../routing/router.ts';

/** What the server is, and links to its other pages. */
export function Footer() {
  const chain = shownHead.value?.chainId;
  const { shell } = texts.value;
  const login = access.value === 'public' ? openIdLogin.value : undefined;
  return (
    <footer class="footer">
      <span>{shell.about(chain)}</span>
      {login === undefined ? null : (
        <button type="button" class="button" onClick={() => startLogin(login)}>
          {shell.logIn}
        </button>
      )}
      <nav aria-label={texts.value.shell.api}>
        <a href={urlOf('/webhooks')}>{texts.value.shell.webhooks}</a>
        <a href="/graphql">{shell.playground}</a>
        <a href="/docs">{shell.reference}</a>
        <a href="/openapi/application.json">{shell.openApi}</a>
        <a href="/collection.json">{shell.collection}</a>
      </nav>
    </footer>
  );
}
