/** Links to the other pages of the server. */
export function Footer() {
  return (
    <footer class="footer">
      <span>Stele, a GraphQL, REST and RPC API over a Provenance chain</span>
      <nav aria-label="API">
        <a href="/graphql">GraphQL playground</a>
        <a href="/docs">REST and RPC reference</a>
        <a href="/openapi/application.json">OpenAPI</a>
        <a href="/collection.json">Request collection</a>
      </nav>
    </footer>
  );
}
