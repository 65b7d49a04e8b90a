/** The codes of errors that the caller can correct. All are values of the GraphQL enum `ErrorCode`. */
export type RequestErrorCode =
  | 'FORBIDDEN'
  | 'BAD_USER_INPUT'
  | 'BAD_CURSOR'
  | 'MODULE_ABSENT'
  | 'PERSISTED_QUERY_NOT_SUPPORTED'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'DOCUMENT_NOT_TRUSTED'
  | 'OPERATION_TOO_COMPLEX'
  | 'RATE_LIMITED'
  | 'SLOW_CONSUMER'
  | 'SERVER_SHUTDOWN'
  | 'SUBSCRIPTION_JWT_EXPIRED'
  | 'SCHEMA_CHANGED'
  | 'HISTORY_DEPENDS_ON_HEIGHT'
  | 'HISTORY_LIMIT'
  | 'ARCHIVE_UNAVAILABLE'
  | 'WEBHOOKS_UNAVAILABLE';

/** Details of a {@link RequestError}. They are sent to the caller. */
export interface RequestErrorFacts {
  /** The package of the module that the chain does not have. */
  readonly module?: string;
  /** The scope that the token lacks. */
  readonly scope?: string;
  /** Name of the argument. */
  readonly argument?: string;
  /** The value of the argument, cut to 64 characters. */
  readonly value?: string;
  /** The values that are allowed. */
  readonly bound?: string;
  /** Name of the limit that was exceeded. */
  readonly limit?: string;
  /** The value of that limit. */
  readonly max?: number;
  /** Time to wait before retrying, in whole seconds. */
  readonly retryAfter?: number;
  /** Why the document of a stream is not valid any more, one sentence each. */
  readonly differences?: readonly string[];
  /** For a stream that was ended: its events were delivered up to this height. Absent if none were, or if they have no height. */
  readonly lastHeight?: bigint;
  /** The field of a history that depends on its block, as a path in the result. */
  readonly field?: string;
  /** The height at which it was found to depend on its block. */
  readonly height?: bigint;
  /** The value of `from` with which a history continues. */
  readonly next?: bigint;
  /** The value of `after` that resumes the stream. */
  readonly after?: bigint;
  /** The value of `extensions.chain` of the request that resumes it. */
  readonly chain?: string | undefined;
}

/** An error that the caller can correct, such as an invalid argument, an exceeded limit or an expired token. */
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

/** A BAD_USER_INPUT error for an argument. `bound` completes the sentence "`argument` must be …". */
export function badInput(argument: string, value: string, bound: string): RequestError {
  const shownValue = value.length > 64 ? `${value.slice(0, 64)}…` : value;
  return new RequestError('BAD_USER_INPUT', `\`${argument}\` must be ${bound}.`, { argument, value: shownValue, bound });
}

/** The error for a query method, by its path, that the application of the chain does not serve. */
export function moduleAbsent(path: string): RequestError {
  const [, service = ''] = path.split('/');
  const module = service.slice(0, service.lastIndexOf('.'));
  return new RequestError('MODULE_ABSENT', `The chain does not have the module ${module}, or not its query ${path.slice(1)}.`, {
    module,
  });
}

/** Whether an error says that the chain does not have a module. */
export function isModuleAbsent(error: unknown): boolean {
  return error instanceof RequestError && error.code === 'MODULE_ABSENT';
}
