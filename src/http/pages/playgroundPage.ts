import { createRequire } from 'node:module';
import { playgroundTabs } from '../../graphql/playground.ts';
import type { PublicHandler } from '../handlers/handler.ts';
import { isPageRequest } from './browser.ts';
import { createFile, sendFile } from './bundledFile.ts';
import { icon, iconUrl } from './icon.ts';
import { playgroundBar, playgroundBarScript, playgroundBarStyle } from './playgroundBar.ts';
import { playgroundScript, playgroundStyle } from './playgroundParts.ts';
import { createPrepared } from './prepared.ts';

/** The playground loads nothing from another host, whatever is in its bundle. */
const pagePolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; worker-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

const libraryName = '@graphql-yoga/render-graphiql';

/** The path of the library; undefined if it cannot be found now. */
function pathOf({ resolve }: NodeJS.Require): string | undefined {
  try {
    return resolve(libraryName);
  } catch {
    return undefined;
  }
}

/** The page with `text` before the first occurrence of `place`. Throws if the library renders no such place. */
function insertBefore(page: string, place: string, text: string): string {
  const at = page.indexOf(place);
  if (at === -1) throw new Error(`the playground has no ${place}`);
  return page.slice(0, at) + text + page.slice(at);
}

/**
 * Creates the handler of the playground, the page at `/graphql` for browsers. The page executes nothing and contains no token,
 * so it requires none. It is the same for all clients, and a browser that has its 9 MB gets 304. The page is prepared at the
 * first request.
 */
export function createPlaygroundPage(): PublicHandler {
  const load = createRequire(import.meta.url);
  // Node caches a failure to read the `package.json` of a package, so it is read now. A failed `require` of the file can be
  // repeated. A failed `import` cannot.
  let library = pathOf(load);

  const file = createPrepared(async () => {
    library ??= load.resolve(libraryName);
    const { renderGraphiQL }: typeof import('@graphql-yoga/render-graphiql') = load(library);
    const rendered = renderGraphiQL({ title: 'Stele', logo: icon, favicon: iconUrl, defaultTabs: playgroundTabs });
    const head = `<meta name="viewport" content="width=device-width, initial-scale=1" /><style>${playgroundStyle}${playgroundBarStyle}</style>`;
    const styled = insertBefore(rendered, '</head>', head);
    const scripted = insertBefore(styled, '<script>', `<script>${playgroundScript}${playgroundBarScript}</script>`);
    const page = insertBefore(scripted, '<div id="root">', playgroundBar);
    return createFile('text/html; charset=utf-8', page);
  });

  return {
    surface: 'playground',
    isPage: true,
    matches: (path, request) => path === '/graphql' && isPageRequest(request),
    async handle(request, response) {
      sendFile(request, response, await file(undefined), {
        'content-security-policy': pagePolicy,
        'cache-control': 'no-cache',
        vary: 'Accept, Accept-Encoding, Authorization, Origin',
      });
    },
  };
}
