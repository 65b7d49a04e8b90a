import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Limits } from '../config/limits/limits.ts';
import type { Connections } from './connections.ts';
import { closeWithError, type ErrorResponse, errorResponse, isRefused } from './messages/errors.ts';
import { mediaTypeOf, publicHost } from './messages/requestHeaders.ts';

/**
 * Returns the idle timeout of a connection, in ms. An unread response stays in memory until then. The timeout must exceed the
 * time to make a response, during which the connection is idle as well. Streams and WebSockets have their own limits.
 */
export function idleTimeoutOf(limits: Limits): number {
  return Math.max(limits['http.keepAlive'], 2 * (limits['request.freshness'] + limits['request.deadline']));
}

/**
 * Returns an error for a request without exactly one `Host` header (RFC 9112, 3.2), because a proxy may have used another one,
 * and for one whose URI or headers are too large.
 */
export function checkHead({ httpVersion, url = '', rawHeaders }: IncomingMessage, limits: Limits): ErrorResponse | undefined {
  let hosts = 0;
  // Each line has a colon, a space and CRLF in addition to name and value.
  let size = 2 * rawHeaders.length;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    size += name.length + (rawHeaders[index + 1]?.length ?? 0);
  }
  if (hosts !== 1 && !(hosts === 0 && httpVersion === '1.0')) return malformed;
  if (url.length > limits['http.uri']) return tooLarge(414, 'http.uri', limits);
  return size > limits['http.headers'] ? tooLarge(431, 'http.headers', limits) : undefined;
}

function tooLarge(status: 414 | 431, limit: 'http.uri' | 'http.headers', limits: Limits): ErrorResponse {
  const max = limits[limit];
  const what = status === 414 ? 'path and query have' : 'headers have';
  return errorResponse(status, 'BAD_USER_INPUT', `The ${what} more than ${max} bytes (${limit}).`, { limit, max });
}

/** The error for a request whose `Content-Length` exceeds `http.otherBody`, at a path without large bodies. */
export function bodyTooLarge(limits: Limits): ErrorResponse {
  const limit = 'http.otherBody';
  const max = limits[limit];
  return errorResponse(413, 'BAD_USER_INPUT', `The body has more than ${max} bytes (${limit}).`, { limit, max });
}

const timedOut = errorResponse(408, 'BAD_USER_INPUT', 'The request was not received in time.');
const malformed = errorResponse(400, 'BAD_USER_INPUT', 'Malformed HTTP request.');

/**
 * Responds to bytes that the HTTP parser refuses, and closes the connection. If a response is under way on the connection, only
 * that one is sent, because the client would assign the error to the earlier request.
 */
export function refuseInvalidRequest(
  error: Error & { readonly code?: string; readonly rawPacket?: Buffer },
  socket: Duplex,
  {
    limits,
    connections,
  }: { readonly limits: Limits; readonly connections: Pick<Connections, 'isAnswering' | 'closeAfterResponse'> },
): void {
  // The parser also reports bytes after the first error.
  if (isRefused(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (connections.isAnswering(socket)) {
    connections.closeAfterResponse(socket);
    return;
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    // The parser counts the request line as part of the headers.
    const first = error.rawPacket?.indexOf('\r\n') ?? 0;
    const isUri = first === -1 || first > limits['http.uri'];
    closeWithError(socket, isUri ? tooLarge(414, 'http.uri', limits) : tooLarge(431, 'http.headers', limits));
    return;
  }
  closeWithError(socket, error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? timedOut : malformed);
}

/** The check which web pages may send requests to this server from a browser (CORS and CSRF). */
export type Origins = ReturnType<typeof createOrigins>;

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
  'x-cosmos-block-height, grpc-metadata-x-cosmos-block-height, etag, x-request-id, retry-after, ratelimit, ratelimit-policy, ratelimit-limit, ratelimit-remaining, ratelimit-reset, proof-url, quorum';

/** How long browsers cache the result of a preflight request, in seconds. */
const maxAge = 600;

function isOwn(origin: string, request: IncomingMessage): boolean {
  return URL.canParse(origin) && new URL(origin).host === publicHost(request);
}

/** Whether a request has no token, and a preflight request announces one without. */
function isWithoutToken({ method, headers }: IncomingMessage): boolean {
  const preflightOf = headers['access-control-request-method'];
  if (method !== 'OPTIONS' || preflightOf === undefined) return headers.authorization === undefined;
  const names = String(headers['access-control-request-headers'] ?? '').toLowerCase();
  return ['GET', 'HEAD', 'POST'].includes(preflightOf) && !names.split(',').some((name) => name.trim() === 'authorization');
}

/**
 * Creates the check. `allowed` are origins as browsers send them, such as `https://app.example`. With `isPublic`, pages of every origin may send requests
 * without a token, to paths that are open to them.
 */
export function createOrigins(allowed: readonly string[], { isPublic = false }: { readonly isPublic?: boolean } = {}) {
  function needsNoPreflight(request: IncomingMessage): boolean {
    if (preflightedHeaders.some((name) => request.headers[name] !== undefined)) return false;
    const type = mediaTypeOf(request);
    return type === undefined || formTypes.includes(type);
  }

  const refusal = errorResponse(
    403,
    'FORBIDDEN',
    'Cross-site request refused. Add the origin to STELE_ALLOWED_ORIGINS, or send a header that requires a CORS preflight, such as `Authorization`.',
  );

  return {
    /**
     * Sets the CORS headers for a listed origin or one of `more`, or for every origin of a request without a token if the path `isOpen` to them, and responds
     * to a preflight request, in which case it returns 'answered'. Returns an error for a cross-site request that a browser can send without a preflight. undefined if the request may
     * continue.
     */
    check(
      request: IncomingMessage,
      response: ServerResponse,
      more: readonly string[] = [],
      isOpen = false,
    ): 'answered' | ErrorResponse | undefined {
      const { origin } = request.headers;
      const isListed = origin !== undefined && (allowed.includes(origin) || more.includes(origin));
      const isForAll = isPublic && isOpen && !isListed && isWithoutToken(request);
      const isAllowed = isListed || isForAll;
      if (isAllowed && origin !== undefined) {
        response.setHeader('access-control-allow-origin', isListed ? origin : '*');
        response.setHeader('access-control-expose-headers', exposed);
      }
      if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
        if (isAllowed) {
          response.setHeader('access-control-allow-methods', 'GET, POST, PATCH, DELETE');
          response.setHeader('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '');
          response.setHeader('access-control-max-age', maxAge);
        }
        response.writeHead(204, { vary: 'Origin, Access-Control-Request-Headers' }).end();
        return 'answered';
      }
      const isCrossSite =
        !isAllowed && ((origin !== undefined && !isOwn(origin, request)) || request.headers['sec-fetch-site'] === 'cross-site');
      // Opening a page by a link executes nothing.
      const isLink =
        request.headers['sec-fetch-mode'] === 'navigate' && request.method === 'GET' && !request.url?.includes('?');
      return isCrossSite && !isLink && needsNoPreflight(request) ? refusal : undefined;
    },
    /** Returns an error for a cross-site upgrade to WebSocket, which browsers send without a preflight. */
    checkUpgrade(request: IncomingMessage): ErrorResponse | undefined {
      const { origin } = request.headers;
      return origin === undefined || allowed.includes(origin) || isOwn(origin, request) ? undefined : refusal;
    },
  };
}
