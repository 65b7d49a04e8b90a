import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PageRequestSchema } from '../proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { createLoader, type Loader } from './loader.ts';
import type { ChainList, Read, ReadRequest } from './page.ts';

/** A read of one list: whose list it is, and which part of it. */
export interface ListKey<A> {
  readonly of: A;
  readonly page: ReadRequest;
}

/** A loader of the parts of lists. `keep` is told of each item that comes. */
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

/** One list of a loader, sorted by `keyOf`. `pageKey` as {@link ChainList} has it. */
export function chainList<A, T>(
  loader: Loader<ListKey<A>, Read<T>>,
  of: A,
  keyOf: (item: T) => Uint8Array,
  pageKey?: (key: Uint8Array) => Uint8Array,
): ChainList<T> {
  return { read: (page) => loader.load({ of, page }), keyOf, ...(pageKey && { pageKey }) };
}

/** A list with the name, of itself and its arguments, that its cursors belong to. */
export interface NamedList<T> {
  readonly name: string;
  readonly list: ChainList<T>;
}

/** The chain's PageRequest. */
export function toPagination({ key, offset, limit, countTotal }: ReadRequest): MessageInitShape<typeof PageRequestSchema> {
  return {
    limit: BigInt(limit),
    ...(key && { key }),
    ...(offset && { offset }),
    ...(countTotal && { countTotal }),
  };
}

/** A read of a list, by what the chain says of its page. */
export function readOf<T>(
  items: readonly T[],
  page: { readonly nextKey: Uint8Array; readonly total: bigint } | undefined,
  asked: ReadRequest,
): Read<T> {
  return { items, more: (page?.nextKey.length ?? 0) > 0, total: asked.countTotal === true ? (page?.total ?? 0n) : undefined };
}

/**
 * A read of a list that the chain filters while it walks, so that it may say more follows where nothing does: one item more than wanted is read,
 * which tells.
 */
export async function readExactly<T>(page: ReadRequest, read: (page: ReadRequest) => Promise<Read<T>>): Promise<Read<T>> {
  const { items, total } = await read({ ...page, limit: page.limit + 1 });
  return { items: items.slice(0, page.limit), more: items.length > page.limit, total };
}
