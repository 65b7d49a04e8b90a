import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PageRequest, PageResponseSchema } from '../../../../../../src/proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { PlainError, StatusError } from '../../runtime/abciErrors.ts';
import { bytesOf, keyOf } from '../../state/bytes.ts';
import type { StoreEntry, StoreView } from '../../state/store.ts';

/** The node's error if `key` and `offset` are both given. */
export const keyAndOffset = 'invalid request, either offset or key is expected, got both';

/**
 * Returns the size of a page: 100 if absent or 0. For searches, blocks and validators, this is a guess from the source of the
 * SDK.
 */
export function limitOf(askedLimit: bigint | undefined): bigint {
  return askedLimit || 100n;
}

/** A page of entries, and its page response. */
export interface Page {
  readonly entries: readonly StoreEntry[];
  readonly pagination: MessageInitShape<typeof PageResponseSchema>;
}

/** A decoded page request. */
interface Terms {
  readonly key: string;
  readonly offset: bigint;
  readonly limit: bigint;
  readonly counting: boolean;
}

/**
 * Decodes a page request. Limit 0 means 100 items and a count. With a key, there is no count. Throws a {@link PlainError} if
 * key and offset are both given.
 */
function termsOf(request: PageRequest | undefined): Terms {
  const key = request === undefined ? '' : keyOf(request.key);
  const offset = request?.offset ?? 0n;
  if (key !== '' && offset > 0n) throw new PlainError(keyAndOffset);
  const askedLimit = request?.limit ?? 0n;
  return {
    key,
    offset,
    limit: limitOf(askedLimit),
    counting: key === '' && (askedLimit === 0n || (request?.countTotal ?? false)),
  };
}

/**
 * Returns a page of a list as the chain does (docs/chain.md, "Page requests"). Limit 0 means 100 items and a count, and there
 * is no maximum. `total` is present only if it is requested (or limit is 0) and no key is given. `next_key` is the row key of
 * the next entry. `list` yields the entries from a row key on, by default all. `rowKey` returns the row key of an entry. Throws
 * a {@link PlainError} if key and offset are both given.
 */
export function paginate(
  request: PageRequest | undefined,
  list: (from?: string) => Iterable<StoreEntry>,
  rowKey: (entry: StoreEntry) => string,
): Page {
  const { key, offset, limit, counting } = termsOf(request);
  const entries: StoreEntry[] = [];
  let count = 0n;
  let nextKey: Uint8Array = new Uint8Array();
  for (const entry of key === '' ? list() : list(key)) {
    count += 1n;
    if (count <= offset) continue;
    if (count <= offset + limit) entries.push(entry);
    else {
      if (nextKey.length === 0) nextKey = bytesOf(rowKey(entry));
      if (!counting) break;
    }
  }
  return { entries, pagination: { nextKey, total: counting ? count : 0n } };
}

/** An iteration over the entries under a prefix, in the direction of `reverse`. Input of `paginate` and `paginateHits`. */
export interface Walk {
  /** Yields the entries from a row key on, inclusive, in the direction of the walk. */
  readonly list: (from?: string) => Iterable<StoreEntry>;
  readonly rowKey: (entry: StoreEntry) => string;
}

/** Creates a walk over the entries of `store` under `prefix`, in descending order if the request has `reverse`. */
export function walk(state: StoreView, store: string, prefix: string, request: PageRequest | undefined): Walk {
  const rowKey = (entry: StoreEntry): string => entry.key.slice(prefix.length);
  const forward = (from?: string): Iterable<StoreEntry> => state.entries(store, prefix, from);
  const backward = (from?: string): Iterable<StoreEntry> =>
    [...state.entries(store, prefix)].reverse().filter((entry) => from === undefined || rowKey(entry) <= from);
  return { list: request?.reverse ? backward : forward, rowKey };
}

/** Returns a page of all entries under a prefix. Supports `reverse`. The row key of an entry is the part after the prefix. */
export function pageUnder(state: StoreView, store: string, prefix: string, request: PageRequest | undefined): Page {
  const { list, rowKey } = walk(state, store, prefix, request);
  return paginate(request, list, rowKey);
}

/**
 * Like {@link pageUnder}, for modules that store their state in collections (bank, marker). They have another error for a key
 * with an offset, and an offset beyond the end returns an empty page without a total (docs/chain.md, "Page requests"; not
 * recorded).
 */
export function pageOfCollection(state: StoreView, store: string, prefix: string, request: PageRequest | undefined): Page {
  try {
    const page = pageUnder(state, store, prefix, request);
    const { offset, counting } = termsOf(request);
    const beyond = counting && page.entries.length === 0 && offset > (page.pagination.total ?? 0n);
    return beyond ? { entries: [], pagination: {} } : page;
  } catch (error) {
    if (error instanceof PlainError) throw new StatusError('InvalidArgument', `paginate: ${keyAndOffset}`);
    throw error;
  }
}

/**
 * Returns a page of the matching entries. Supports `reverse`. The total counts matching entries only. With a key, the entry
 * after the last match ends the page even if it does not match, so the last page can be empty (recorded).
 */
export function paginateHits(
  request: PageRequest | undefined,
  { list, rowKey }: Walk,
  isHit: (entry: StoreEntry) => boolean,
): Page {
  const { key, offset, limit, counting } = termsOf(request);
  const entries: StoreEntry[] = [];
  if (key !== '') {
    for (const entry of list(key)) {
      if (BigInt(entries.length) === limit) return { entries, pagination: { nextKey: bytesOf(rowKey(entry)) } };
      if (isHit(entry)) entries.push(entry);
    }
    return { entries, pagination: {} };
  }
  let hits = 0n;
  let nextKey: Uint8Array = new Uint8Array();
  for (const entry of list()) {
    if (!isHit(entry)) continue;
    hits += 1n;
    if (hits <= offset) continue;
    if (hits <= offset + limit) entries.push(entry);
    else {
      if (nextKey.length === 0) nextKey = bytesOf(rowKey(entry));
      if (!counting) break;
    }
  }
  return { entries, pagination: { nextKey, total: counting ? hits : 0n } };
}
