import { RequestError } from '../../reads/errors.ts';
import { heightKey, heightOfKey } from '../blocks/blocks.ts';

/**
 * Where an event lies in the chain's past. `slot` is the part of the block: 0 its beginning, 1 its first transaction and so on, the last one
 * its end. `event` is the event's place among those of the transaction, or among the block's own.
 */
export interface Position {
  readonly height: bigint;
  readonly slot: number;
  readonly event: number;
}

/** The largest number of four bytes. */
const last = 0xffff_ffff;

/** The slot of a block's beginning: what happens before its transactions. */
export const beginSlot = 0;

/** The slot of a block's end: what happens after its transactions. */
export const endSlot = last;

/** The slot of the transaction at a place in the block. */
export function slotOfTx(index: number): number {
  return index + 1;
}

/** The oldest position of a block, whether there is an event or not: all of the block is at it or newer. */
export function oldestOf(height: bigint): Position {
  return { height, slot: beginSlot, event: 0 };
}

/** Positions as sorting functions want it: negative when `a` is newer than `b`. */
export function newestFirst(a: Position, b: Position): number {
  if (a.height !== b.height) return a.height > b.height ? -1 : 1;
  return b.slot - a.slot || b.event - a.event;
}

/** A position as the key of a cursor: keys ascend from the newest to the oldest. */
export function positionKey({ height, slot, event }: Position): Buffer {
  const place = Buffer.alloc(8);
  place.writeUInt32BE(last - slot, 0);
  place.writeUInt32BE(last - event, 4);
  return Buffer.concat([heightKey(height, true), place]);
}

/** The position of such a key, of a cursor given as `argument`. A key of another size is BAD_CURSOR. */
export function positionOfKey(key: Uint8Array, argument = 'after'): Position {
  if (key.length !== 16) throw new RequestError('BAD_CURSOR', `\`${argument}\` is no cursor of this list.`, { argument });
  const place = Buffer.from(key.subarray(8));
  return { height: heightOfKey(key, true), slot: last - place.readUInt32BE(0), event: last - place.readUInt32BE(4) };
}
