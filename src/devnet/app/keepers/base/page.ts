import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PageRequest, PageResponseSchema } from '../../../../proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { PlainError, StatusError } from '../../runtime/abciErrors.ts';
import { bytesOf, keyOf } from '../../state/bytes.ts';
import type { StoreEntry, StoreView } from '../../state/store.ts';

/** The node's text when `key` and `offset` are both given. */
export const keyAndOffset = 'invalid request, either offset or key is expected, got both';

/** Most items of a page: 100 when none, or 0, are asked for. That it is so of searches, blocks and sets of validators is a guess by the SDK's source. */
export function limitOf(asked: bigint | undefined): bigint {
  return asked || 100n;
}

/** One page of entries, and the page response that goes with it. */
export interface Page {
  readonly entries: readonly StoreEntry[];
  readonly pagination: MessageInitShape<typeof PageResponseSchema>;
}

/** What a list is asked for, made plain. */
interface Terms {
  readonly key: string;
  readonly offset: bigint;
  readonly limit: bigint;
  readonly counting: boolean;
}

/** Limit 0 is 100 and counts; a total is never counted from a key on. Throws a {@link PlainError} when key and offset are both given. */
function termsOf(request: PageRequest | undefined): Terms {
  const key = request === undefined ? '' : keyOf(request.key);
  const offset = request?.offset ?? 0n;
  if (key !== '' && offset > 0n) throw new PlainError(keyAndOffset);
  const asked = request?.limit ?? 0n;
  return { key, offset, limit: limitOf(asked), counting: key === '' && (asked === 0n || (request?.countTotal ?? false)) };
}

/**
 * A page of a list as the chain cuts it (chain.md 6.1): limit 0 is 100 and counts; there is no maximum; `total` is given only when
 * asked for (or limit is 0) and no key is set; `next_key` is the rest of the next entry's key. `list` gives the entries from a row key on (all of them when absent),
 * `rowKey` what of an entry's key is the row key. Throws a {@link PlainError} when key and offset are both given.
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

/** A walk over the entries under a prefix; what `paginate` and `paginateHits` need to honour `reverse`. */
export interface Walk {
  /** Entries from a row key on, upwards or downwards, that one included. */
  readonly list: (from?: string) => Iterable<StoreEntry>;
  readonly rowKey: (entry: StoreEntry) => string;
}

/** Walks the entries of `store` under `prefix`; downwards when the request says so. */
export function walk(state: StoreView, store: string, prefix: string, request: PageRequest | undefined): Walk {
  const rowKey = (entry: StoreEntry): string => entry.key.slice(prefix.length);
  const forward = (from?: string): Iterable<StoreEntry> => state.entries(store, prefix, from);
  const backward = (from?: string): Iterable<StoreEntry> =>
    [...state.entries(store, prefix)].reverse().filter((entry) => from === undefined || rowKey(entry) <= from);
  return { list: request?.reverse ? backward : forward, rowKey };
}

/** A page of all entries under a prefix, `reverse` honoured. Row keys are what follows the prefix. */
export function pageUnder(state: StoreView, store: string, prefix: string, request: PageRequest | undefined): Page {
  const { list, rowKey } = walk(state, store, prefix, request);
  return paginate(request, list, rowKey);
}

/**
 * The same for the modules that keep their state in collections (bank, marker), which refuse key with offset in words of their own,
 * and for which an offset beyond the end is an empty page without a total (chain.md 6.1; how, was not recorded).
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
 * A page of the entries that are hits, `reverse` honoured: the total counts hits only. From a key on, the entry behind the last hit
 * ends the page whether it is a hit or not, so that a last page can be empty (recorded).
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
