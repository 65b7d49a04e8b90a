import { access, openIdLogin, startLogin } from '../data/session.ts';
import { shownHead } from '../data/shown.ts';
import { urlOf } from '../routing/router.ts';

/** What the server is, and links to its other pages. */
export function Footer() {
  const chain = shownHead.value?.chainId;
  const login = access.value === 'public' ? openIdLogin.value : undefined;
  return (
    <footer class="footer">
      <span>Stele, a GraphQL, REST and RPC API{chain === undefined ? '' : ` over ${chain}`}</span>
      {login === undefined ? null : (
        <button type="button" class="button" onClick={() => startLogin(login)}>
          Log in
        </button>
      )}
      <nav aria-label="API">
        <a href={urlOf('/webhooks')}>Webhooks</a>
        <a href="/graphql">GraphQL playground</a>
        <a href="/docs">REST and RPC reference</a>
        <a href="/openapi/application.json">OpenAPI</a>
        <a href="/collection.json">Request collection</a>
      </nav>
    </footer>
  );
}
