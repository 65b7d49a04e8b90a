import { compareBytes, concat, hasPrefix, noBytes } from '../bytes.ts';
import { UnplannedRequest } from './plan.ts';
import { type RangeBounds, type Reading, type Row, range } from './reads.ts';
import { bytesField, type Message, messageField, messageFields, uintField } from './wire.ts';

// The four pagers of the SDK. They agree on limit 0 (100 items, counted) and differ in the rest: whether the order can be reversed, where a page with
// a key starts, what is counted. The keys of the rows are
// without the prefix.

/** A decoded `PageRequest`. */
export interface PageRequest {
  readonly key: Uint8Array;
  readonly offset: bigint;
  readonly limit: bigint;
  readonly countTotal: boolean;
  readonly reverse: boolean;
}

/** One page of rows and its encoded `PageResponse`. */
export interface Page<R = Row> {
  readonly rows: readonly R[];
  readonly response: Uint8Array;
}

/** Decodes the page request in a field. Limit 0 means 100 items, and a count too if `count` is not false. */
export function pageRequest(request: Message, field: number, count = true): PageRequest {
  const page = request.message(field);
  const [key, offset, limit] = [page.bytes(1), page.uint(2), page.uint(3)];
  if (page.has(1) && offset > 0n) throw new UnplannedRequest('a page has both a key and an offset');
  return {
    key,
    offset,
    limit: limit === 0n ? 100n : limit,
    countTotal: page.flag(4) || (count && limit === 0n),
    reverse: page.flag(5),
  };
}

/** Cuts a prefix off the keys of rows. */
export function withoutPrefix(rows: readonly Row[], prefix: Uint8Array): readonly Row[] {
  return rows.map(([key, value]) => [key.subarray(prefix.length), value]);
}

/** The values of rows. */
export const valuesOf = (rows: readonly Row[]): readonly Uint8Array[] => rows.map(([, value]) => value);

/** Encodes the items of a page and its `PageResponse`, by default as the first two fields of a message. */
export function listAnswer(
  items: readonly Uint8Array[],
  { response }: Page<unknown>,
  itemField = 1,
  pageField = 2,
): Uint8Array {
  return concat(messageFields(itemField, items), messageField(pageField, response));
}

function pageResponse(nextKey: Uint8Array | undefined, total: bigint): Uint8Array {
  return concat(bytesField(1, nextKey ?? noBytes), uintField(2, total));
}

/** The number of items up to the end of a page, which wraps as the node's number does. */
const endOf = ({ offset, limit }: PageRequest): bigint => BigInt.asUintN(64, offset + limit);

/** The part of `items` between two counts. */
const between = <T>(items: readonly T[], from: bigint, to: bigint): readonly T[] => items.slice(Number(from), Number(to));

/** Whether a page starts at a key. Such a page has no total. */
const isKeyed = ({ key }: PageRequest): boolean => key.length > 0;

/**
 * The rows that a page in ascending order needs: from its key, and one more than it shows, whose key is that of the next page. A page with a total needs
 * all. `filtered` tells that not every row counts.
 */
function boundsOf(page: PageRequest, table: Uint8Array, filtered: boolean): RangeBounds {
  const from = isKeyed(page) ? { from: concat(table, page.key) } : {};
  const rows = page.offset + page.limit + 1n;
  return filtered || (page.countTotal && !isKeyed(page)) || rows >= 2n ** 31n ? from : { ...from, most: Number(rows) };
}

/** How a list of x/group is paged. */
interface GroupPageOptions {
  /** What is cut off the keys of the rows. The prefix unless stated. */
  readonly table?: Uint8Array;
  /** Whether the list starts at the beginning all the same if the page has a key: the list of all groups. */
  readonly ignoreKey?: boolean;
}

/** The pager of x/group. The order is always ascending. A page with a key starts at the first row at or after it. */
export function* groupPage(
  store: string,
  prefix: Uint8Array,
  page: PageRequest,
  { table = prefix, ignoreKey = false }: GroupPageOptions = {},
): Reading<Page> {
  const bounds = boundsOf(page, table, false);
  const all = withoutPrefix(yield* range(store, prefix, ignoreKey ? {} : bounds), table);
  const rows = isKeyed(page) && !ignoreKey ? all.filter(([key]) => compareBytes(key, page.key) >= 0) : all;
  const end = endOf(page);
  const total = page.countTotal && !isKeyed(page) ? BigInt(rows.length) : 0n;
  return { rows: between(rows, page.offset, end), response: pageResponse(rows[Number(end)]?.[0], total) };
}

/** The rows of a page with a key, in its order, as an iterator of the store has them. */
function rowsFrom(rows: readonly Row[], { key, reverse }: PageRequest): readonly Row[] {
  if (key.length === 0) return reverse ? rows.toReversed() : rows;
  const first = rows.findIndex(([rowKey]) => compareBytes(rowKey, key) >= 0);
  if (!reverse) return first < 0 ? [] : rows.slice(first);
  // The node looks for the row after the one at the key, and fails at the last.
  if (first === rows.length - 1) throw new UnplannedRequest('a page in reverse order starts at the last key');
  return (first < 0 ? rows : rows.slice(0, first + 1)).toReversed();
}

/**
 * The pager of stores. `hit` tells whether a row belongs to the list. A page with a key ends before the next row, whether it is a hit or not, so the last
 * page can be empty.
 */
export function* storePage(store: string, prefix: Uint8Array, page: PageRequest, hit?: (row: Row) => boolean): Reading<Page> {
  const bounds = page.reverse ? {} : boundsOf(page, prefix, hit !== undefined);
  const rows = rowsFrom(withoutPrefix(yield* range(store, prefix, bounds), prefix), page);
  const hits: Row[] = [];
  if (isKeyed(page)) {
    for (const row of rows) {
      if (BigInt(hits.length) === page.limit) return { rows: hits, response: pageResponse(row[0], 0n) };
      if (hit?.(row) !== false) hits.push(row);
    }
    return { rows: hits, response: noBytes };
  }
  const end = endOf(page);
  // The hit after the page; after the greatest page, none, whose number the node counts as the next.
  const next = BigInt.asUintN(64, end + 1n);
  let count = 0n;
  let nextKey: Uint8Array | undefined;
  for (const row of rows) {
    if (hit?.(row) !== false) {
      if (count >= page.offset && count < end) hits.push(row);
      count++;
    }
    if (count !== next) continue;
    nextKey ??= row[0];
    if (!page.countTotal) break;
  }
  return { rows: hits, response: pageResponse(nextKey, page.countTotal ? count : 0n) };
}

/** The pager of collections. In reverse order, a page with a key starts at the last row whose key is at or before it, or starts with it. */
export function* collectionPage(store: string, prefix: Uint8Array, page: PageRequest): Reading<Page> {
  const { key, offset, limit, reverse } = page;
  const all = withoutPrefix(yield* range(store, prefix, reverse ? {} : boundsOf(page, prefix, false)), prefix);
  const beyond = (row: Uint8Array) =>
    reverse ? compareBytes(row, key) > 0 && !hasPrefix(row, key) : compareBytes(row, key) < 0;
  const ordered = reverse ? all.toReversed() : all;
  const rows = isKeyed(page) ? ordered.filter(([row]) => !beyond(row)) : ordered;
  if (offset > BigInt(rows.length)) return { rows: [], response: noBytes };
  const total = page.countTotal && !isKeyed(page) ? BigInt(rows.length) : 0n;
  const end = offset + limit;
  return { rows: between(rows, offset, end), response: pageResponse(rows[Number(end)]?.[0], total) };
}
