import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { playgroundTabs } from '../graphql/playground.ts';
import { type BundledFile, createTemplate, type FileTemplate, sendFile } from './bundledFile.ts';
import type { PublicDoor } from './door.ts';
import { isLocalRequest } from './loopback.ts';
import { createPrepared } from './prepared.ts';

/** The playground loads nothing from another host, whatever is in its bundle. */
const pagePolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; worker-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** Whether a browser asks for a page, whatever else it says: nothing of it is executed. */
function asksForPage({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true;
}

const libraryName = '@graphql-yoga/render-graphiql';

/** The path of the library; undefined if it cannot be found now. */
function pathOf({ resolve }: NodeJS.Require): string | undefined {
  try {
    return resolve(libraryName);
  } catch {
    return undefined;
  }
}

/** Stands in the prepared page for the headers that its tabs open with. */
const headersPlace = '%stele-headers%';

/**
 * Makes the playground, the page at `/graphql` for browsers. It executes nothing, so it needs no token. Its 9 MB are prepared when the first browser
 * asks; a browser that has them gets 304. With `token`, local requests get a page whose tabs open with the token, which no cache
 * may store.
 */
export function createPlaygroundPage(token: (() => Promise<string>) | undefined): PublicDoor {
  const load = createRequire(import.meta.url);
  // Node remembers if the description of a package could not be read, so it is read now. A `require` of its file that fails can be repeated; an `import`
  // cannot.
  let library = pathOf(load);

  const template = createPrepared(async () => {
    library ??= load.resolve(libraryName);
    const { renderGraphiQL }: typeof import('@graphql-yoga/render-graphiql') = load(library);
    const defaultTabs = playgroundTabs.map((tab) => ({ ...tab, headers: headersPlace }));
    const page = renderGraphiQL({ title: 'Stele', defaultTabs, defaultHeaders: headersPlace });
    return createTemplate('text/html; charset=utf-8', page, headersPlace);
  });
  let own: { readonly template: FileTemplate; readonly file: BundledFile } | undefined;

  return {
    surface: 'playground',
    isPage: true,
    answers: (path, request) => path === '/graphql' && asksForPage(request),
    async handle(request, response) {
      const shown = isLocalRequest(request) ? await token?.() : undefined;
      const prepared = await template(undefined);
      if (own?.template !== prepared) own = { template: prepared, file: prepared.fill('{}') };
      // The headers are JSON in a string of JSON.
      const headers = JSON.stringify(JSON.stringify({ authorization: `Bearer ${shown}` }, null, 2)).slice(1, -1);
      sendFile(request, response, shown === undefined ? own.file : prepared.fill(headers), {
        'content-security-policy': pagePolicy,
        'cache-control': shown === undefined ? 'no-cache' : 'no-store',
        vary: 'Accept, Accept-Encoding, Authorization, Origin',
      });
    },
  };
}
