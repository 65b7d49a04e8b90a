import { shown, statusOf } from '../../answers/errors.ts';
import { isChainError } from '../../chain/base/errors.ts';
import { RequestError } from '../../reads/errors.ts';
import { type ErrorResponse, errorResponse } from './errors.ts';

/**
 * Creates the response to a failure that callers may see, with the status that GraphQL uses. undefined for an unexpected error,
 * which must be masked.
 */
export function failureResponse(error: unknown): ErrorResponse | undefined {
  if (!isChainError(error) && !(error instanceof RequestError)) return undefined;
  const { code, message, facts } = error;
  return errorResponse(statusOf(code).status, code, message, shown(facts));
}
