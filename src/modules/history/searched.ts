import type { EventCondition } from '../../chain/events/eventQuery.ts';
import type { Pin } from '../../reads/pin.ts';
import { createBlockLoaders } from '../blocks/loaders.ts';
import { searchList } from '../transactions/search.ts';
import { blockSearch, transactionSearch } from '../transactions/searchKinds.ts';
import { type Found, type HistoryQuery, inOwnEvents, inTransaction } from './found.ts';
import { newestFirst, oldestOf, type Position, positionKey, slotOfTx } from './position.ts';

/** Most searches of one page. */
export const searchesMax = 12;

/** Most blocks that were found by a search whose results one page reads. */
export const foundBlocksMax = 200;

/** Items of one search where much of what is found may hold nothing. */
const wideSearch = 50;

/** The heights that are looked through, both included. */
export interface Range {
  readonly low: bigint;
  readonly high: bigint;
}

/** A part of the past that was looked through, from the newest position on. */
export interface Looked<T> {
  /** Newest first. */
  readonly found: readonly Found<T>[];
  /** All at it and newer was seen; null when the whole range was. */
  readonly reached: Position | null;
}

/** One search that is read on, newest first. */
interface Stream<T> {
  /** All at it and newer was read; null at the end. */
  reached(): Position | null;
  /** Reads on: at most one search, and the results of at most `wanted` blocks. */
  advance(wanted: number): Promise<readonly Found<T>[]>;
}

function within(conditions: readonly EventCondition[], tag: string, low: bigint): readonly EventCondition[] {
  if (low <= 1n) return conditions;
  return [...conditions, { tag, operator: '>=', argument: { type: 'number', text: low.toString() } }];
}

function transactionStream<T>(
  pin: Pin,
  query: HistoryQuery<T>,
  conditions: readonly EventCondition[],
  { low, high }: Range,
  size: number,
): Stream<T> {
  const list = searchList(pin.client, transactionSearch, within(conditions, 'tx.height', low), high, true, pin.signal);
  let reached: Position | null = oldestOf(high + 1n);
  let offset = 0n;
  return {
    reached: () => reached,
    async advance() {
      const { items, more } = await list.read({ offset, limit: size });
      offset += BigInt(size);
      const last = items.at(-1);
      reached = more && last ? { height: last.height, slot: slotOfTx(last.index), event: 0 } : null;
      return items.flatMap((transaction) => inTransaction(query, transaction));
    },
  };
}

function blockStream<T>(
  pin: Pin,
  query: HistoryQuery<T>,
  conditions: readonly EventCondition[],
  { low, high }: Range,
  size: number,
): Stream<T> {
  const list = searchList(pin.client, blockSearch, within(conditions, 'block.height', low), high, true, pin.signal);
  let reached: Position | null = oldestOf(high + 1n);
  let offset = 0n;
  let heights: bigint[] = [];
  let more = true;
  return {
    reached: () => reached,
    async advance(wanted) {
      if (heights.length === 0) {
        const read = await list.read({ offset, limit: size });
        offset += BigInt(size);
        heights = read.items.map(({ header }) => header.height);
        more = read.more;
      }
      const turn = heights.splice(0, wanted);
      const results = await Promise.all(turn.map((height) => pin.loaders(createBlockLoaders).results.load(height)));
      const last = turn.at(-1);
      reached = last === undefined || (heights.length === 0 && !more) ? null : oldestOf(last);
      return results.flatMap(({ height, outcome }) => inOwnEvents(query, height, outcome.events));
    },
  };
}

/** The newest position that some stream has not gone behind; null when all are at their end. */
function newestReached(streams: readonly Stream<unknown>[]): Position | null {
  const open = streams.flatMap((stream) => stream.reached() ?? []);
  return open.toSorted(newestFirst)[0] ?? null;
}

/**
 * Looks through a range by the nodes' index, newest first, until more than `wanted` things are found or the range is at its end: a
 * search for each of the query's and each of transactions and blocks, read on in turns as far as they hinder each other. Upstream calls: at most
 * `searchesMax` searches and the results of `foundBlocksMax` blocks; then it ends early. It comes further with each call. Fails
 * with INDEX_UNAVAILABLE where no node has an index.
 */
export async function lookByIndex<T>(pin: Pin, query: HistoryQuery<T>, range: Range, wanted: number): Promise<Looked<T>> {
  if (range.low > range.high) return { found: [], reached: null };
  const size = query.exact ? wanted + 1 : Math.max(wanted + 1, wideSearch);
  const pageSize = Math.min(100, size);
  const streams = query.searches.flatMap((conditions) => [
    transactionStream(pin, query, conditions, range, pageSize),
    ...(query.ofBlocks ? [blockStream(pin, query, conditions, range, pageSize)] : []),
  ]);
  // Two searches may find the same.
  const byPlace = new Map<string, Found<T>>();
  let turns = 0;
  let blocks = 0;
  for (;;) {
    const reached = newestReached(streams);
    const all = [...byPlace.values()].sort((a, b) => newestFirst(a.position, b.position));
    const found = reached === null ? all : all.filter(({ position }) => newestFirst(position, reached) <= 0);
    if (reached === null || found.length > wanted) return { found, reached };
    const target = all[wanted]?.position;
    const behind = streams.filter((stream) => {
      const at = stream.reached();
      return at !== null && (target === undefined || newestFirst(at, target) < 0);
    });
    const turn = Math.min(wanted + 1 - found.length, Math.floor((foundBlocksMax - blocks) / behind.length));
    if (turns + behind.length > searchesMax || turn < 1) return { found, reached };
    turns += behind.length;
    blocks += query.ofBlocks ? turn * behind.length : 0;
    const read = await Promise.all(behind.map((stream) => stream.advance(turn)));
    for (const each of read.flat()) byPlace.set(positionKey(each.position).toString('hex'), each);
  }
}
