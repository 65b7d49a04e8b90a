import type { GraphQLResolveInfo } from 'graphql';
import { ChainError, isChainError } from '../../chain/base/errors.ts';
import { encodeCursor } from '../../reads/page.ts';
import { type Awaitable, type Pin, type Pinned, pinned } from '../../reads/pin.ts';
import type { Builder, Ref } from '../../schema/builder.ts';
import { addConnection, type Connection, type ConnectionArgs, pageRequest } from '../../schema/connection.ts';
import { createBlockLoaders } from '../blocks/query.ts';
import { createTransactionLoaders } from '../transactions/query.ts';
import {
  type HistoryMatch,
  type HistoryQuery,
  matchesInBlock,
  type NamedHistory,
  newestFirst,
  oldestOf,
  type Position,
  positionKey,
  positionOfKey,
} from './matches.ts';
import {
  createHistoryLoaders,
  type HistorySource,
  type Range,
  type ScannedRange,
  scanBlocks,
  searchIndex,
  wholeBlock,
} from './search.ts';

/** Most blocks that one page reads if no node has an index. */
export const blocksMax = 1_000n;

/** The number of newest blocks that are read instead of searched, because the index of a node lags behind them. */
const unsettled = 2n;

/** Whether the archive or a node has an index of the transactions up to the height of a pin. */
export function isIndexed(pin: Pin): Awaitable<boolean> {
  return pin.loaders(createHistoryLoaders).indexed.load(pin.height.toString());
}

/** Reads the part of a range that is not in memory: by the index, or without one by blocks down to `floor`. */
async function readBelow<T>(
  pin: Pin,
  query: HistoryQuery<T>,
  range: Range,
  floor: bigint,
  wantedItems: number,
  onRead: (source: HistorySource) => void,
) {
  if (await isIndexed(pin)) {
    try {
      return { ...(await searchIndex(pin, query, range, wantedItems, onRead)), lowest: undefined };
    } catch (error) {
      // A node can index transactions but not blocks.
      if (!isChainError(error, 'INDEX_UNAVAILABLE')) throw error;
    }
  }
  onRead('BLOCKS');
  const low = range.low > floor ? range.low : floor;
  const { found, reached } = await scanBlocks(pin, query, { low, high: range.high }, wantedItems);
  const end = reached ?? (low > range.low ? oldestOf(low) : null);
  return { found, reached: end, lowest: reached?.height ?? low };
}

/** The page of a scanned range. `lowest` is the lowest block that was read; undefined if the index was searched. */
function pageOf<T>(
  pin: Pin,
  first: number,
  looked: ScannedRange<T>,
  lowest: bigint | undefined,
  { sources, isScanned = false }: { readonly sources: ReadonlySet<HistorySource>; readonly isScanned?: boolean },
) {
  const blocks = pin.loaders(createBlockLoaders);
  const matches = looked.found.slice(0, first);
  const isFull = matches.length === first || looked.reached === null;
  return {
    found: matches,
    /** What the page was read from. */
    sources,
    /** Whether blocks were read one by one because nothing has an index of them. */
    isScanned,
    /** Whether more may follow. */
    more: looked.found.length > first || looked.reached !== null,
    /** Where the next page continues, also if this one has no match; undefined if nothing was read. */
    end: isFull ? matches.at(-1)?.position : (looked.reached ?? undefined),
    /**
     * The height from which on the list is complete: with an index the oldest block of a node, else the lowest block that this
     * page read. Calls a node at most once for each operation.
     */
    async completeFrom(): Promise<bigint> {
      if (lowest !== undefined && (isScanned || !(await isIndexed(pin)))) return lowest;
      const oldest = await blocks.earliest.load('');
      return lowest !== undefined && lowest < oldest ? lowest : oldest;
    },
  };
}

/** The height of the newest block that a page reads. */
function startOf(pin: Pin, after: Position | undefined): bigint {
  if (after === undefined || after.height > pin.height) return pin.height;
  const isWhole = newestFirst(after, oldestOf(after.height)) === 0;
  return isWhole ? after.height - 1n : after.height;
}

/**
 * Reads a page of a history up to the height of the pin. The newest two blocks, and blocks in memory, are read block by block.
 * Older ones are searched in the index of a node, or, without an index, read from the block log, at most 1,000 blocks for each
 * page. Both ways return the same matches at the same positions. The page begins after the position `after`, or at the height of the pin, and has no
 * block below `low`.
 *
 * Upstream calls for each page, at most: one for the oldest height, one to test for an index; with an index, three blocks (two
 * calls each), 12 searches and the results of 200 blocks; without, two calls for each of 1,000 blocks. A page that reaches
 * these limits is shorter and has `more` set. Fails with HEIGHT_PRUNED if no node has the block at the height of the pin.
 */
