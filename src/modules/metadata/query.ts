import { Query } from '../../proto/provenance/metadata/v1/query_pb.js';
import { type Read, type ReadRequest, readOf, toPagination } from '../../reads/page.ts';
import { stateRead, stateReadOrNull } from '../../reads/query.ts';
import { type Scope, type ScopeSpecification, scopeFromWire, specificationFromWire } from './model.ts';

/** The queries of `provenance.metadata.v1.Query` that Stele uses, each at the height of the state. Ids are bech32 addresses. */

/** Reads a scope; null if it does not exist, which the chain reports as a response without a scope. */
export const scope = stateRead({
  method: Query.method.scope,
  request: (scopeId: string) => ({ scopeId, excludeIdInfo: true }),
  value: (answer): Scope | null => (answer.scope?.scope ? scopeFromWire(answer.scope.scope) : null),
});

/** Reads all scopes, by the bytes of their UUID. */
export const scopesAll = stateRead({
  method: Query.method.scopesAll,
  request: (page: ReadRequest) => ({ excludeIdInfo: true, pagination: toPagination(page) }),
  value: ({ scopes, pagination }, page): Read<Scope> =>
    readOf(
      scopes.flatMap((wrapper) => (wrapper.scope ? [scopeFromWire(wrapper.scope)] : [])),
      pagination,
      page,
    ),
});

/** Reads the UUIDs of the scopes that list an account as owner or in their data access. */
export const ownership = stateRead({
  method: Query.method.ownership,
  request: (address: string, page: ReadRequest) => ({ address, pagination: toPagination(page) }),
  value: ({ scopeUuids, pagination }, _address, page): Read<{ readonly uuid: string }> =>
    readOf(
      scopeUuids.map((uuid) => ({ uuid })),
      pagination,
      page,
    ),
});

/**
 * Reads the UUIDs of the scopes of which an account is the value owner. A recorded response has no pagination on the last page.
 */
export const valueOwnership = stateRead({
  method: Query.method.valueOwnership,
  request: (address: string, page: ReadRequest) => ({ address, pagination: toPagination(page) }),
  value: ({ scopeUuids, pagination }, _address, page): Read<{ readonly uuid: string }> => {
    const last = { nextKey: new Uint8Array(), total: (page.offset ?? 0n) + BigInt(scopeUuids.length) };
    return readOf(
      scopeUuids.map((uuid) => ({ uuid })),
      pagination ?? last,
      page,
    );
  },
});

/**
 * Reads a scope specification; null if it does not exist. No recording shows the chain's response for an absent one; both a
 * response without a specification and code 6 count as absence.
 */
export const scopeSpecification = stateReadOrNull({
  method: Query.method.scopeSpecification,
  request: (specificationId: string) => ({ specificationId, excludeIdInfo: true }),
  value: (answer): ScopeSpecification | null => {
    const specification = answer.scopeSpecification?.specification;
    return specification ? specificationFromWire(specification) : null;
  },
  absences: ['scope specification not found'],
});
