import { errors as undiciErrors } from 'undici';
import { ChainError } from '../base/errors.ts';

/** Connecting failed with one of these: nothing was sent. */
const beforeSending = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Waits that a node asks for are honoured up to this. */
const longestRetryAfter = 30_000;

/** The text `code` of a system or library error; empty when there is none. */
export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether a call failed because its answer is larger than the transport takes. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && errorCode(error.cause) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
}

/** The failure of a call that got no answer at all. */
export function connectionError(cause: unknown, milliseconds: number): ChainError {
  const code = errorCode(cause);
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return timeoutError(milliseconds, cause);
  if (cause instanceof undiciErrors.HTTPParserError)
    return new ChainError('NODE_INVALID_RESPONSE', 'The node does not speak HTTP.', {}, cause);
  const sent = !beforeSending.has(code);
  return new ChainError(
    'NODE_UNREACHABLE',
    sent ? 'The connection to the node broke.' : 'The node cannot be reached.',
    { sent },
    cause,
  );
}

/** The failure of a call whose answer did not come in time. */
export function timeoutError(milliseconds: number, cause?: unknown): ChainError<'NODE_TIMEOUT'> {
  return new ChainError('NODE_TIMEOUT', `The node did not answer within ${milliseconds} ms.`, { milliseconds }, cause);
}

/** The failure of whatever is under way or begun when a transport closes. */
export function closedError(): ChainError<'NODE_UNREACHABLE'> {
  return new ChainError('NODE_UNREACHABLE', 'The connection to the node is closed.', {});
}

/** The error of a call when no node is left to try. Nothing was sent. */
export function noNodeError(cause?: unknown): ChainError<'NODE_UNREACHABLE'> {
  return new ChainError('NODE_UNREACHABLE', 'No node of this chain is available.', { sent: false }, cause);
}

/** The failure that an HTTP status means, for an answer without a JSON-RPC reply in it. */
export function statusError(status: number, retryAfter: string | undefined): ChainError {
  if (status !== 429 && status !== 503) {
    return new ChainError('NODE_INVALID_RESPONSE', `The node answered with HTTP status ${status} and no JSON-RPC reply.`, {
      status,
    });
  }
  const wait = parseRetryAfter(retryAfter);
  const message = status === 429 ? 'The node asks for fewer calls.' : 'The node is not ready.';
  return new ChainError('NODE_UNREACHABLE', message, { sent: status === 503, ...(wait !== undefined && { retryAfter: wait }) });
}

/** Milliseconds that a `Retry-After` header (seconds or a date, RFC 9110 10.2.3) asks to wait, at most 30 s; undefined without one. */
export function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), longestRetryAfter);
}
