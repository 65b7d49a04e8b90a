import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Full, limitFull, type Refused, rateHeaders, rateRefusal } from '../../answers/caller.ts';
import { shownFacts, statusOf } from '../../answers/errors.ts';
import { isChainError } from '../../chain/base/errors.ts';
import type { ErrorCode } from '../../config/errorCodes.ts';
import { RequestError } from '../../reads/errors.ts';

/**
 * A refused connection is read for so long, in ms, and for so many bytes, so that the client can read the response before the
 * connection closes.
 */
const lingering = { time: 2_000, bytes: 1024 * 1024 } as const;

const refusedConnections = new WeakSet<Duplex>();

/** Whether {@link closeRefused} was called for a connection. */
export function isRefused(socket: Duplex): boolean {
  return refusedConnections.has(socket);
}

/**
 * Sends the last bytes of a connection and closes it when its client does, at the latest after {@link lingering}. Bytes that
 * still arrive are read and discarded: an unread connection never ends, and closing one with unread bytes resets it, so that
 * the client may lose the response.
 */
export function closeRefused(socket: Duplex, bytes: string): void {
  refusedConnections.add(socket);
  const timer = setTimeout(() => socket.destroy(), lingering.time);
  let bytesLeft: number = lingering.bytes;
  socket
    .on('error', () => undefined)
    .once('close', () => clearTimeout(timer))
    .on('data', (chunk: Buffer) => {
      bytesLeft -= chunk.length;
      if (bytesLeft < 0) socket.destroy();
    })
    .resume();
  socket.end(bytes);
}

/** An error response to a request that was not executed. The surface that sends it serializes the body. */
export interface ErrorResponse {
  readonly status: number;
  readonly code: keyof typeof ErrorCode;
  readonly message: string;
  /** Details of the code, such as `limit` and `max`. */
  readonly facts: object;
  readonly headers: Readonly<Record<string, string>>;
}

/** Serializes an error response to the JSON body that a surface uses. */
export type ErrorShape = (error: ErrorResponse) => string;

/**
 * A GraphQL response with one error: `extensions` contains the code and the facts. Paths outside every surface use it as well.
 */
export const graphqlShape: ErrorShape = ({ code, message, facts }) =>
  JSON.stringify({ errors: [{ message, extensions: { code, ...facts } }] });

export function errorResponse(
  status: number,
  code: keyof typeof ErrorCode,
  message: string,
  facts: object = {},
  headers: Readonly<Record<string, string>> = {},
): ErrorResponse {
  return { status, code, message, facts, headers };
}

/** Creates the 429 response for a rate that is exceeded. Retrying after `retry-after` can succeed. */
export function rateLimitResponse(refusal: Refused): ErrorResponse {
  const { code, message, facts } = rateRefusal(refusal);
  return errorResponse(429, code, message, facts, rateHeaders(refusal));
}

/**
 * Creates the 429 response for a count that is at its limit. It can succeed once the caller ends something, such as a
 * subscription.
 */
export function limitReachedResponse(full: Full): ErrorResponse {
  const { code, message, facts } = limitFull(full);
  return errorResponse(429, code, message, facts);
}

/** The response at a path without a handler. */
export const notFound = errorResponse(404, 'BAD_USER_INPUT', 'Not found.');

/** The response to a method other than GET and HEAD at a path that is read only. */
export const methodNotAllowed = errorResponse(405, 'BAD_USER_INPUT', 'Use GET or HEAD.', {}, { allow: 'GET, HEAD' });

const common = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  vary: 'Authorization, Accept, Origin',
};

/** Largest unread body, in bytes, after which the connection is kept open. Node discards such a body. */
const smallBody = 64 * 1024;

/**
 * Sends an error response to a request whose body may be unread and stays unread. Notes the code in the `record` of the
 * request.
 */
export function sendError(
  response: ServerResponse,
  error: ErrorResponse,
  record?: { code: string | undefined },
  shape: ErrorShape = graphqlShape,
): void {
  const { status, code, headers } = error;
  const body = shape(error);
  if (record !== undefined) record.code = code;
  const { 'content-length': length = 0, 'transfer-encoding': encoding } = response.req.headers;
  if (!response.req.complete && (encoding !== undefined || !(Number(length) <= smallBody)))
    response.setHeader('connection', 'close');
  response.writeHead(status, { ...common, ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

/**
 * Writes an error response to a connection that has no `ServerResponse`, because its upgrade is refused or it sent invalid
 * HTTP. Then closes the connection, see {@link closeRefused}.
 */
export function closeWithError(socket: Duplex, error: ErrorResponse, shape: ErrorShape = graphqlShape): void {
  const { status, headers } = error;
  const body = shape(error);
  const lines = Object.entries({ ...common, ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  closeRefused(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
}

/**
 * Creates the response to a failure that callers may see, with the status that GraphQL uses. undefined for an unexpected error,
 * which must be masked.
 */
export function failureResponse(error: unknown): ErrorResponse | undefined {
  if (!isChainError(error) && !(error instanceof RequestError)) return undefined;
  const { code, message, facts } = error;
  return errorResponse(statusOf(code).status, code, message, shownFacts(facts));
}
