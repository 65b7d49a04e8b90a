import type { StateAt } from '../../chain/state/state.ts';
import { Query } from '../../proto/provenance/name/v1/query_pb.js';
import { readOf, toPagination } from '../../reads/chainList.ts';
import type { Read, ReadRequest } from '../../reads/page.ts';
import { queryState, queryStateOrNull } from '../../reads/query.ts';

/** The address that a name is bound to. `restricted`: only the owner of the name can bind names under it. */
export interface Binding {
  readonly address: string;
  readonly restricted: boolean;
}

/** Reads the address that a name is bound to; null if the name is not bound. */
export async function resolve(state: StateAt, name: string): Promise<Binding | null> {
  const answer = await queryStateOrNull(state, Query.method.resolve, { name }, ['no address bound to name']);
  return answer && { address: answer.address, restricted: answer.restricted };
}

/** Reads the names that are bound to an address. */
export async function reverseLookup(
  state: StateAt,
  address: string,
  page: ReadRequest,
): Promise<Read<{ readonly name: string }>> {
  const answer = await queryState(state, Query.method.reverseLookup, { address, pagination: toPagination(page) });
  return readOf(
    answer.name.map((name) => ({ name })),
    answer.pagination,
    page,
  );
}
