import { compareBytes, concat, hasPrefix } from '../bytes.ts';
import { bytesOf } from './keyParts.ts';
import { UnplannedRequest } from './plan.ts';
import type { Row } from './reads.ts';
import { bytesField, type Message, uintField } from './wire.ts';

// The four pagers of the SDK. They agree on limit 0 (100 items, counted) and differ in the rest: whether the order can be reversed, where a page with
// a key starts, what is counted. `rows` are all rows of the list with the prefix of their keys cut off.

/** A decoded `PageRequest`. */
export interface PageRequest {
  readonly key: Uint8Array;
  readonly offset: bigint;
  readonly limit: bigint;
  readonly countTotal: boolean;
  readonly reverse: boolean;
}

/** One page of rows and its encoded `PageResponse`. */
export interface Page<R> {
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

function pageResponse(nextKey: Uint8Array | undefined, total: bigint): Uint8Array {
  return concat(bytesField(1, nextKey ?? bytesOf()), uintField(2, total));
}

/** The number of items up to the end of a page, which wraps as the node's number does. */
const endOf = ({ offset, limit }: PageRequest): bigint => BigInt.asUintN(64, offset + limit);

/** The part of `items` between two counts. */
const between = <T>(items: readonly T[], from: bigint, to: bigint): readonly T[] => items.slice(Number(from), Number(to));

/**
 * The pager of x/group. The order is always ascending. A page with a key starts at the first row at or after it, and has no total. `ignoreKey` is the
 * list of all groups, which starts at the beginning all the same.
 */
export function groupPage(all: readonly Row[], page: PageRequest, ignoreKey = false): Page<Row> {
  const keyed = page.key.length > 0;
  const rows = keyed && !ignoreKey ? all.filter(([key]) => compareBytes(key, page.key) >= 0) : all;
  const end = endOf(page);
  const total = page.countTotal && !keyed ? BigInt(rows.length) : 0n;
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
 * The pager of stores with a filter. `hit` tells whether a row belongs to the list. A page with a key ends before the next row, whether it is a hit or
 * not, so the last page can be empty.
 */
export function storePage(all: readonly Row[], page: PageRequest, hit: (row: Row) => boolean = () => true): Page<Row> {
  const rows = rowsFrom(all, page);
  if (page.key.length > 0) {
    const hits: Row[] = [];
    for (const row of rows) {
      if (BigInt(hits.length) === page.limit) return { rows: hits, response: pageResponse(row[0], 0n) };
      if (hit(row)) hits.push(row);
    }
    return { rows: hits, response: bytesOf() };
  }
  const end = endOf(page);
  // The hit after the page; after the greatest page, none, whose number the node counts as the next.
  const next = BigInt.asUintN(64, end + 1n);
  const hits: Row[] = [];
  let count = 0n;
  let nextKey: Uint8Array | undefined;
  for (const row of rows) {
    if (hit(row)) {
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
export function collectionPage(all: readonly Row[], page: PageRequest): Page<Row> {
  const { key, offset, limit, reverse } = page;
  const beyond = (row: Uint8Array) =>
    reverse ? compareBytes(row, key) > 0 && !hasPrefix(row, key) : compareBytes(row, key) < 0;
  const ordered = reverse ? all.toReversed() : all;
  const rows = key.length > 0 ? ordered.filter(([row]) => !beyond(row)) : ordered;
  if (offset > BigInt(rows.length)) return { rows: [], response: bytesOf() };
  const total = page.countTotal && key.length === 0 ? BigInt(rows.length) : 0n;
  const end = offset + limit;
  return { rows: between(rows, offset, end), response: pageResponse(rows[Number(end)]?.[0], total) };
}
