import type { Event } from '../../chain/base/execution.ts';
import type { CommittedBlock } from '../../chain/blocks/blockLog.ts';
import type { EventCondition } from '../../chain/events/eventQuery.ts';
import { signedTx, type Transaction } from '../transactions/query.ts';
import { beginSlot, endSlot, newestFirst, type Position, slotOfTx } from './position.ts';

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

/** A match and its position. */
export interface HistoryMatch<T> {
  readonly position: Position;
  /** The transaction that emitted the event; null for an event of the block itself. */
  readonly transaction: Transaction | null;
  readonly item: T;
}

function inEvents<T>(query: HistoryQuery<T>, source: EventOrigin, slotOf: (event: Event) => number): HistoryMatch<T>[] {
  const found: HistoryMatch<T>[] = [];
  source.events.forEach((event, place) => {
    if (event.type !== query.eventType) return;
    const item = query.read(event, source);
    const position = { height: source.height, slot: slotOf(event), event: place };
    if (item !== null) found.push({ position, transaction: source.transaction, item });
  });
  return found;
}

/** The matches in the events of a transaction, in order. */
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
