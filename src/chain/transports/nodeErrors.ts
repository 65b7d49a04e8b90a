import { errors as undiciErrors } from 'undici';
import { ChainError } from '../base/errors.ts';

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
  const sent = !beforeSending.has(code);
  return new ChainError(
    'NODE_UNREACHABLE',
    sent ? 'The connection to the node failed.' : 'The node is unreachable.',
    { sent },
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
 * The wait in ms that a `Retry-After` header requests (seconds or a date, RFC 9110, section 10.2.3), at most 30 s; undefined
 * without a valid header.
 */
export function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), longestRetryAfter);
}
