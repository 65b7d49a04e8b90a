import { ChainError } from '../chain/base/errors.ts';
import { badInput, RequestError } from './errors.ts';
import { timeInput } from './input.ts';
import { type Pin, type Pinned, pinOf } from './pin.ts';

/**
 * Checks the height that a caller passed as `argument` before a node is called, and returns it. Fails with BAD_USER_INPUT below
 * 1 and with HEIGHT_NOT_YET_AVAILABLE, which carries both heights, above `latest`. The messages are those of the node.
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

/** The height that a caller passed as `height`, checked by {@link checkHeight}. Default: the height of the operation. */
export function requestedHeight(root: Pinned<object>, height: bigint | null | undefined): bigint {
  const { height: latest } = pinOf(root);
  return checkHeight('height', height ?? latest, latest);
}

/** The price of a search by time, in points: about the calls that the first one makes over ten million heights. Later ones make few or none. */
export const timePoints = 250;

/**
 * The height of the last block whose time is not after that of an argument. Fails with HEIGHT_NOT_YET_AVAILABLE if the time is after that of the newest
 * block, with HEIGHT_PRUNED before the oldest block of the nodes, and with BAD_USER_INPUT if it is no time.
 */
export async function heightAtTime({ client, signal }: Pin, time: string, argument = 'time'): Promise<bigint> {
  return client.heightAt(timeInput(argument, time), { signal });
}

/** The height after which a stream begins: the argument `after`, else the height of the operation. Below 0 is BAD_USER_INPUT. */
export function startAfter(root: Pinned<object>, after: bigint | null | undefined): bigint {
  if (after != null && after < 0n) throw badInput('after', after.toString(), 'a height of at least 0');
  return after ?? pinOf(root).height;
}

/** A height as eight bytes, sorted ascending; with `newestFirst`, sorted descending. */
export function heightKey(height: bigint, newestFirst: boolean): Buffer {
  const key = Buffer.alloc(8);
  key.writeBigUInt64BE(newestFirst ? 2n ** 64n - 1n - height : height);
  return key;
}

/** The height in the first eight bytes of such a key. */
export function heightOfKey(key: Uint8Array, newestFirst: boolean): bigint {
  const value = Buffer.concat([key, Buffer.alloc(8)]).readBigUInt64BE(0);
  return newestFirst ? 2n ** 64n - 1n - value : value;
}
