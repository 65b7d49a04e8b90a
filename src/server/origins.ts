import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorResponse, errorResponse } from './messages/errors.ts';
import { mediaTypeOf } from './messages/headers.ts';
import { publicHost } from './messages/publicUrl.ts';

/** The check which web pages may send requests to this server from a browser (CORS and CSRF). */
export interface Origins {
  /**
   * Sets the CORS headers for a listed origin or one of `more`, and responds to a preflight request, in which case it returns
   * 'answered'. Returns an error for a cross-site request that a browser can send without a preflight. undefined if the request may
   * continue.
   */
  check(request: IncomingMessage, response: ServerResponse, more?: readonly string[]): 'answered' | ErrorResponse | undefined;
  /**
   * Returns an error for a cross-site upgrade to WebSocket, which browsers send without a preflight. undefined if the upgrade
   * may continue.
   */
  checkUpgrade(request: IncomingMessage): ErrorResponse | undefined;
}

/** Headers that a browser sends only after a preflight request. A request with one of them is not from a foreign page. */
const preflightedHeaders = [
  'authorization',
  'apollo-require-preflight',
  'x-apollo-operation-name',
  'graphql-require-preflight',
];

/** Content types that a form on any page can send. */
const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];

const exposed =
  'x-cosmos-block-height, grpc-metadata-x-cosmos-block-height, etag, x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset';

/** How long browsers cache the result of a preflight request, in seconds. */
const maxAge = 600;

function isOwn(origin: string, request: IncomingMessage): boolean {
  return URL.canParse(origin) && new URL(origin).host === publicHost(request);
}

/** Creates the check. `allowed` are origins as browsers send them, such as `https://app.example`. */
export function createOrigins(allowed: readonly string[]): Origins {
  const foreign = (request: IncomingMessage): boolean => {
    const { origin } = request.headers;
    return origin !== undefined && !allowed.includes(origin) && !isOwn(origin, request);
  };

  function needsNoPreflight(request: IncomingMessage): boolean {
    if (preflightedHeaders.some((name) => request.headers[name] !== undefined)) return false;
    const type = mediaTypeOf(request);
    return type === undefined || formTypes.includes(type);
  }

  const refused = errorResponse(
    403,
    'FORBIDDEN',
    'Cross-site request refused. Add the origin to STELE_ALLOWED_ORIGINS, or send a header that requires a CORS preflight, such as `Authorization`.',
  );

  return {
    check(request, response, more = []) {
      const { origin } = request.headers;
      const isListed = origin !== undefined && (allowed.includes(origin) || more.includes(origin));
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
      const isCrossSite = !isListed && (foreign(request) || request.headers['sec-fetch-site'] === 'cross-site');
      // Opening a page by a link executes nothing.
      const isLink =
        request.headers['sec-fetch-mode'] === 'navigate' && request.method === 'GET' && !request.url?.includes('?');
      return isCrossSite && !isLink && needsNoPreflight(request) ? refused : undefined;
    },
    checkUpgrade: (request) => (foreign(request) ? refused : undefined),
  };
}
