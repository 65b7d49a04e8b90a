import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Limits } from '../../config/limits/limits.ts';
import { closeWithError, type ErrorResponse, errorResponse } from '../messages/errors.ts';
import { isRefused } from '../messages/refusedConnection.ts';
import type { Connections } from './connections.ts';

/**
 * How long nothing may move on a connection, ms, before it is cut off with what it holds: an answer that its caller does not read is in memory until then.
 * While an answer is made nothing moves either. Streams and WebSockets have limits of their own.
 */
export function silenceOf(limits: Limits): number {
  return Math.max(limits['http.keepAlive'], 2 * (limits['request.freshness'] + limits['request.deadline']));
}

/** What refuses a request that does not say once to which host it goes (RFC 9112, 3.2): others on the way may have read another one. */
export function checkHost({ httpVersion, rawHeaders }: IncomingMessage): ErrorResponse | undefined {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) if (rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0') ? undefined : malformed;
}

/** What refuses a request by the size of its first lines; undefined when they are within the limits. */
export function checkSize({ url = '', rawHeaders }: IncomingMessage, limits: Limits): ErrorResponse | undefined {
  if (url.length > limits['http.uri']) return tooLarge(414, 'http.uri', limits);
  // Each line has a colon, a space and its end beside name and value.
  const size = rawHeaders.reduce((sum, text) => sum + text.length + 2, 0);
  return size > limits['http.headers'] ? tooLarge(431, 'http.headers', limits) : undefined;
}

function tooLarge(status: 414 | 431, limit: 'http.uri' | 'http.headers', limits: Limits): ErrorResponse {
  const max = limits[limit];
  const what = status === 414 ? 'path and query have' : 'headers have';
  return errorResponse(status, 'BAD_USER_INPUT', `The ${what} more than ${max} bytes (${limit}).`, { limit, max });
}

/** What refuses a request by the length that it gives its body, at a path where none is large; undefined within the limit. */
export function checkBody({ headers }: IncomingMessage, limits: Limits): ErrorResponse | undefined {
  const limit = 'http.otherBody';
  const max = limits[limit];
  if (Number(headers['content-length'] ?? 0) <= max) return undefined;
  return errorResponse(413, 'BAD_USER_INPUT', `The body has more than ${max} bytes (${limit}).`, { limit, max });
}

const late = errorResponse(408, 'BAD_USER_INPUT', 'The request did not come in time.');
const malformed = errorResponse(400, 'BAD_USER_INPUT', 'This is no request that can be read in one way only.');

/**
 * Answers what the HTTP parser does not accept, and closes the connection. A connection with a response under way gets that one alone, because its client
 * would take another one for the first.
 */
export function refuseClient(
  error: Error & { readonly code?: string; readonly rawPacket?: Buffer },
  socket: Duplex,
  {
    limits,
    connections,
  }: { readonly limits: Limits; readonly connections: Pick<Connections, 'isAnswering' | 'closeAfterResponse'> },
): void {
  // The parser reports whatever comes behind the first error, too.
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
    // The parser counts the first line with the headers.
    const first = error.rawPacket?.indexOf('\r\n') ?? 0;
    const isUri = first === -1 || first > limits['http.uri'];
    closeWithError(socket, isUri ? tooLarge(414, 'http.uri', limits) : tooLarge(431, 'http.headers', limits));
    return;
  }
  closeWithError(socket, error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? late : malformed);
}
