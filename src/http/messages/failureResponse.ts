import { isChainError } from '../../chain/base/errors.ts';
import { shown, statusOf } from '../../graphql/request/errors.ts';
import { RequestError } from '../../reads/errors.ts';
import { type ErrorResponse, errorResponse } from './errors.ts';

/** The answer to a failure that its caller may know of, with the status that GraphQL gives it; undefined for what was not foreseen, which is masked. */
export function failureResponse(error: unknown): ErrorResponse | undefined {
  if (!isChainError(error) && !(error instanceof RequestError)) return undefined;
  const { code, message, facts } = error;
  return errorResponse(statusOf(code).status, code, message, shown(facts));
}
