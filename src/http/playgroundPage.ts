import type { IncomingMessage, ServerResponse } from 'node:http';
import { playgroundTabs } from '../graphql/playground.ts';
import type { PublicDoor } from './door.ts';

/** The playground loads nothing from another host, whatever is in its bundle. */
const pagePolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; worker-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** Whether a browser asks for a page, whatever else it says: nothing of it is executed. */
function asksForPage({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true;
}

/**
 * Makes the playground, the page at `/graphql` for browsers. It executes nothing, so it asks for no token. With a `token` its tabs open with it in their headers: the page is then made again when the token is another one,
 * and else once.
 */
export function createPlaygroundPage(token: (() => Promise<string>) | undefined): PublicDoor {
  let made: { readonly token: string | undefined; readonly page: Promise<Buffer> } | undefined;

  async function render(token: string | undefined): Promise<Buffer> {
    // 9 MB of bundled files: loaded when the first browser asks.
    const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
    const headers = token === undefined ? '{}' : JSON.stringify({ authorization: `Bearer ${token}` }, null, 2);
    const defaultTabs = playgroundTabs.map((tab) => ({ ...tab, headers }));
    return Buffer.from(renderGraphiQL({ title: 'Stele', defaultTabs, defaultHeaders: headers }));
  }

  async function send(response: ServerResponse): Promise<void> {
    const current = await token?.();
    if (made === undefined || made.token !== current) made = { token: current, page: render(current) };
    const page = await made.page;
    response
      .writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-length': page.length,
        'content-security-policy': pagePolicy,
        'cache-control': 'no-store',
        vary: 'Authorization, Accept',
      })
      .end(page);
  }

  return {
    surface: 'playground',
    isPage: true,
    answers: (path, request) => path === '/graphql' && asksForPage(request),
    handle: (_, response) => send(response),
  };
}
