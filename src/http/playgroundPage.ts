import type { IncomingMessage } from 'node:http';
import { playgroundTabs } from '../graphql/playground.ts';
import { type BundledFile, createFile, sendFile } from './bundledFile.ts';
import type { PublicDoor } from './door.ts';
import { isLocalRequest } from './loopback.ts';

/** The playground loads nothing from another host, whatever is in its bundle. */
const pagePolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; worker-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** Whether a browser asks for a page, whatever else it says: nothing of it is executed. */
function asksForPage({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true;
}

/**
 * Makes the playground, the page at `/graphql` for browsers. It executes nothing, so it asks for no token. With a `token`, the tabs of a local request open with it in their headers: the
 * page is then made again when the token is another one, and else once.
 */
export function createPlaygroundPage(token: (() => Promise<string>) | undefined): PublicDoor {
  const pages = new Map<'shown' | 'none', { readonly token: string | undefined; readonly file: Promise<BundledFile> }>();

  async function render(shown: string | undefined): Promise<BundledFile> {
    // 9 MB of bundled files: loaded when the first browser asks.
    const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
    const headers = shown === undefined ? '{}' : JSON.stringify({ authorization: `Bearer ${shown}` }, null, 2);
    const defaultTabs = playgroundTabs.map((tab) => ({ ...tab, headers }));
    return createFile('text/html; charset=utf-8', renderGraphiQL({ title: 'Stele', defaultTabs, defaultHeaders: headers }));
  }

  function pageWith(shown: string | undefined): Promise<BundledFile> {
    const kind = shown === undefined ? 'none' : 'shown';
    const known = pages.get(kind);
    if (known !== undefined && known.token === shown) return known.file;
    const file = render(shown);
    pages.set(kind, { token: shown, file });
    return file;
  }

  return {
    surface: 'playground',
    isPage: true,
    answers: (path, request) => path === '/graphql' && asksForPage(request),
    async handle(request, response) {
      const file = await pageWith(isLocalRequest(request) ? await token?.() : undefined);
      sendFile(request, response, file, {
        'content-security-policy': pagePolicy,
        'cache-control': 'no-store',
        vary: 'Accept, Accept-Encoding, Authorization, Origin',
      });
    },
  };
}
