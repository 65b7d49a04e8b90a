import { ChainError, isChainError } from '../../chain/base/errors.ts';
import type { Pin } from '../../reads/pin.ts';
import { createBlockLoaders } from '../blocks/loaders.ts';
import type { Found, HistoryQuery } from './found.ts';
import { createHistoryLoaders } from './loaders.ts';
import { newestFirst, oldestOf, type Position } from './position.ts';
import { type Looked, lookByIndex, type Range } from './searched.ts';
import { foundIn, lookByBlocks, wholeBlock } from './walked.ts';

/** Most blocks that one page looks through where no node has an index. */
export const blocksMax = 1_000n;

/** The newest blocks, which are read and not searched: an index is written behind them. */
const unsettled = 2n;

/** A page of what was found in the chain's past, newest first. */
export interface HistoryPage<T> {
  readonly found: readonly Found<T>[];
  /** Whether more may follow. */
  readonly more: boolean;
  /** Where the next page goes on, also where this one found nothing; undefined when it did not look. */
  readonly end: Position | undefined;
  /**
   * The list is complete from this height on: with an index the oldest block that a node has, without the lowest one that this page looked
   * at. Asks upstream, once for the operation, when that is not known yet.
   */
  completeFrom(): Promise<bigint>;
}

/** Which part of the past is wanted. */
export interface HistoryRequest {
  readonly first: number;
  /** Behind which it begins; at the height read when absent. */
  readonly after: Position | undefined;
}

interface Below<T> extends Looked<T> {
  /** The lowest block that was looked at; undefined where the index told. */
  readonly lowest: bigint | undefined;
}

/** Looks through what is not in memory: by the index, or where there is none by blocks, down to `floor` and no further. */
async function lookBelow<T>(pin: Pin, query: HistoryQuery<T>, range: Range, floor: bigint, wanted: number): Promise<Below<T>> {
  if (await pin.loaders(createHistoryLoaders).indexed.load('')) {
    try {
      return { ...(await lookByIndex(pin, query, range, wanted)), lowest: undefined };
    } catch (error) {
      // There are indexes that know transactions and no blocks.
      if (!isChainError(error, 'INDEX_UNAVAILABLE')) throw error;
    }
  }
  const low = range.low > floor ? range.low : floor;
  const { found, reached } = await lookByBlocks(pin, query, { low, high: range.high }, wanted);
  const end = reached ?? (low > range.low ? oldestOf(low) : null);
  return { found, reached: end, lowest: reached?.height ?? low };
}

/** A page of what was looked through, down to the block `lowest`; undefined where an index told of all that a node has. */
function pageOf<T>(pin: Pin, first: number, looked: Looked<T>, lowest: bigint | undefined): HistoryPage<T> {
  const blocks = pin.loaders(createBlockLoaders);
  const history = pin.loaders(createHistoryLoaders);
  const found = looked.found.slice(0, first);
  const isFull = found.length === first || looked.reached === null;
  return {
    found,
    more: looked.found.length > first || looked.reached !== null,
    end: isFull ? found.at(-1)?.position : (looked.reached ?? undefined),
    async completeFrom() {
      if (lowest !== undefined && !(await history.indexed.load(''))) return lowest;
      const oldest = await blocks.earliest.load('');
      return lowest !== undefined && lowest < oldest ? lowest : oldest;
    },
  };
}

/** The height of the newest block that a page has to look at. */
function startOf(pin: Pin, after: Position | undefined): bigint {
  if (after === undefined || after.height > pin.height) return pin.height;
  const isWhole = newestFirst(after, oldestOf(after.height)) === 0;
  return isWhole ? after.height - 1n : after.height;
}

/**
 * Reads a page of the past up to the height read: whatever blocks are in memory at its top, and the two newest of all, block by
 * block; then by the nodes' index, and where none has one by the block log, at most 1,000 blocks in all. The same heights give the same things
 * either way, at the same positions. Upstream calls of a page, at most: the oldest height and whether there is an index; with an
 * index, three blocks (two calls each), 12 searches and the results of 200 blocks; without, two calls for each of 1,000 blocks. A page that has come
 * to these bounds is shorter, and `more`. HEIGHT_PRUNED where no node has the block of the height read.
 */
export async function readHistory<T>(
  pin: Pin,
  query: HistoryQuery<T>,
  { first, after }: HistoryRequest,
): Promise<HistoryPage<T>> {
  const start = startOf(pin, after);
  if (first === 0) return { ...pageOf<T>(pin, 0, { found: [], reached: null }, start + 1n), end: undefined };
  const newest = pin.client.head.current()?.height ?? pin.height;
  const found: Found<T>[] = [];
  let height = start;
  for (; found.length <= first && height >= 1n && height > start - blocksMax; height -= 1n) {
    const isNeeded = height > newest - unsettled || height === after?.height;
    const block = isNeeded ? await wholeBlock(pin, height) : pin.client.blocks.at(height);
    if (block === undefined) break;
    const all = foundIn(query, block);
    found.push(...(after === undefined ? all : all.filter(({ position }) => newestFirst(after, position) < 0)));
  }
  if (found.length > first || height < 1n) {
    return pageOf(pin, first, { found, reached: height < 1n ? null : oldestOf(height + 1n) }, height + 1n);
  }
  const earliest = await pin.loaders(createBlockLoaders).earliest.load('');
  if (height < earliest) {
    if (height < pin.height) return pageOf(pin, first, { found, reached: null }, height < start ? height + 1n : undefined);
    const facts = { height, earliestHeight: earliest };
    throw new ChainError('HEIGHT_PRUNED', `Block ${height} is pruned. The oldest available block is ${earliest}.`, facts);
  }
  const range = { low: earliest, high: height };
  const below = await lookBelow(pin, query, range, start - blocksMax + 1n, first - found.length);
  return pageOf(pin, first, { found: [...found, ...below.found], reached: below.reached }, below.lowest);
}
