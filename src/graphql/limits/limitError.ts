import { GraphQLError } from 'graphql';
import type { LimitName, Limits } from '../../config/limits/limits.ts';
import { RequestError } from '../../reads/errors.ts';

/** How an error answers over HTTP. `spec` takes the status back to 200 where the caller takes plain `application/json`. */
export interface HttpExtension {
  readonly status: number;
  readonly spec?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error that refuses a whole request: nothing of it was executed. It has the status of GraphQL over HTTP unless another is given. */
export function refusal(error: RequestError, http: HttpExtension = { status: 400, spec: true }): GraphQLError {
  return new GraphQLError(error.message, { originalError: error, extensions: { http } });
}

/** OPERATION_TOO_COMPLEX for an operation that passes a limit; `what` is what there is too much of, `value` how much, if it was counted. */
export function tooComplex(limits: Limits, limit: LimitName, what: string, value?: number): GraphQLError {
  const max = limits[limit];
  const counted = value === undefined ? 'more' : value;
  return refusal(
    new RequestError('OPERATION_TOO_COMPLEX', `At most ${max} ${what} are taken (${limit}); this has ${counted}.`, {
      limit,
      ...(value !== undefined && { value: value.toString() }),
      max,
    }),
  );
}
