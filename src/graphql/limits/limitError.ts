import { GraphQLError } from 'graphql';
import type { LimitName, Limits } from '../../config/limits/limits.ts';
import { RequestError } from '../../reads/errors.ts';

/** The HTTP response of an error. With `spec`, the status is 200 for a client that accepts only `application/json`. */
export interface HttpExtension {
  readonly status: number;
  readonly spec?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error that rejects a whole request before execution. The status is that of GraphQL over HTTP unless `http` gives another. */
export function refusal(error: RequestError, http: HttpExtension = { status: 400, spec: true }): GraphQLError {
  return new GraphQLError(error.message, { originalError: error, extensions: { http } });
}

/** OPERATION_TOO_COMPLEX for an operation over a limit. `what` names the counted thing in the plural, `value` is its number if it was counted. */
export function tooComplex(limits: Limits, limit: LimitName, what: string, value?: number): GraphQLError {
  const max = limits[limit];
  const counted = value === undefined ? 'more' : value;
  return refusal(
    new RequestError('OPERATION_TOO_COMPLEX', `At most ${max} ${what} are allowed (${limit}); this document has ${counted}.`, {
      limit,
      ...(value !== undefined && { value: value.toString() }),
      max,
    }),
  );
}
