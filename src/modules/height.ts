import { ChainError } from '../chain/errors.ts';
import { badInput } from './errors.ts';

/**
 * A height that a caller named, to be read at most at `latest`: returned as it is, else BAD_USER_INPUT below 1 and
 * HEIGHT_NOT_YET_AVAILABLE, with both heights, above `latest`. Asked before the node is.
 */
export function checkHeight(argument: string, height: bigint, latest: bigint): bigint {
  if (height < 1n) throw badInput(argument, height.toString(), 'a height of at least 1');
  if (height > latest) {
    const message = `Height ${height} is above the newest block, ${latest}.`;
    throw new ChainError('HEIGHT_NOT_YET_AVAILABLE', message, { height, latestHeight: latest });
  }
  return height;
}
