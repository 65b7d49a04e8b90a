import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PageRequestSchema } from '../proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { type Awaitable, andThen } from './awaitable.ts';
import { createLoader, type Loader } from './loader.ts';
import type { ChainList, Read, ReadRequest } from './page.ts';

/** The part of a list that one read requests. `of` is the object that the list belongs to. */
export interface ListKey<A> {
  readonly of: A;
  readonly page: ReadRequest;
}

/** Makes a loader of parts of lists. `keep` is called with the items of each part that is read. */
export function createListLoader<A extends string | bigint, T>(
  read: (of: A, page: ReadRequest) => Awaitable<Read<T>>,
  keep?: (items: readonly T[]) => void,
): Loader<ListKey<A>, Read<T>> {
  return createLoader(
    ({ of, page }: ListKey<A>) => {
      const answer = read(of, page);
      if (keep === undefined) return answer;
      return andThen(answer, (part) => {
        keep(part.items);
        return part;
      });
    },
    ({ of, page: { key, offset, limit, countTotal } }) =>
      `${of}/${key === undefined ? '' : Buffer.from(key).toString('hex')}/${offset ?? 0n}/${limit}/${countTotal === true}`,
  );
}

/** The list of one object, read through a loader and sorted by `keyOf`. For `pageKey` see {@link ChainList}. */
export function chainList<A, T>(
  loader: Loader<ListKey<A>, Read<T>>,
  of: A,
  keyOf: (item: T) => Uint8Array,
  pageKey?: (key: Uint8Array) => Uint8Array,
): ChainList<T> {
  return { read: (page) => loader.load({ of, page }), keyOf, ...(pageKey && { pageKey }) };
}

/** A list and its name. The name includes the arguments of the list; a cursor is valid only for the list that it names. */
export interface NamedList<T> {
  readonly name: string;
  readonly list: ChainList<T>;
}

/** The protobuf `PageRequest` of a read. */
export function toPagination({ key, offset, limit, countTotal }: ReadRequest): MessageInitShape<typeof PageRequestSchema> {
  return {
    limit: BigInt(limit),
    ...(key && { key }),
    ...(offset && { offset }),
    ...(countTotal && { countTotal }),
  };
}

/** The result of a read: `page` is the `PageResponse` of the chain, `request` the request of the read. */
export function readOf<T>(
  items: readonly T[],
  page: { readonly nextKey: Uint8Array; readonly total: bigint } | undefined,
  request: ReadRequest,
): Read<T> {
  return { items, more: (page?.nextKey.length ?? 0) > 0, total: request.countTotal === true ? (page?.total ?? 0n) : undefined };
}

/**
 * The page request of a list that the chain filters as it walks it. Such a list can have a next key although no item follows, so
 * it is read with one item more than requested, to find out whether more follow.
 */
export function exactPagination(page: ReadRequest): MessageInitShape<typeof PageRequestSchema> {
  return toPagination({ ...page, limit: page.limit + 1 });
}

/** The result of a read with {@link exactPagination}. */
export function exactReadOf<T>(
  items: readonly T[],
  pagination: { readonly nextKey: Uint8Array; readonly total: bigint } | undefined,
  page: ReadRequest,
): Read<T> {
  const { total } = readOf(items, pagination, page);
  return { items: items.slice(0, page.limit), more: items.length > page.limit, total };
}
