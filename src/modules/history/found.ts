import type { Event } from '../../chain/base/execution.ts';
import type { CommittedBlock } from '../../chain/blocks/blockLog.ts';
import type { EventCondition } from '../../chain/events/eventQuery.ts';
import { signedTx, type Transaction } from '../transactions/transactions.ts';
import { beginSlot, endSlot, type Position, slotOfTx } from './position.ts';

/** Whose events they are. */
export interface EventSource {
  readonly height: bigint;
  /** null for a block's own. */
  readonly transaction: Transaction | null;
  /** All of the transaction, or all of the block's own. */
  readonly events: readonly Event[];
}

/** What is looked for in the chain's past: at most one thing in each event. */
export interface HistoryQuery<T> {
  /** The one type of event that tells of it. */
  readonly eventType: string;
  /**
   * What a node's index is asked, each as one search: together they find every transaction and block that holds something. They may find more.
   * All conditions of a search are on attributes of the one event.
   */
  readonly searches: readonly (readonly EventCondition[])[];
  /** Whether most of what the searches find holds something; where not, more is asked for at once. */
  readonly exact: boolean;
  /** Whether a block's own events are to be looked at too. */
  readonly ofBlocks: boolean;
  /** What an event of the type tells of; null for one that is not meant. */
  readonly read: (event: Event, source: EventSource) => T | null;
}

/** A history with the name, of itself and its arguments, that its cursors belong to. */
export interface NamedHistory<T> {
  readonly name: string;
  readonly query: HistoryQuery<T>;
}

/** A thing and where it was found. */
export interface Found<T> {
  readonly position: Position;
  /** Whose event told of it; null for a block's own. */
  readonly transaction: Transaction | null;
  readonly item: T;
}

function inEvents<T>(query: HistoryQuery<T>, source: EventSource, slotOf: (event: Event) => number): Found<T>[] {
  const found: Found<T>[] = [];
  source.events.forEach((event, place) => {
    if (event.type !== query.eventType) return;
    const item = query.read(event, source);
    const position = { height: source.height, slot: slotOf(event), event: place };
    if (item !== null) found.push({ position, transaction: source.transaction, item });
  });
  return found;
}

/** What a transaction's events tell of, in their order. */
export function inTransaction<T>(query: HistoryQuery<T>, transaction: Transaction): Found<T>[] {
  const { height, index, result } = transaction;
  return inEvents(query, { height, transaction, events: result.events }, () => slotOfTx(index));
}

/** When in its block a block's own event was: the application says so itself. */
function slotOfOwn({ attributes }: Event): number {
  return attributes.some(({ key, value }) => key === 'mode' && value === 'EndBlock') ? endSlot : beginSlot;
}

/** What a block's own events tell of, in their order. */
export function inOwnEvents<T>(query: HistoryQuery<T>, height: bigint, events: readonly Event[]): Found<T>[] {
  return query.ofBlocks ? inEvents(query, { height, transaction: null, events }, slotOfOwn) : [];
}

/** What a whole block tells of, in no order. */
export function inBlock<T>(query: HistoryQuery<T>, { header, events, transactions }: CommittedBlock): Found<T>[] {
  const { height } = header;
  const told = transactions.filter(({ result }) => result.events.some(({ type }) => type === query.eventType));
  return [
    ...inOwnEvents(query, height, events),
    ...told.flatMap(({ tx, index, result }) => inTransaction(query, { ...signedTx(tx), height, index, result })),
  ];
}
