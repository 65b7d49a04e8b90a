import type { Event } from '../../chain/base/execution.ts';
import type { CommittedBlock } from '../../chain/blocks/committedBlock.ts';
import type { EventCondition } from '../../chain/events/eventQuery.ts';
import { RequestError } from '../../reads/errors.ts';
import { heightKey, heightOfKey } from '../../reads/height.ts';
import { signedTx, type Transaction } from '../transactions/query.ts';

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
const beginSlot = 0;

const endSlot = last;

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

/** The transaction or block that emitted events. */
export interface EventOrigin {
  readonly height: bigint;
  /** null for events of the block itself. */
  readonly transaction: Transaction | null;
  /** All events of the transaction, or of the block itself. */
  readonly events: readonly Event[];
}

/** A query over past events. Each event has at most one match. */
export interface HistoryQuery<T> {
  /** The event type of a match. */
  readonly eventType: string;
  /**
   * The searches in the index of a node. Together they find every transaction and block with a match, and possibly more. All
   * conditions of a search refer to attributes of one event.
   */
  readonly searches: readonly (readonly EventCondition[])[];
  /** Whether most search results contain a match. If not, larger pages are requested. */
  readonly exact: boolean;
  /** Whether to include events of blocks themselves. */
  readonly includesBlockEvents: boolean;
  /** The item of an event of the type; null if the event is not a match. */
  readonly read: (event: Event, source: EventOrigin) => T | null;
}

/** A history query and its name. The name includes the arguments; a cursor is valid only for the history that it names. */
export interface NamedHistory<T> {
  readonly name: string;
  readonly query: HistoryQuery<T>;
}

export interface HistoryMatch<T> {
  readonly position: Position;
  /** The transaction that emitted the event; null for an event of the block itself. */
  readonly transaction: Transaction | null;
  readonly item: T;
}

function inEvents<T>(query: HistoryQuery<T>, source: EventOrigin, slotOf: (event: Event) => number): HistoryMatch<T>[] {
  const matches: HistoryMatch<T>[] = [];
  source.events.forEach((event, place) => {
    if (event.type !== query.eventType) return;
    const item = query.read(event, source);
    const position = { height: source.height, slot: slotOf(event), event: place };
    if (item !== null) matches.push({ position, transaction: source.transaction, item });
  });
  return matches;
}

export function matchesInTransaction<T>(query: HistoryQuery<T>, transaction: Transaction): HistoryMatch<T>[] {
  const { height, index, result } = transaction;
  return inEvents(query, { height, transaction, events: result.events }, () => slotOfTx(index));
}

/** The slot of an event of a block itself. The application marks events of the end of the block. */
function slotOfOwn({ attributes }: Event): number {
  return attributes.some(({ key, value }) => key === 'mode' && value === 'EndBlock') ? endSlot : beginSlot;
}

/** The matches in the events of a block itself, in order. */
export function matchesInBlockEvents<T>(query: HistoryQuery<T>, height: bigint, events: readonly Event[]): HistoryMatch<T>[] {
  return query.includesBlockEvents ? inEvents(query, { height, transaction: null, events }, slotOfOwn) : [];
}

/** The matches in a block, newest first. */
export function matchesInBlock<T>(query: HistoryQuery<T>, { header, events, transactions }: CommittedBlock): HistoryMatch<T>[] {
  const { height } = header;
  const candidates = transactions.filter(({ result }) => result.events.some(({ type }) => type === query.eventType));
  return [
    ...matchesInBlockEvents(query, height, events),
    ...candidates.flatMap(({ tx, index, result }) => matchesInTransaction(query, { ...signedTx(tx), height, index, result })),
  ].sort((a, b) => newestFirst(a.position, b.position));
}
