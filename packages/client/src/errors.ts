import { retriesOf, type SteleErrorCode } from './codes.ts';

/** The error of this package. */
export class SteleError extends Error {
  override readonly name = 'SteleError';
  readonly code: SteleErrorCode;
  /** The field of the result that failed. Empty if the whole operation failed. */
  readonly path: readonly (string | number)[];
  /** The further facts of the code, such as `retryAfter` or `latestHeight`. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(
    code: SteleErrorCode,
    message: string,
    {
      path = [],
      facts = {},
      cause,
    }: { path?: readonly (string | number)[]; facts?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.path = path;
    this.facts = facts;
  }
}

/** An error in a GraphQL result. */
export interface ResultError {
  readonly message: string;
  readonly path?: readonly (string | number)[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

function isCode(code: unknown): code is SteleErrorCode {
  return typeof code === 'string' && Object.hasOwn(retriesOf, code);
}

/** Converts an error of a GraphQL result. A code that this version does not know becomes INTERNAL_SERVER_ERROR, with the code in `facts`. */
export function errorOf({ message, path = [], extensions = {} }: ResultError): SteleError {
  const { code, ...facts } = extensions;
  if (isCode(code)) return new SteleError(code, message, { path, facts });
  return new SteleError('INTERNAL_SERVER_ERROR', message, { path, facts: { code, ...facts } });
}

/** Creates the error of a connection that failed. */
export function connectionError(message: string, facts: Record<string, unknown> = {}, cause?: unknown): SteleError {
  return new SteleError('CONNECTION_FAILED', message, { facts, cause });
}
