import type { PublicHandler } from '../handlers/handler.ts';
import { isPageRequest } from './browser.ts';
import { createFile, sendFile } from './bundledFile.ts';
import { iconUrl } from './icon.ts';
import { createPrepared } from './prepared.ts';

/** The page runs no script and loads nothing. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The links on the page. */
const links: readonly { readonly path: string; readonly name: string; readonly text: string }[] = [
  { path: '/graphql', name: 'GraphQL playground', text: 'Run queries, mutations and subscriptions in the browser.' },
  { path: '/docs', name: 'REST and RPC reference', text: 'Browse and call the REST paths, the aggregates and the node RPC.' },
  {
    path: '/openapi/application.json',
    name: 'OpenAPI: application',
    text: 'The REST paths and aggregates, for code generators.',
  },
  { path: '/openapi/node.json', name: 'OpenAPI: node RPC', text: 'The node RPC, for code generators.' },
  { path: '/collection.json', name: 'Request collection', text: 'Every request with an example, for Postman and newman.' },
];

const style = `
:root { color-scheme: light dark; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #1e293b; background: #f8fafc; }
main { max-width: 40rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { display: flex; align-items: center; gap: .75rem; margin: 0; font-size: 2rem; }
h1 img { width: 2.5rem; height: 2.5rem; }
p { margin: .75rem 0 2rem; font-size: 1.125rem; }
ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .75rem; }
a { display: block; padding: .875rem 1rem; border: 1px solid #cbd5e1; border-radius: .5rem; background: #fff; color: inherit; text-decoration: none; }
a:hover, a:focus-visible { border-color: #334155; }
b { display: block; color: #1d4ed8; }
@media (prefers-color-scheme: dark) {
  body { color: #e2e8f0; background: #0f172a; }
  a { background: #1e293b; border-color: #475569; }
  a:hover, a:focus-visible { border-color: #94a3b8; }
  b { color: #93c5fd; }
}
`;

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stele</title>
<link rel="icon" href="${iconUrl}">
<style>${style}</style>
</head>
<body>
<main>
<h1><img src="${iconUrl}" alt="">Stele</h1>
<p>A GraphQL, REST and RPC API over a Provenance chain.</p>
<ul>
${links.map(({ path, name, text }) => `<li><a href="${path}"><b>${name}</b>${text}</a></li>`).join('\n')}
</ul>
</main>
</body>
</html>
`;

/** Creates the handler of the page at `/` for browsers. Other requests to `/` belong to the node RPC. */
export function createLandingPage(): PublicHandler {
  const file = createPrepared(() => createFile('text/html; charset=utf-8', page));
  return {
    surface: 'docs',
    isPage: true,
    matches: (path, request) => path === '/' && isPageRequest(request),
    async handle(request, response) {
      sendFile(request, response, await file(undefined), {
        'content-security-policy': pagePolicy,
        'cache-control': 'no-cache',
        vary: 'Accept, Accept-Encoding, Authorization, Origin',
      });
    },
  };
}
