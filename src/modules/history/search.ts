import { isChainError } from '../../chain/base/errors.ts';
import type { CommittedBlock } from '../../chain/blocks/committedBlock.ts';
import type { EventCondition } from '../../chain/events/eventQuery.ts';
import { type Pin, ReadOnce, type Source } from '../../reads/pin.ts';
import { blockSearch, createBlockLoaders } from '../blocks/query.ts';
import { type SearchedIndex, searchList } from '../events/search.ts';
import { transactionSearch } from '../transactions/query.ts';
import {
  type HistoryMatch,
  type HistoryQuery,
  matchesInBlock,
  matchesInBlockEvents,
  matchesInTransaction,
  newestFirst,
  oldestOf,
  type Position,
  positionKey,
  slotOfTx,
} from './matches.ts';

/** Most searches for one page. */
const searchesMax = 12;

/** Most blocks whose results are read for one page. */
const resultBlocksMax = 200;

/** Items of one search if many of its results may have no match. */
const wideSearch = 50;

/** A range of heights, both ends included. */
export interface Range {
  readonly low: bigint;
  readonly high: bigint;
}

/** What a part of a history was read from: the index of the archive or of a node, or blocks, one by one. */
export type HistorySource = SearchedIndex | 'BLOCKS';

/** The result of reading a range from its newest position on. */
export interface ScannedRange<T> {
  /** Newest first. */
  readonly found: readonly HistoryMatch<T>[];
  /** Everything at this position and newer was read; null if the whole range was. */
  readonly reached: Position | null;
}

interface Stream<T> {
  /** Everything at this position and newer was read; null at the end. */
  reached(): Position | null;
  /** Reads one step: at most one search, and the results of at most `wanted` blocks. */
  advance(wantedItems: number): Promise<readonly HistoryMatch<T>[]>;
}

function within(conditions: readonly EventCondition[], tag: string, low: bigint): readonly EventCondition[] {
  if (low <= 1n) return conditions;
  return [...conditions, { tag, operator: '>=', argument: { type: 'number', text: low.toString() } }];
}

/** A search for the matches of a query: for transactions, or for blocks with events of their own. */
interface Search<T> {
  readonly pin: Pin;
  readonly query: HistoryQuery<T>;
  readonly conditions: readonly EventCondition[];
  readonly range: Range;
  readonly size: number;
  readonly onRead: (source: HistorySource) => void;
}

function transactionStream<T>({ pin, query, conditions, range: { low, high }, size, onRead }: Search<T>): Stream<T> {
  const searched = within(conditions, 'tx.height', low);
  const list = searchList(pin.client, transactionSearch, searched, high, true, pin.signal, onRead);
  let reached: Position | null = oldestOf(high + 1n);
  let offset = 0n;
  return {
    reached: () => reached,
    async advance() {
      const { items, more } = await list.read({ offset, limit: size });
      offset += BigInt(size);
      const last = items.at(-1);
      reached = more && last ? { height: last.height, slot: slotOfTx(last.index), event: 0 } : null;
      return items.flatMap((transaction) => matchesInTransaction(query, transaction));
    },
  };
}

function blockStream<T>({ pin, query, conditions, range: { low, high }, size, onRead }: Search<T>): Stream<T> {
  const searched = within(conditions, 'block.height', low);
  const list = searchList(pin.client, blockSearch, searched, high, true, pin.signal, onRead);
  let reached: Position | null = oldestOf(high + 1n);
  let offset = 0n;
  let heights: bigint[] = [];
  let more = true;
  return {
    reached: () => reached,
    async advance(wantedItems) {
      if (heights.length === 0) {
        const part = await list.read({ offset, limit: size });
        offset += BigInt(size);
        heights = part.items.map(({ header }) => header.height);
        more = part.more;
      }
      const turn = heights.splice(0, wantedItems);
      const results = await Promise.all(turn.map((height) => pin.loaders(createBlockLoaders).results.load(height)));
      const last = turn.at(-1);
      reached = last === undefined || (heights.length === 0 && !more) ? null : oldestOf(last);
      return results.flatMap(({ height, outcome }) => matchesInBlockEvents(query, height, outcome.events));
    },
  };
}

/** The newest position that some search has not passed yet; null if all searches are at their end. */
function newestReached(streams: readonly Stream<unknown>[]): Position | null {
  const open = streams.flatMap((stream) => stream.reached() ?? []);
  return open.toSorted(newestFirst)[0] ?? null;
}

