import type { StateAt } from '../../chain/state/state.ts';
import { Query } from '../../proto/provenance/metadata/v1/query_pb.js';
import { readOf, toPagination } from '../../reads/chainList.ts';
import type { Read, ReadRequest } from '../../reads/page.ts';
import { queryState, queryStateOrNull } from '../../reads/query.ts';
import { type Scope, type ScopeSpecification, scopeFromWire, specificationFromWire } from './model.ts';

/** The queries of `provenance.metadata.v1.Query` that Stele uses, each at the height of the state. Ids are bech32 addresses. */

/** Reads a scope; null if it does not exist, which the chain reports as a response without a scope. */
export async function scope(state: StateAt, id: string): Promise<Scope | null> {
  const answer = await queryState(state, Query.method.scope, { scopeId: id, excludeIdInfo: true });
  return answer.scope?.scope ? scopeFromWire(answer.scope.scope) : null;
}

/** Reads all scopes, by the bytes of their UUID. */
export async function scopesAll(state: StateAt, page: ReadRequest): Promise<Read<Scope>> {
  const answer = await queryState(state, Query.method.scopesAll, { excludeIdInfo: true, pagination: toPagination(page) });
  return readOf(
    answer.scopes.flatMap((wrapper) => (wrapper.scope ? [scopeFromWire(wrapper.scope)] : [])),
    answer.pagination,
    page,
  );
}

/** Reads the UUIDs of the scopes that list an account as owner or in their data access. */
export async function ownership(state: StateAt, address: string, page: ReadRequest): Promise<Read<{ readonly uuid: string }>> {
  const answer = await queryState(state, Query.method.ownership, { address, pagination: toPagination(page) });
  return readOf(
    answer.scopeUuids.map((uuid) => ({ uuid })),
    answer.pagination,
    page,
  );
}

/**
 * Reads the UUIDs of the scopes of which an account is the value owner. A recorded response has no pagination on the last page.
 */
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

/**
 * Reads a scope specification; null if it does not exist. No recording shows the chain's response for an absent one; both a
 * response without a specification and code 6 count as absence.
 */
export async function scopeSpecification(state: StateAt, id: string): Promise<ScopeSpecification | null> {
  const request = { specificationId: id, excludeIdInfo: true };
  const answer = await queryStateOrNull(state, Query.method.scopeSpecification, request, ['scope specification not found']);
  const specification = answer?.scopeSpecification?.specification;
  return specification ? specificationFromWire(specification) : null;
}
