/** What is wrong with a request, found before or while it is answered. Codes are those of the contract's `ErrorCode`. */
export type RequestErrorCode =
  | 'FORBIDDEN'
  | 'BAD_USER_INPUT'
  | 'BAD_CURSOR'
  | 'PERSISTED_QUERY_NOT_SUPPORTED'
  | 'OPERATION_TOO_COMPLEX'
  | 'RATE_LIMITED'
  | 'SLOW_CONSUMER'
  | 'SERVER_SHUTDOWN'
  | 'SUBSCRIPTION_JWT_EXPIRED';

/** The particulars of a {@link RequestError}, shown to the caller. */
export interface RequestErrorFacts {
  /** The scope that the token lacks. */
  readonly scope?: string;
  /** Name of the argument. */
  readonly argument?: string;
  /** What was given, cut to 64 characters. */
  readonly value?: string;
  /** What would have been right. */
  readonly bound?: string;
  /** Name of the limit passed. */
  readonly limit?: string;
  /** Its value. */
  readonly max?: number;
  /** When to ask again, in whole seconds. */
  readonly retryAfter?: number;
  /** Of a stream that was ended: all was delivered up to this height. Absent where nothing was, or its events are of no height. */
  readonly lastHeight?: bigint;
  /** The argument `after` that resumes it. */
  readonly after?: bigint;
}

/** A request that cannot be answered as it stands, or no longer: its author can mend it. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: RequestErrorCode;
  readonly facts: RequestErrorFacts;

  constructor(code: RequestErrorCode, message: string, facts: RequestErrorFacts) {
    super(message);
    this.code = code;
    this.facts = facts;
  }
}

/** BAD_USER_INPUT for an argument. `bound` says what the argument takes, as the end of a sentence. */
export function badInput(argument: string, value: string, bound: string): RequestError {
  const shown = value.length > 64 ? `${value.slice(0, 64)}…` : value;
  return new RequestError('BAD_USER_INPUT', `\`${argument}\` must be ${bound}.`, { argument, value: shown, bound });
}
