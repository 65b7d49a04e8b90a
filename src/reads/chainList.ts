import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PageRequestSchema } from '../proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { createLoader, type Loader } from './loader.ts';
import type { ChainList, Read, ReadRequest } from './page.ts';

/** The part of a list that one read requests. `of` is the object that the list belongs to. */
export interface ListKey<A> {
  readonly of: A;
  readonly page: ReadRequest;
}

/** Makes a loader of parts of lists. `keep` is called with each item that is read. */
export function createListLoader<A extends string | bigint, T>(
  read: (of: A, page: ReadRequest) => Promise<Read<T>>,
  keep?: (item: T) => void,
): Loader<ListKey<A>, Read<T>> {
  return createLoader(
    async ({ of, page }: ListKey<A>) => {
      const answer = await read(of, page);
      if (keep !== undefined) answer.items.forEach(keep);
      return answer;
    },
    ({ of, page }) =>
      `${of}/${Buffer.from(page.key ?? []).toString('hex')}/${page.offset ?? 0n}/${page.limit}/${page.countTotal === true}`,
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
 * Reads a list that the chain filters as it walks it. Such a list can have a next key although no item follows, so this reads
 * one item more than requested to find out whether more follow.
 */
export async function readExactly<T>(page: ReadRequest, read: (page: ReadRequest) => Promise<Read<T>>): Promise<Read<T>> {
  const { items, total } = await read({ ...page, limit: page.limit + 1 });
  return { items: items.slice(0, page.limit), more: items.length > page.limit, total };
}
