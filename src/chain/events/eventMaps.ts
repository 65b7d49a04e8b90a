import type { Event } from '../base/execution.ts';
import type { CommittedBlock, CommittedTx } from '../blocks/committedBlock.ts';
import type { Header } from '../wire/block.ts';
import { type EventCondition, matches } from './eventQuery.ts';

/** Attributes as `type.key`, with all values in the order of the events. */
export type EventMap = ReadonlyMap<string, readonly string[]>;

/** The parts of a block that match a query. */
export interface EventMatches {
  /** Whether the block's own events match. */
  readonly block: boolean;
  /** Transactions whose events match, in block order. */
  readonly transactions: readonly CommittedTx[];
}

/** Evaluates queries on blocks. */
export interface EventMatcher {
  /** The parts of a block that satisfy all conditions: each transaction by its events, the block by its own. */
  match(conditions: readonly EventCondition[], block: CommittedBlock): EventMatches;
}

/**
 * Flattens events like a node: events without type and attributes without key are omitted, and the node's own attributes come
 * last.
 */
function flatten(events: readonly Event[], own: readonly (readonly [string, string])[]): EventMap {
  const flat = new Map<string, string[]>();
  const add = (tag: string, value: string): void => {
    const values = flat.get(tag);
    if (values === undefined) flat.set(tag, [value]);
    else values.push(value);
  };
  for (const { type, attributes } of events) {
    if (type === '') continue;
    for (const { key, value } of attributes) if (key !== '') add(`${type}.${key}`, value);
  }
  for (const [tag, value] of own) add(tag, value);
  return flat;
}

/** The events of a transaction, as subscribers to `tm.event='Tx'` on a node match them: with `tx.hash` and `tx.height`. */
export function flattenTx(
  { header }: { readonly header: Pick<Header, 'height'> },
  { hash, result }: Pick<CommittedTx, 'hash' | 'result'>,
): EventMap {
  return flatten(result.events, [
    ['tm.event', 'Tx'],
    ['tx.hash', hash],
    ['tx.height', header.height.toString()],
  ]);
}

/** Events, as subscribers to another kind of event on a node match them: with the kind, and no other attribute of the node. */
export function flattenKind(kind: string, events: readonly Event[] = []): EventMap {
  return flatten(events, [['tm.event', kind]]);
}

/**
 * A block's own events, as subscribers to `NewBlock` or `NewBlockEvents` on a node match them. For `NewBlockHeader` there are
 * none. `NewBlock` also gets `block.height`, which a node has in its block index but not in its subscriptions.
 */
export function flattenEvents(
  { header, events }: CommittedBlock,
  kind: 'NewBlock' | 'NewBlockEvents' | 'NewBlockHeader' = 'NewBlock',
): EventMap {
  return flatten(kind === 'NewBlockHeader' ? [] : events, [
    ['tm.event', kind],
    ...(kind === 'NewBlock' ? [['block.height', header.height.toString()] as const] : []),
  ]);
}

/** Makes a matcher. It flattens each block once, regardless of the number of queries. */
export function createEventMatcher(): EventMatcher {
  const maps = new WeakMap<CommittedBlock, { readonly own: EventMap; readonly transactions: readonly EventMap[] }>();

  function mapsOf(block: CommittedBlock): { readonly own: EventMap; readonly transactions: readonly EventMap[] } {
    const known = maps.get(block);
    if (known !== undefined) return known;
    const made = { own: flattenEvents(block), transactions: block.transactions.map((tx) => flattenTx(block, tx)) };
    maps.set(block, made);
    return made;
  }

  return {
    match(conditions, block) {
      const { own, transactions } = mapsOf(block);
      return {
        block: matches(conditions, own),
        transactions: block.transactions.filter((_, index) => matches(conditions, transactions[index] ?? new Map())),
      };
    },
  };
}
