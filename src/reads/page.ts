import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { cursorMax, scanMax, scanPage } from '../config/bounds.ts';
import type { PageRequestSchema } from '../proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { RequestError } from './errors.ts';
import { type Awaitable, all, andThen, both, ReadOnce, type Source } from './pin.ts';
import { type StateRead, stateRead } from './query.ts';

/**
 * The position of an item in a list. `key` is the key of the item, never the page key of the node, so a cursor works from any
 * item and at any height. `place` is the index of the item in ascending order when the cursor was made. It is a hint that saves
 * a search; the reader verifies it.
 */
interface Cursor {
  readonly key: Uint8Array;
  readonly place: bigint | undefined;
}

/** Encodes a cursor as opaque text. `list` is the name of its list, including the arguments of the list. */
export function encodeCursor(list: string, cursor: Cursor): string {
  const place = cursor.place === undefined ? '' : cursor.place.toString();
  return Buffer.from([list, place, Buffer.from(cursor.key).toString('hex')].join('\n')).toString('base64url');
}

/** Decodes a cursor of the list `list`, passed as `argument`. A malformed cursor, or one of another list, is BAD_CURSOR. */
export function decodeCursor(list: string, text: string, argument = 'after'): Cursor {
  const [name, place, key, ...rest] = text.length > cursorMax ? [] : Buffer.from(text, 'base64url').toString().split('\n');
  if (
    key === undefined ||
    place === undefined ||
    rest.length > 0 ||
    !/^\d{0,20}$/.test(place) ||
    !/^([0-9a-f]{2})*$/.test(key)
  ) {
    throw new RequestError('BAD_CURSOR', `\`${argument}\` is not a cursor of this server.`, { argument });
  }
  if (name !== list) throw new RequestError('BAD_CURSOR', `\`${argument}\` is a cursor of another list.`, { argument });
  return { key: Buffer.from(key, 'hex'), place: place === '' ? undefined : BigInt(place) };
}

/** The fields of the chain's `PageRequest` that are used. A limit of 0 means 100 to the chain, so `limit` is at least 1. */
export interface ReadRequest {
  readonly key?: Uint8Array;
  readonly offset?: bigint;
  readonly limit: number;
  readonly countTotal?: boolean;
}

/** The result of one upstream read of a list: items in ascending order. `total` is undefined unless it was requested. */
export interface Read<T> {
  readonly items: readonly T[];
  readonly more: boolean;
  readonly total: bigint | undefined;
}

/** A list as the chain serves it: ascending by `keyOf`, in pages. The chain ignores `reverse` (docs/chain.md, "Page requests"). */
export interface ChainList<T> {
  read(request: ReadRequest): Awaitable<Read<T>>;
  /** The key of an item. Keys ascend along the list when compared byte by byte. */
  keyOf(item: T): Uint8Array;
  /**
   * The page key at which the chain starts with the first item whose key is `key` or greater. Absent if the chain ignores page
   * keys or their format is unknown. Such a list is searched by offset.
   */
  readonly pageKey?: (key: Uint8Array) => Uint8Array;
}

/** The part of a list to read. */
export interface PageRequest {
  /** 0 to 100. */
  readonly first: number;
  readonly after?: Cursor;
  readonly offset?: bigint;
  readonly reverse: boolean;
  /** Whether to read the total. */
  readonly count: boolean;
}

/** A part of a list, in the requested order. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The index in ascending order of the item at an index of `items`; undefined if no read has determined it. */
  readonly placeAt: (index: number) => bigint | undefined;
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  /** undefined unless it was requested. */
  readonly total: bigint | undefined;
  /** The read that the page is made of: all of the page but its places is equal for the same read. Absent for other pages. */
  readonly source?: { readonly items: readonly unknown[] };
}

function pageFrom<T>(
  items: readonly T[],
  start: bigint | undefined,
  more: boolean,
  before: boolean,
  total: bigint | undefined,
): Page<T> {
  const placeAt = (index: number): bigint | undefined => (start === undefined ? undefined : start + BigInt(index));
  return { items, placeAt, hasNext: more, hasPrevious: before, total };
}

function reversed<T>(items: readonly T[], start: bigint, before: boolean, total: bigint | undefined): Page<T> {
  const last = start + BigInt(items.length) - 1n;
  const placeAt = (index: number): bigint => last - BigInt(index);
  return { items: items.toReversed(), placeAt, hasNext: start > 0n, hasPrevious: before, total };
}