/**
 * Reads a range by the index of a node, newest first, until it has more than `wanted` matches or reaches the end. It runs each
 * search of the query, for transactions and for blocks, and advances only the searches that limit the result. Upstream calls:
 * at most `searchesMax` searches and the results of `resultBlocksMax` blocks; then it returns early. Every call makes progress.
 * Fails with INDEX_UNAVAILABLE if no node has an index.
 */
export async function searchIndex<T>(
  pin: Pin,
  query: HistoryQuery<T>,
  range: Range,
  wantedItems: number,
  onRead: (source: HistorySource) => void,
): Promise<ScannedRange<T>> {
  if (range.low > range.high) return { found: [], reached: null };
  const size = query.exact ? wantedItems + 1 : Math.max(wantedItems + 1, wideSearch);
  const pageSize = Math.min(100, size);
  const streams = query.searches.flatMap((conditions) => {
    const search = { pin, query, conditions, range, size: pageSize, onRead };
    return query.includesBlockEvents ? [transactionStream(search), blockStream(search)] : [transactionStream(search)];
  });
  // Two searches can find the same event.
  const byPlace = new Map<string, HistoryMatch<T>>();
  let turns = 0;
  let blocks = 0;
  for (;;) {
    const reached = newestReached(streams);
    const all = [...byPlace.values()].sort((a, b) => newestFirst(a.position, b.position));
    const matches = reached === null ? all : all.filter(({ position }) => newestFirst(position, reached) <= 0);
    if (reached === null || matches.length > wantedItems) return { found: matches, reached };
    const target = all[wantedItems]?.position;
    const advancing = streams.filter((stream) => {
      const at = stream.reached();
      return at !== null && (target === undefined || newestFirst(at, target) < 0);
    });
    const turn = Math.min(wantedItems + 1 - matches.length, Math.floor((resultBlocksMax - blocks) / advancing.length));
    if (turns + advancing.length > searchesMax || turn < 1) return { found: matches, reached };
    turns += advancing.length;
    blocks += query.includesBlockEvents ? turn * advancing.length : 0;
    const steps = await Promise.all(advancing.map((stream) => stream.advance(turn)));
    for (const each of steps.flat()) byPlace.set(positionKey(each.position).toString('hex'), each);
  }
}

/** Number of blocks of the first step. It doubles with each step, up to the largest. */
const firstStep = 16n;
const largestStep = 128n;

async function blocksDown({ client, signal }: Pin, { low, high }: Range): Promise<readonly CommittedBlock[]> {
  const blocks: CommittedBlock[] = [];
  for await (const block of client.blocks.from(low - 1n, { signal })) {
    blocks.push(block);
    if (block.header.height >= high) break;
  }
  return blocks.toReversed();
}

/** The block at a height, from memory or through the block log; undefined if the log ends before it. */
export async function wholeBlock(pin: Pin, height: bigint): Promise<CommittedBlock | undefined> {
  return pin.client.blocks.at(height) ?? (await blocksDown(pin, { low: height, high: height }))[0];
}

/**
 * Reads a range block by block, newest first, in growing steps, until it has `wanted` matches or reaches the end. Two upstream
 * calls for each block that is not in memory.
 */
export async function scanBlocks<T>(
  pin: Pin,
  query: HistoryQuery<T>,
  range: Range,
  wantedItems: number,
): Promise<ScannedRange<T>> {
  const matches: HistoryMatch<T>[] = [];
  let { high } = range;
  for (let step = firstStep; high >= range.low && matches.length < wantedItems; step = step < largestStep ? step * 2n : step) {
    const low = high - step + 1n > range.low ? high - step + 1n : range.low;
    for (const block of await blocksDown(pin, { low, high })) matches.push(...matchesInBlock(query, block));
    high = low - 1n;
  }
  return { found: matches, reached: high < range.low ? null : oldestOf(high + 1n) };
}

export function createHistoryLoaders({ client, signal }: Source) {
  return {
    /** Whether the archive or a node has an index of the transactions at a height. */
    indexed: new ReadOnce(async (height: string) => {
      const query = `tx.height = ${height}`;
      try {
        await client.call('tx_search', { query, prove: false, page: '1', per_page: '1' }, { signal });
        return true;
      } catch (error) {
        if (isChainError(error, 'INDEX_UNAVAILABLE')) return false;
        throw error;
      }
    }),
  };
}
