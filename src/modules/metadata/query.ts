import type { StateAt } from '../../chain/state/state.ts';
import { Query } from '../../proto/provenance/metadata/v1/query_pb.js';
import { readOf, toPagination } from '../../reads/chainList.ts';
import type { Read, ReadRequest } from '../../reads/page.ts';
import { queryState, queryStateOrNull } from '../../reads/query.ts';
import { type Scope, type ScopeSpecification, scopeFromWire, specificationFromWire } from './model.ts';

/** The queries of `provenance.metadata.v1.Query` that are used, each at the state's height. Ids are addresses in bech32. */

/** A scope; null when there is none: the chain then answers without one. */
export async function scope(state: StateAt, id: string): Promise<Scope | null> {
  const answer = await queryState(state, Query.method.scope, { scopeId: id, excludeIdInfo: true });
  return answer.scope?.scope ? scopeFromWire(answer.scope.scope) : null;
}

/** All scopes, by the bytes of their UUID. */
export async function scopesAll(state: StateAt, page: ReadRequest): Promise<Read<Scope>> {
  const answer = await queryState(state, Query.method.scopesAll, { excludeIdInfo: true, pagination: toPagination(page) });
  return readOf(
    answer.scopes.flatMap((wrapper) => (wrapper.scope ? [scopeFromWire(wrapper.scope)] : [])),
    answer.pagination,
    page,
  );
}

/** UUIDs of the scopes that list an account among owners or data access. */
export async function ownership(state: StateAt, address: string, page: ReadRequest): Promise<Read<{ readonly uuid: string }>> {
  const answer = await queryState(state, Query.method.ownership, { address, pagination: toPagination(page) });
  return readOf(
    answer.scopeUuids.map((uuid) => ({ uuid })),
    answer.pagination,
    page,
  );
}

/** UUIDs of the scopes that an account is value owner of. The chain was seen to leave the page out where it is the last. */
export async function valueOwnership(
  state: StateAt,
  address: string,
  page: ReadRequest,
): Promise<Read<{ readonly uuid: string }>> {
  const answer = await queryState(state, Query.method.valueOwnership, { address, pagination: toPagination(page) });
  const last = { nextKey: new Uint8Array(), total: (page.offset ?? 0n) + BigInt(answer.scopeUuids.length) };
  return readOf(
    answer.scopeUuids.map((uuid) => ({ uuid })),
    answer.pagination ?? last,
    page,
  );
}

/** A scope specification; null when there is none. How the chain says so is a guess: as it does of scopes, or by code 6. */
export async function scopeSpecification(state: StateAt, id: string): Promise<ScopeSpecification | null> {
  const request = { specificationId: id, excludeIdInfo: true };
  const answer = await queryStateOrNull(state, Query.method.scopeSpecification, request, ['scope specification not found']);
  const specification = answer?.scopeSpecification?.specification;
  return specification ? specificationFromWire(specification) : null;
}