function countOf<T>(list: ChainList<T>): Awaitable<bigint> {
  return andThen(list.read({ limit: 1, countTotal: true }), ({ total }) => total ?? 0n);
}

const later = (key: Uint8Array, than: Uint8Array): boolean => Buffer.compare(key, than) > 0;

/**
 * Counts the items of the list with a key below `key`, and reports whether an item has this key. First reads a window around
 * the hint, which contains the item unless the list has changed before it. Otherwise does a binary search with windows of 200
 * items: for n items at most 2 + log2(n / 200) further reads, 9 for the largest offset.
 */
async function rank<T>(
  list: ChainList<T>,
  key: Uint8Array,
  hint: bigint | undefined,
): Promise<{ below: bigint; there: boolean }> {
  let low = 0n;
  let high: bigint | undefined;
  let probe = hint === undefined ? 0n : hint > 50n ? hint - 50n : 0n;
  for (;;) {
    const { items, more } = await list.read({ offset: probe, limit: scanPage });
    const index = items.findIndex((item) => !later(key, list.keyOf(item)));
    const item = items[index];
    if (item !== undefined && (index > 0 || probe === low)) {
      return { below: probe + BigInt(index), there: Buffer.compare(list.keyOf(item), key) === 0 };
    }
    if (item === undefined && !more && (items.length > 0 || probe === low))
      return { below: probe + BigInt(items.length), there: false };
    if (item !== undefined || items.length === 0) high = probe;
    else low = probe + BigInt(items.length);
    high ??= await countOf(list);
    if (high <= low) return { below: low, there: false };
    const middle = (low + high) / 2n - BigInt(scanPage / 2);
    probe = middle > low ? middle : low;
  }
}

function forwardFrom<T>(list: ChainList<T>, after: Cursor, { first, count }: PageRequest): Awaitable<Page<T>> {
  if (list.pageKey === undefined) {
    return andThen(rank(list, after.key, after.place), ({ below, there }) => {
      const start = there ? below + 1n : below;
      return andThen(list.read({ offset: start, limit: first, ...(count && { countTotal: true }) }), (read) =>
        pageFrom(read.items, start, read.more, start > 0n, read.total),
      );
    });
  }
  // The least key above `after.key` is `after.key` followed by a zero byte, for keys of any length.
  const key = list.pageKey(Buffer.concat([after.key, Uint8Array.of(0)]));
  return both(list.read({ key, limit: first }), count ? countOf(list) : undefined, (read, total) =>
    pageFrom(read.items, after.place === undefined ? undefined : after.place + 1n, read.more, true, total),
  );
}

function backward<T>(list: ChainList<T>, request: PageRequest): Awaitable<Page<T>> {
  const { after, first, count } = request;
  if (after !== undefined) return backwardFrom(list, after, request);
  // A list that fits on the page takes this read alone. A longer one takes a second read, at its end.
  return andThen(list.read({ limit: first, countTotal: true }), (head) => {
    const total = head.total ?? 0n;
    const skipped = request.offset ?? 0n;
    const end = total > skipped ? total - skipped : 0n;
    const start = end > BigInt(first) ? end - BigInt(first) : 0n;
    const wantedTotal = count ? total : undefined;
    if (start === 0n) return reversed(head.items.slice(0, Number(end)), 0n, skipped > 0n, wantedTotal);
    return andThen(list.read({ offset: start, limit: Number(end - start) }), ({ items }) =>
      reversed(items, start, skipped > 0n, wantedTotal),
    );
  });
}

/** Reads the items before a cursor. Its place is right unless the list has changed before it. */
function backwardFrom<T>(list: ChainList<T>, after: Cursor, request: PageRequest): Awaitable<Page<T>> {
  const { first, count } = request;
  const guess = after.place;
  if (guess === undefined) return backwardFromKey(list, after, request);
  const start = guess > BigInt(first) ? guess - BigInt(first) : 0n;
  const size = Number(guess - start);
  return both(list.read({ offset: start, limit: size + 1 }), count ? countOf(list) : undefined, ({ items }, total) => {
    const ownItem = items[size];
    return ownItem !== undefined && Buffer.compare(list.keyOf(ownItem), after.key) === 0
      ? reversed(items.slice(0, size), start, true, total)
      : backwardFromKey(list, after, request);
  });
}

