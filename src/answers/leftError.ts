import { ChainError } from '../chain/base/errors.ts';

/** The reason that aborts reads after the caller has disconnected. */
export function leftError(): ChainError<'NODE_UNREACHABLE'> {
  return new ChainError('NODE_UNREACHABLE', 'The caller has disconnected.', {});
}
