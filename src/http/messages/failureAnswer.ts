import { isChainError } from '../../chain/base/errors.ts';
import { shown, statusOf } from '../../graphql/request/errors.ts';
import { RequestError } from '../../reads/errors.ts';
import { type ErrorAnswer, errorAnswer } from './errors.ts';

/** The answer to a failure that its caller may know of, with the status that GraphQL gives it; undefined for what was not foreseen, which is masked. */
export function failureAnswer(error: unknown): ErrorAnswer | undefined {
  if (!isChainError(error) && !(error instanceof RequestError)) return undefined;
  const { code, message, facts } = error;
  return errorAnswer(statusOf(code).status, code, message, shown(facts));
}
