import { shownHead } from '../data/shown.ts';

/** What the server is, and links to its other pages. */
export function Footer() {
  const chain = shownHead.value?.chainId;
  return (
    <footer class="footer">
      <span>Stele, a GraphQL, REST and RPC API{chain === undefined ? '' : ` over ${chain}`}</span>
      <nav aria-label="API">
        <a href="/graphql">GraphQL playground</a>
        <a href="/docs">REST and RPC reference</a>
        <a href="/openapi/application.json">OpenAPI</a>
        <a href="/collection.json">Request collection</a>
      </nav>
    </footer>
  );
}