/** Reads the items before a cursor, whose place is searched. */
async function backwardFromKey<T>(list: ChainList<T>, after: Cursor, { first, count }: PageRequest): Promise<Page<T>> {
  const [{ below }, total] = await Promise.all([rank(list, after.key, after.place), count ? countOf(list) : undefined]);
  const start = below > BigInt(first) ? below - BigInt(first) : 0n;
  if (below === start) return { ...reversed<T>([], start, true, total), hasNext: false };
  const { items } = await list.read({ offset: start, limit: Number(below - start) });
  return reversed(items, start, true, total);
}

/**
 * Reads a part of a list that the chain serves in ascending order only. Upstream reads:
 * - forward: 1. After a cursor, 1 more for the total; where page keys do not work, 1 more plus the reads of `rank`.
 * - backward: 1 if the list fits on the page, else 2. After a cursor: 1, plus the reads of `rank` if the list has changed
 *   before it.
 */
export function readPage<T>(list: ChainList<T>, request: PageRequest): Awaitable<Page<T>> {
  const { first, after, count, offset = 0n } = request;
  if (first === 0) {
    return andThen(count ? countOf(list) : undefined, (total) => ({
      items: [],
      placeAt: () => undefined,
      hasNext: false,
      hasPrevious: false,
      total,
    }));
  }
  if (request.reverse) return backward(list, request);
  if (after !== undefined) return forwardFrom(list, after, request);
  const part = list.read({ limit: first, ...(offset > 0n && { offset }), ...(count && { countTotal: true }) });
  return andThen(part, (read) => ({
    items: read.items,
    placeAt: (index) => offset + BigInt(index),
    hasNext: read.more,
    hasPrevious: offset > 0n,
    total: read.total,
    source: read,
  }));
}

/**
 * Reads all items of a list, 200 per read; after the first read the others run in parallel. A list of more than 5,000 items is
 * OPERATION_TOO_COMPLEX, never incomplete. `what` names the items in the message.
 */
export function readAll<T>(list: ChainList<T>, what: string): Awaitable<readonly T[]> {
  return andThen(list.read({ limit: scanPage, countTotal: true }), (head) => {
    const total = Number(head.total ?? 0n);
    checkScan(total, what);
    if (total <= scanPage) return head.items;
    const offsets = Array.from({ length: Math.ceil(total / scanPage) - 1 }, (_, index) => BigInt((index + 1) * scanPage));
    return andThen(all(offsets.map((offset) => list.read({ offset, limit: scanPage }))), (rest) =>
      [head, ...rest].flatMap((read) => read.items),
    );
  });
}

/** Reads the first items of a list, 200 per read, up to `most` of them or a few more. */
export async function readSome<T>(
  list: ChainList<T>,
  most: number,
): Promise<{ readonly items: readonly T[]; readonly isComplete: boolean }> {
  const items: T[] = [];
  for (;;) {
    const part = await list.read({ offset: BigInt(items.length), limit: scanPage });
    items.push(...part.items);
    if (!part.more || part.items.length === 0) return { items, isComplete: true };
    if (items.length >= most) return { items, isComplete: false };
  }
}

/** Reads all items of a list, however many there are, 200 per read. Only for work that no request waits for. */
export async function readEvery<T>(list: ChainList<T>): Promise<readonly T[]> {
  return (await readSome(list, Number.POSITIVE_INFINITY)).items;
}

/** Fails with OPERATION_TOO_COMPLEX for more than 5,000 items. `what` names them in the message. */
export function checkScan(size: number, what: string): void {
  if (size <= scanMax) return;
  throw new RequestError('OPERATION_TOO_COMPLEX', `This operation would read ${size} ${what}; the limit is ${scanMax}.`, {
    limit: 'scan.max',
    value: size.toString(),
    max: scanMax,
  });
}

