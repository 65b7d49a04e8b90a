import { ChainError } from '../base/errors.ts';
import { parseJson } from '../wire/json.ts';
import { connectionError, errorCode, statusError } from './nodeErrors.ts';
import { type Replies, sortReplies } from './replies.ts';

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