export async function readHistory<T>(
  pin: Pin,
  query: HistoryQuery<T>,
  { first, after, low = 1n }: { readonly first: number; readonly after: Position | undefined; readonly low?: bigint },
): Promise<ReturnType<typeof pageOf<T>>> {
  const start = startOf(pin, after);
  const sources = new Set<HistorySource>();
  const onRead = (source: HistorySource): void => void sources.add(source);
  if (first === 0) return { ...pageOf<T>(pin, 0, { found: [], reached: null }, start + 1n, { sources }), end: undefined };
  const newest = pin.client.head.current()?.height ?? pin.height;
  const matches: HistoryMatch<T>[] = [];
  let height = start;
  for (; matches.length <= first && height >= low && height > start - blocksMax; height -= 1n) {
    const isNeeded = height > newest - unsettled || height === after?.height;
    const block = isNeeded ? await wholeBlock(pin, height) : pin.client.blocks.at(height);
    if (block === undefined) break;
    onRead('BLOCKS');
    const all = matchesInBlock(query, block);
    matches.push(...(after === undefined ? all : all.filter(({ position }) => newestFirst(after, position) < 0)));
  }
  if (matches.length > first || height < low) {
    return pageOf(pin, first, { found: matches, reached: height < low ? null : oldestOf(height + 1n) }, height + 1n, {
      sources,
    });
  }
  const earliest = await pin.loaders(createBlockLoaders).earliest.load('');
  if (height < earliest) {
    if (height < pin.height)
      return pageOf(pin, first, { found: matches, reached: null }, height < start ? height + 1n : undefined, { sources });
    const facts = { height, earliestHeight: earliest };
    throw new ChainError('HEIGHT_PRUNED', `Block ${height} is pruned: the oldest block is ${earliest}.`, facts);
  }
  const range = { low: low > earliest ? low : earliest, high: height };
  const below = await readBelow(pin, query, range, start - blocksMax + 1n, first - matches.length, onRead);
  return pageOf(pin, first, { found: [...matches, ...below.found], reached: below.reached }, below.lowest, {
    sources,
    isScanned: below.lowest !== undefined,
  });
}

/** A page of a history as GraphQL serves it. It has no total. */
export interface HistoryConnection<T> extends Connection<T> {
  readonly completeFrom: () => Promise<bigint>;
}

export function addHistoryConnection<T>(
  builder: Builder,
  NodeRef: Ref<T>,
  ConnectionRef: Ref<HistoryConnection<T>>,
  plural: string,
): void {
  addConnection(builder, NodeRef, ConnectionRef, plural);
  builder.objectField(ConnectionRef, 'completeFrom', (t) =>
    t.field({
      type: 'Int64',
      nullable: false,
      description:
        'The list is complete from this height on. Earlier events are not visible, because nodes have no index or have pruned it.',
      resolve: (page) => page.completeFrom(),
    }),
  );
}

/**
 * A page of a history, newest first. A page that reaches its read limit can have fewer items than requested, or none. It still
 * has an end cursor, and the next page continues there. Transactions with a match are cached, so that they are not read again.
 */
export async function historyConnection<T extends object>(
  pin: Pin,
  { name, query }: NamedHistory<T>,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Promise<HistoryConnection<Pinned<T>>> {
  const { first, after } = pageRequest(pin, name, args, info, ['completeFrom']);
  const cursor = (key: Uint8Array): string => encodeCursor(name, { key, place: undefined });
  const page = await readHistory(pin, query, { first, after: after && positionOfKey(after.key) });
  const transactions = page.found.flatMap(({ transaction }) => transaction ?? []);
  pin.loaders(createTransactionLoaders).transaction.prime(transactions, ({ hash }) => hash);
  return {
    nodes: page.found.map(({ item }) => pinned(pin, item)),
    cursorAt: (index) => {
      const match = page.found[index];
      if (match === undefined) throw new RangeError(`no item ${index} on this page`);
      return cursor(positionKey(match.position));
    },
    endCursor: page.end === undefined ? null : cursor(positionKey(page.end)),
    hasNextPage: page.more,
    hasPreviousPage: after !== undefined,
    totalCount: null,
    completeFrom: page.completeFrom,
  };
}
