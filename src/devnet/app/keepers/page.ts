import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PageRequest, PageResponseSchema } from '../../../proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { PlainError } from '../abciErrors.ts';
import { bytesOf, keyOf } from '../bytes.ts';
import type { StoreEntry } from '../store.ts';

/** The node's text when `key` and `offset` are both given. */
export const keyAndOffset = 'invalid request, either offset or key is expected, got both';

/** One page of entries, and the page response that goes with it. */
export interface Page {
  readonly entries: readonly StoreEntry[];
  readonly pagination: MessageInitShape<typeof PageResponseSchema>;
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
  const key = request === undefined ? '' : keyOf(request.key);
  const offset = request?.offset ?? 0n;
  if (key !== '' && offset > 0n) throw new PlainError(keyAndOffset);
  const asked = request?.limit ?? 0n;
  const limit = asked === 0n ? 100n : asked;
  const counting = key === '' && (asked === 0n || (request?.countTotal ?? false));

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