/** A part of a list that is in memory, ascending by `keyOf`. */
export function pageOf<T>(items: readonly T[], keyOf: (item: T) => Uint8Array, request: PageRequest): Page<T> {
  const { after, first } = request;
  const ordered = request.reverse ? items.toReversed() : items;
  const side = request.reverse ? 1 : -1;
  const next = after === undefined ? 0 : ordered.findIndex((item) => Buffer.compare(after.key, keyOf(item)) === side);
  const start = after === undefined ? Number(request.offset ?? 0n) : next === -1 ? ordered.length : next;
  return {
    items: ordered.slice(start, start + first),
    placeAt: (index) => BigInt(request.reverse ? items.length - 1 - start - index : start + index),
    hasNext: start + first < ordered.length,
    hasPrevious: start > 0 && ordered.length > 0,
    total: BigInt(items.length),
  };
}

/** The part of a list that one read requests. `of` is the object that the list belongs to. */
export interface ListKey<A> {
  readonly of: A;
  readonly page: ReadRequest;
}

function listKeyText({ of, page: { key, offset, limit, countTotal } }: ListKey<string | bigint>): string {
  const keyText = key === undefined ? '' : Buffer.from(key).toString('hex');
  return `${of}/${keyText}/${offset ?? 0n}/${limit}/${countTotal === true}`;
}

/**
 * Makes the loader of parts of lists. `keep` is called with the items of each part that is read, and with all loaders of the module, to store the items
 * there.
 */
export function listOnce<A extends string | bigint, T, L = unknown>(
  read: StateRead<[of: A, page: ReadRequest], Read<T>>,
  keep?: (loaders: L, items: readonly T[]) => void,
): (source: Source, loaders: L) => ReadOnce<ListKey<A>, Read<T>> {
  return ({ state }, loaders) =>
    new ReadOnce(({ of, page }: ListKey<A>) => {
      const answer = read(state, of, page);
      if (keep === undefined) return answer;
      return andThen(answer, (part) => {
        keep(loaders, part.items);
        return part;
      });
    }, listKeyText);
}

/** A list and its name. A cursor is valid only for the list that it names. */
export interface NamedList<T> extends ChainList<T> {
  readonly name: string;
}

/**
 * The list of one object, read through a loader and sorted by `keyOf`. `kind` names the lists that the loader reads, and `of` the object. For `pageKey` see
 * {@link ChainList}.
 */
export function chainList<A extends string | bigint, T>(
  kind: string,
  loader: ReadOnce<ListKey<A>, Read<T>>,
  of: A,
  keyOf: (item: T) => Uint8Array,
  pageKey?: (key: Uint8Array) => Uint8Array,
): NamedList<T> {
  return { name: `${kind}/${of}`, read: (page) => loader.load({ of, page }), keyOf, ...(pageKey && { pageKey }) };
}

/** The `PageResponse` of the chain; undefined if the response has none. */
type PageResponse = { readonly nextKey: Uint8Array; readonly total: bigint } | undefined;

/** A query of the chain that returns a part of a list. */
interface ListQuery<I extends DescMessage, O extends DescMessage, A, T> {
  readonly method: DescMethodUnary<I, O>;
  /** The request for a part of the list of the object `of`. */
  readonly request: (of: A, pagination: MessageInitShape<typeof PageRequestSchema>) => MessageInitShape<I>;
  readonly part: (
    response: MessageShape<O>,
    of: A,
    page: ReadRequest,
  ) => readonly [items: readonly T[], pagination: PageResponse];
  /**
   * Whether the chain filters the list as it walks it. Such a list can have a next key although no item follows, so it is read with one item more than
   * requested, to find out whether more follow.
   */
  readonly isFiltered?: boolean;
}

/** Makes the read of a query that returns a part of a list. Its arguments are the object that the list belongs to, and the part. */
export function stateList<I extends DescMessage, O extends DescMessage, A, T>({
  method,
  request,
  part,
  isFiltered = false,
}: ListQuery<I, O, A, T>): StateRead<[of: A, page: ReadRequest], Read<T>> {
  return stateRead({
    method,
    request: (of: A, { key, offset, limit, countTotal }: ReadRequest) =>
      request(of, {
        limit: BigInt(isFiltered ? limit + 1 : limit),
        ...(key && { key }),
        ...(offset && { offset }),
        ...(countTotal && { countTotal }),
      }),
    value: (response, of, page): Read<T> => {
      const [items, pagination] = part(response, of, page);
      const total = page.countTotal === true ? (pagination?.total ?? 0n) : undefined;
      if (isFiltered) return { items: items.slice(0, page.limit), more: items.length > page.limit, total };
      return { items, more: (pagination?.nextKey.length ?? 0) > 0, total };
    },
  });
}
