import { errors as undiciErrors } from 'undici';
import { ChainError } from '../base/errors.ts';
import type { RpcErrorObject } from '../rpc/rpcErrors.ts';
import { type JsonObject, type JsonValue, parseJson } from '../wire/json.ts';

/** Error codes of failed connections. Nothing was sent. */
const beforeSending = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Upper bound for a wait that a node requests, in ms. */
const longestRetryAfter = 30_000;

/** The `code` of a system or library error; empty if there is none. */
export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether a call failed because its response exceeds the size limit of the transport. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && errorCode(error.cause) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
}

/** The error of a call without a response. */
export function connectionError(cause: unknown, milliseconds: number): ChainError {
  const code = errorCode(cause);
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return timeoutError(milliseconds, cause);
  if (cause instanceof undiciErrors.HTTPParserError)
    return new ChainError('NODE_INVALID_RESPONSE', "The node's response is not HTTP.", {}, cause);
  const wasSent = !beforeSending.has(code);
  return new ChainError(
    'NODE_UNREACHABLE',
    wasSent ? 'The connection to the node failed.' : 'The node is unreachable.',
    { sent: wasSent },
    cause,
  );
}

/** The error of a call whose response did not arrive in time. */
export function timeoutError(milliseconds: number, cause?: unknown): ChainError<'NODE_TIMEOUT'> {
  return new ChainError('NODE_TIMEOUT', `The node did not respond within ${milliseconds} ms.`, { milliseconds }, cause);
}

/** The error of calls on a transport that is closed, or that closes before they end. */
export function closedError(): ChainError<'NODE_UNREACHABLE'> {
  return new ChainError('NODE_UNREACHABLE', 'The connection to the node is closed.', {});
}

/** The error of a call when no node is left to try. Nothing was sent. */
export function noNodeError(cause?: unknown): ChainError<'NODE_UNREACHABLE'> {
  return new ChainError('NODE_UNREACHABLE', 'No node of this chain is available.', { sent: false }, cause);
}

/** The error for an HTTP response without a JSON-RPC reply, by its status. */
export function statusError(status: number, retryAfter: string | undefined): ChainError {
  if (status !== 429 && status !== 503) {
    return new ChainError('NODE_INVALID_RESPONSE', `The node returned HTTP status ${status} without a JSON-RPC reply.`, {
      status,
    });
  }
  const wait = parseRetryAfter(retryAfter);
  const message = status === 429 ? 'The node limits the rate of calls (429).' : 'The node is unavailable (503).';
  return new ChainError('NODE_UNREACHABLE', message, { sent: status === 503, ...(wait !== undefined && { retryAfter: wait }) });
}

/**
 * The wait in ms that a `Retry-After` header requests (seconds or a date, RFC 9110, section 10.2.3), at most 30 s; undefined without a valid header.
 */
function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), longestRetryAfter);
}

/** The response to one call. */
type Reply = { readonly result: JsonValue } | { readonly error: RpcErrorObject } | { readonly invalid: ChainError };

/** The responses in one HTTP body, by id, and the error without an id that applies to the whole request, if any. */
export interface Replies {
  readonly byId: ReadonlyMap<number, Reply>;
  readonly whole: RpcErrorObject | undefined;
}

function invalid(what: string): { readonly invalid: ChainError } {
  return { invalid: new ChainError('NODE_INVALID_RESPONSE', `The node's reply is not JSON-RPC: ${what}.`, {}) };
}

function readError(value: JsonValue): RpcErrorObject | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { code, message, data } = value;
  if (typeof code !== 'number' || typeof message !== 'string') return undefined;
  return { code, message, data: typeof data === 'string' ? data : undefined };
}

/** Reads the `result` or `error` of a response. A response with both or neither is invalid. */
export function readReply(object: JsonObject): Reply {
  const { result, error } = object;
  if (error === undefined || error === null) return result === undefined ? invalid('neither result nor error') : { result };
  if (result !== undefined && result !== null) return invalid('both result and error');
  const read = readError(error);
  return read === undefined ? invalid('error without code or message') : { error: read };
}

/**
 * Sorts the responses in one HTTP body, which is an object or an array; a node responds to a batch of one with an object
 * (docs/chain.md, "JSON-RPC batches"). Two responses with the same id are invalid. An error without an id, or with id -1 (the
 * handler of a call panicked), applies to the whole request. Returns undefined if `body` cannot be JSON-RPC.
 */
function sortReplies(body: JsonValue): Replies | undefined {
  const byId = new Map<number, Reply>();
  let whole: RpcErrorObject | undefined;
  for (const item of Array.isArray(body) ? body : [body]) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined;
    const reply = readReply(item);
    if (typeof item.id === 'number' && item.id !== -1) {
      byId.set(item.id, byId.has(item.id) ? invalid('two replies with the same id') : reply);
    } else if ('error' in reply) {
      whole ??= reply.error;
    }
  }
  return byId.size === 0 && whole === undefined ? undefined : { byId, whole };
}

/** A request without a usable response. `divisible`: its calls may succeed one by one. */
export interface Failure {
  readonly error: ChainError;
  readonly divisible: boolean;
}

/** The replies in the body of a response. A 429 or 503 is a failure whose error has the `retryAfter` of the node, in ms, if it sent one. */
export function readResponse(bytes: Buffer, status: number, retryAfter: string | string[] | undefined): Replies | Failure {
  if (status === 429 || status === 503) {
    const error = statusError(status, typeof retryAfter === 'string' ? retryAfter : undefined);
    return { error, divisible: false };
  }
  let replies: Replies | undefined;
  let cause: unknown;
  try {
    // A byte order mark is not JSON (RFC 8259, section 8.1). It stays in the text, and the parser rejects it.
    replies = sortReplies(parseJson(bytes.toString('utf8')));
  } catch (error) {
    cause = error;
  }
  if (replies !== undefined) return replies;
  if (status >= 300) return { error: statusError(status, undefined), divisible: false };
  return {
    error: new ChainError('NODE_INVALID_RESPONSE', "The node's response is not JSON-RPC.", { status }, cause),
    divisible: true,
  };
}

/**
 * The failure of a request that ended without its whole response. `status` is undefined if no response began. The timeout was
 * `milliseconds`, and the largest response is `maxAnswerBytes`.
 */
export function brokenRequest(
  cause: unknown,
  status: number | undefined,
  { milliseconds, maxAnswerBytes }: { readonly milliseconds: number; readonly maxAnswerBytes: number },
): Failure {
  if (errorCode(cause) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    const message = `The node's response is larger than ${maxAnswerBytes} bytes.`;
    return {
      error: new ChainError('NODE_INVALID_RESPONSE', message, status === undefined ? {} : { status }, cause),
      divisible: true,
    };
  }
  const error = connectionError(cause, milliseconds);
  if (status === undefined || error.code === 'NODE_TIMEOUT') return { error, divisible: false };
  return {
    error: new ChainError('NODE_INVALID_RESPONSE', "The node's response was cut short.", { status }, cause),
    divisible: true,
  };
}
