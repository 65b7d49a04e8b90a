import { ChainError } from '../../chain/errors.ts';

/** Why reads end whose caller has gone. */
export function leftError(): ChainError<'NODE_UNREACHABLE'> {
  return new ChainError('NODE_UNREACHABLE', 'The caller has left.', {});
}
