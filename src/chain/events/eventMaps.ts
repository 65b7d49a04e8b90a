import type { Event } from '../base/execution.ts';
import type { CommittedBlock, CommittedTx } from '../blocks/committedBlock.ts';
import type { Header } from '../wire/block.ts';
import { type EventCondition, matches } from './eventQuery.ts';

/** Attributes flattened to `type.key`, with the values of all events of one type together, in their order. */
export type EventMap = ReadonlyMap<string, readonly string[]>;

/** What of a block satisfies a query. */
export interface EventMatches {
  /** The block's own events do. */
  readonly block: boolean;
  /** Those whose events do, in block order. */
  readonly transactions: readonly CommittedTx[];
}

/** Evaluates queries on blocks. */
export interface EventMatcher {
  /** What of a block satisfies every condition: a transaction by its events, or the block by its own. */
  match(conditions: readonly EventCondition[], block: CommittedBlock): EventMatches;
}

/** Flattens events as the node does: what has no type or no key is left out, and what the node adds comes last. */
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

/** The events of a transaction, as the node's subscribers to `tm.event='Tx'` see them: with `tx.hash` and `tx.height`. */
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

/** Events as the node's subscribers to a kind of event see them: with its name, and nothing else of the node's. */
export function flattenKind(kind: string, events: readonly Event[] = []): EventMap {
  return flatten(events, [['tm.event', kind]]);
}

/**
 * A block's own events, as the node's subscribers to `NewBlock` or `NewBlockEvents` see them; those of `NewBlockHeader` see none.
 * `block.height` is added to those of `NewBlock`: the node has it in its index of blocks, not on its sockets.
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

/** Makes a matcher. It flattens a block once, however many queries are evaluated on it. */
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
