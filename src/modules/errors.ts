/** What is wrong with a request, found before or while it is read. Codes are those of the contract's `ErrorCode`. */
export type RequestErrorCode = 'BAD_USER_INPUT' | 'BAD_CURSOR' | 'OPERATION_TOO_COMPLEX';

/** The particulars of a {@link RequestError}, shown to the caller. */
export interface RequestErrorFacts {
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
}

/** A request that cannot be answered as it stands: its author can mend it. */
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
