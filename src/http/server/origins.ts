import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorResponse, errorResponse } from '../messages/errors.ts';
import { mediaTypeOf } from '../messages/headers.ts';

/** Which pages of the web may talk to this server from a browser. */
export interface Origins {
  /**
   * Lets the page of a listed origin read the answer, and answers what its browser asks before (a preflight): then 'answered'. A request
   * that a browser sent for another site without asking first is refused. undefined when the request goes on.
   */
  check(request: IncomingMessage, response: ServerResponse): 'answered' | ErrorResponse | undefined;
  /** What refuses an upgrade to WebSocket, for which browsers never ask first; undefined when it goes on. */
  checkUpgrade(request: IncomingMessage): ErrorResponse | undefined;
}

/** Headers that no page can have its browser send without asking first: whoever sends one is no page, or was let in. */
const askedFirst = ['authorization', 'apollo-require-preflight', 'x-apollo-operation-name', 'graphql-require-preflight'];

/** Content types that a form of any page can send. */
const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];

const exposed =
  'x-cosmos-block-height, grpc-metadata-x-cosmos-block-height, etag, x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset';

/** How long a browser remembers that it may, s. */
const maxAge = 600;

function isOwn(origin: string, { headers }: IncomingMessage): boolean {
  return URL.canParse(origin) && new URL(origin).host === headers.host;
}

/** Makes the check. `allowed` are origins as browsers send them: `https://app.example`. */
export function createOrigins(allowed: readonly string[]): Origins {
  const foreign = (request: IncomingMessage): boolean => {
    const { origin } = request.headers;
    return origin !== undefined && !allowed.includes(origin) && !isOwn(origin, request);
  };

  function isUnasked(request: IncomingMessage): boolean {
    if (askedFirst.some((name) => request.headers[name] !== undefined)) return false;
    const type = mediaTypeOf(request);
    return type === undefined || formTypes.includes(type);
  }

  const refused = errorResponse(
    403,
    'FORBIDDEN',
    'A browser sent this for a page of another site. Its origin must be listed (STELE_ALLOWED_ORIGINS), or the request have a header that is asked for first, such as `Authorization`.',
  );

  return {
    check(request, response) {
      const { origin } = request.headers;
      const isListed = origin !== undefined && allowed.includes(origin);
      if (isListed) {
        response.setHeader('access-control-allow-origin', origin);
        response.setHeader('access-control-expose-headers', exposed);
      }
      if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
        if (isListed) {
          response.setHeader('access-control-allow-methods', 'GET, POST');
          response.setHeader('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '');
          response.setHeader('access-control-max-age', maxAge);
        }
        response.writeHead(204, { vary: 'Origin, Access-Control-Request-Headers' }).end();
        return 'answered';
      }
      const isCrossSite = foreign(request) || (!isListed && request.headers['sec-fetch-site'] === 'cross-site');
      // Opening the page itself by a link executes nothing.
      const isLink =
        request.headers['sec-fetch-mode'] === 'navigate' && request.method === 'GET' && !request.url?.includes('?');
      return isCrossSite && !isLink && isUnasked(request) ? refused : undefined;
    },
    checkUpgrade: (request) => (foreign(request) ? refused : undefined),
  };
}
