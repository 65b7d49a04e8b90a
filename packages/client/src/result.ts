import { errorOf, type ResultError, type SteleError } from './errors.ts';
import type { Verified } from './verify.ts';

/** A GraphQL result as the server sends it. */
export interface RawResult {
  readonly data?: unknown;
  readonly errors?: readonly ResultError[] | undefined;
  readonly patch?: unknown;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** A result. */
export interface Result<Data> {
  /** null if the operation failed as a whole. */
  readonly data: Data;
  /** The errors of fields that are null in `data`. undefined if there are none. */
  readonly errors: readonly SteleError[] | undefined;
  /** The height of the block at which everything in it was read. undefined if nothing in it is read at a height. */
  readonly height: string | undefined;
  /** What was verified. Absent unless the query has `verify`. */
  readonly verified?: Verified;
}

/** Decodes a result. The types are those that the document was generated with. */
export function resultOf<Data>({ data = null, errors, extensions: { height } = {} }: RawResult): Result<Data> {
  const failed = errors === undefined || errors.length === 0 ? undefined : errors.map(errorOf);
  return { data: data as Data, errors: failed, height: typeof height === 'string' ? height : undefined };
}
