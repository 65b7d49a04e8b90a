import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Limits } from '../config/limits/limits.ts';
import type { Connections } from './connections.ts';
import { closeWithError, type ErrorResponse, errorResponse } from './messages/errors.ts';
import { isRefused } from './messages/refusedConnection.ts';

/**
 * Returns the idle timeout of a connection, in ms. An unread response stays in memory until then. The timeout must exceed the
 * time to make a response, during which the connection is idle as well. Streams and WebSockets have their own limits.
 */
export function idleTimeoutOf(limits: Limits): number {
  return Math.max(limits['http.keepAlive'], 2 * (limits['request.freshness'] + limits['request.deadline']));
}

/** Returns an error for a request without exactly one `Host` header (RFC 9112, 3.2): a proxy may have used another one. */
export function checkHost({ httpVersion, rawHeaders }: IncomingMessage): ErrorResponse | undefined {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0') ? undefined : malformed;
}

/** Returns an error for a request whose URI or headers are too large. */
export function checkSize({ url = '', rawHeaders }: IncomingMessage, limits: Limits): ErrorResponse | undefined {
  if (url.length > limits['http.uri']) return tooLarge(414, 'http.uri', limits);
  // Each line has a colon, a space and CRLF in addition to name and value.
  let size = 2 * rawHeaders.length;
  for (const text of rawHeaders) size += text.length;
  return size > limits['http.headers'] ? tooLarge(431, 'http.headers', limits) : undefined;
}

function tooLarge(status: 414 | 431, limit: 'http.uri' | 'http.headers', limits: Limits): ErrorResponse {
  const max = limits[limit];
  const what = status === 414 ? 'path and query have' : 'headers have';
  return errorResponse(status, 'BAD_USER_INPUT', `The ${what} more than ${max} bytes (${limit}).`, { limit, max });
}

/** Returns an error for a request whose `Content-Length` exceeds `http.otherBody`, for paths without large bodies. */
export function checkBody({ headers }: IncomingMessage, limits: Limits): ErrorResponse | undefined {
  const limit = 'http.otherBody';
  const max = limits[limit];
  if (Number(headers['content-length'] ?? 0) <= max) return undefined;
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
