import { isLocalRequest } from '../../server/messages/clientAddress.ts';
import { methodNotAllowed, sendError } from '../../server/messages/errors.ts';
import type { PublicHandler } from '../../server/router.ts';

/** The path at which the playground gets its token. */
export const playgroundTokenPath = '/playground/token';

/**
 * Creates the handler that returns a token of the client `devnet` to the playground, as JSON (`access_token`). It responds 204
 * if there is no such client, and to requests that are not local ({@link isLocalRequest}). No cache may store its responses.
 */
export function createPlaygroundToken(token: (() => Promise<string>) | undefined): PublicHandler {
  return {
    surface: 'playground',
    matches: (path) => path === playgroundTokenPath,
    async handle(request, response) {
      if (request.method !== 'GET') return sendError(response, methodNotAllowed);
      const headers = {
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        vary: 'Origin',
      };
      const own = isLocalRequest(request) ? await token?.() : undefined;
      if (own === undefined) {
        response.writeHead(204, headers).end();
        return;
      }
      response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify({ access_token: own }));
    },
  };
}
