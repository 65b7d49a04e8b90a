import { errorResponse, sendError } from '../../server/messages/errors.ts';
import type { PublicHandler } from '../../server/router.ts';
import { isPageRequest } from './browser.ts';
import type { createBuiltFiles } from './builtFiles.ts';
import { sendFile } from './bundledFile.ts';

/** The playground loads nothing from another host, whatever is in its bundle. Its editor writes styles. */
const pagePolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const notBuilt = errorResponse(404, 'BAD_USER_INPUT', 'The playground is not built. Run `npm run build`.');

/**
 * Creates the handler of the playground, the page at `/graphql` for browsers. The page executes nothing and contains no token,
 * so it requires none. It is the same for all clients. Its scripts and styles are files of the dashboard, at the paths of that. Without the files of a
 * build, it responds 404.
 */
export function createPlaygroundPage(built: ReturnType<typeof createBuiltFiles>): PublicHandler {
  return {
    surface: 'playground',
    isPage: true,
    matches: (path, request) => path === '/graphql' && isPageRequest(request),
    async handle(request, response) {
      const file = (await built())?.get('playground.html');
      if (file === undefined) return sendError(response, notBuilt);
      sendFile(request, response, file, {
        'content-security-policy': pagePolicy,
        'cache-control': 'no-cache',
        vary: 'Accept, Accept-Encoding, Authorization, Origin',
      });
    },
  };
}
