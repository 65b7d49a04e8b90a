import { RequestError } from '../../reads/errors.ts';
import { heightKey, heightOfKey } from '../../reads/height.ts';

/**
 * The position of an event in the chain. `slot` is the part of the block: 0 is its beginning, 1 its first transaction and so
 * on, the greatest value its end. `event` is the index of the event in the transaction, or among the events of the block
 * itself.
 */
export interface Position {
  readonly height: bigint;
  readonly slot: number;
  readonly event: number;
}

/** The greatest integer of four bytes. */
const last = 0xffff_ffff;

/** The slot of the beginning of a block, before its transactions. */
export const beginSlot = 0;

/** The slot of the end of a block, after its transactions. */
export const endSlot = last;

/** The slot of the transaction with an index in the block. */
export function slotOfTx(index: number): number {
  return index + 1;
}

/** The oldest position in a block, whether it has an event or not. */
export function oldestOf(height: bigint): Position {
  return { height, slot: beginSlot, event: 0 };
}

/** A compare function for sorting: negative if `a` is newer than `b`. */
export function newestFirst(a: Position, b: Position): number {
  if (a.height !== b.height) return a.height > b.height ? -1 : 1;
  return b.slot - a.slot || b.event - a.event;
}

/** The key of a cursor for a position. Keys ascend from the newest to the oldest. */
export function positionKey({ height, slot, event }: Position): Buffer {
  const place = Buffer.alloc(8);
  place.writeUInt32BE(last - slot, 0);
  place.writeUInt32BE(last - event, 4);
  return Buffer.concat([heightKey(height, true), place]);
}

/** The position of such a key in a cursor, passed as `argument`. A key of another size is BAD_CURSOR. */
export function positionOfKey(key: Uint8Array, argument = 'after'): Position {
  if (key.length !== 16) throw new RequestError('BAD_CURSOR', `\`${argument}\` is not a cursor of this list.`, { argument });
  const place = Buffer.from(key.subarray(8));
  return { height: heightOfKey(key, true), slot: last - place.readUInt32BE(0), event: last - place.readUInt32BE(4) };
}
