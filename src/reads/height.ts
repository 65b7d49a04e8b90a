import { ChainError } from '../chain/base/errors.ts';
import { RequestError } from './errors.ts';

/**
 * A height that a caller named, to be read at most at `latest`: returned as it is, else BAD_USER_INPUT below 1 and
 * HEIGHT_NOT_YET_AVAILABLE, with both heights, above `latest`, in the node's own words. Asked before the node is.
 */
export function checkHeight(argument: string, height: bigint, latest: bigint): bigint {
  if (height < 1n) {
    const facts = { argument, value: height.toString(), bound: 'a height of at least 1' };
    throw new RequestError('BAD_USER_INPUT', `height must be greater than 0, but got ${height}`, facts);
  }
  if (height > latest) {
    const message = `height ${height} must be less than or equal to the current blockchain height ${latest}`;
    throw new ChainError('HEIGHT_NOT_YET_AVAILABLE', message, { height, latestHeight: latest });
  }
  return height;
}
