import { Query } from '../../proto/provenance/metadata/v1/query_pb.js';
import type * as wire from '../../proto/provenance/metadata/v1/scope_pb.js';
import {
  PartyTypeSchema,
  type PartyType as WirePartyType,
  type ScopeSpecification as WireSpecification,
} from '../../proto/provenance/metadata/v1/specification_pb.js';
import { unrecognized } from '../../reads/input.ts';
import { chainList, listOnce, type NamedList, stateList } from '../../reads/page.ts';
import { lazyLoaders, type Pin, type ReadOnce } from '../../reads/pin.ts';
import { stateRead, stateReadOrNull, valueOnce } from '../../reads/query.ts';
import { addressOrNull, metadataAddress, uuidOf } from './address.ts';

/** Names of `provenance.metadata.v1.PartyType`. Their numbers are not contiguous. */
export const partyTypes = [
  'PARTY_TYPE_UNSPECIFIED',
  'PARTY_TYPE_ORIGINATOR',
  'PARTY_TYPE_SERVICER',
  'PARTY_TYPE_INVESTOR',
  'PARTY_TYPE_CUSTODIAN',
  'PARTY_TYPE_OWNER',
  'PARTY_TYPE_AFFILIATE',
  'PARTY_TYPE_OMNIBUS',
  'PARTY_TYPE_PROVENANCE',
  'PARTY_TYPE_CONTROLLER',
  'PARTY_TYPE_VALIDATOR',
  'PARTY_TYPE_GENERIC_1',
  'PARTY_TYPE_GENERIC_2',
  'PARTY_TYPE_GENERIC_3',
  'PARTY_TYPE_GENERIC_4',
  'PARTY_TYPE_GENERIC_5',
  'PARTY_TYPE_GENERIC_6',
] as const;

/** Role of a party in a scope, session or specification. */
export type PartyType = (typeof partyTypes)[number] | typeof unrecognized;

/** An account with a role in a scope. */
export interface Party {
  readonly address: string;
  readonly role: PartyType;
  readonly optional: boolean;
}

/** The role that a number on the wire names. */
export function partyTypeOf(number: WirePartyType): PartyType {
  const name = PartyTypeSchema.value[number]?.name;
  return partyTypes.find((each) => each === name) ?? unrecognized;
}

/** Converts a party from protobuf. */
export function partyFromWire({ address, role, optional }: wire.Party): Party {
  return { address, role: partyTypeOf(role), optional };
}

/** Converts a scope from protobuf. */
function scopeFromWire(scope: wire.Scope) {
  return {
    id: metadataAddress('scope', scope.scopeId),
    uuid: uuidOf(scope.scopeId),
    specificationId: addressOrNull('scopespec', scope.specificationId),
    owners: scope.owners.map(partyFromWire),
    dataAccess: scope.dataAccess,
    valueOwner: scope.valueOwnerAddress || null,
    requirePartyRollup: scope.requirePartyRollup,
  };
}

/** A scope as the chain stores it. Ids are bech32 addresses. */
export type Scope = Readonly<ReturnType<typeof scopeFromWire>>;

/** Converts a scope specification from protobuf. */
function specificationFromWire(specification: WireSpecification) {
  const { description } = specification;
  return {
    id: metadataAddress('scopespec', specification.specificationId),
    uuid: uuidOf(specification.specificationId),
    name: description?.name ?? '',
    description: description?.description ?? '',
    websiteUrl: description?.websiteUrl ?? '',
    iconUrl: description?.iconUrl ?? '',
    owners: specification.ownerAddresses,
    partiesInvolved: specification.partiesInvolved.map(partyTypeOf),
    contractSpecIds: specification.contractSpecIds.map((id) => metadataAddress('contractspec', id)),
  };
}

/** A scope specification: the definition of a type of scopes. */
export type ScopeSpecification = Readonly<ReturnType<typeof specificationFromWire>>;

/** The queries of `provenance.metadata.v1.Query` that Stele uses, each at the height of the state. Ids are bech32 addresses. */

/** A scope; null if it does not exist, which the chain reports as a response without a scope. */
const readScope = stateRead({
  method: Query.method.scope,
  request: (scopeId: string) => ({ scopeId, excludeIdInfo: true }),
  value: (answer): Scope | null => (answer.scope?.scope ? scopeFromWire(answer.scope.scope) : null),
});

/** All scopes, by the bytes of their UUID. */
const readScopesAll = stateList({
  method: Query.method.scopesAll,
  request: (_: '', pagination) => ({ excludeIdInfo: true, pagination }),
  part: ({ scopes, pagination }) => [scopes.flatMap(({ scope }) => (scope ? [scopeFromWire(scope)] : [])), pagination],
});

/** The UUIDs of the scopes that list an account as owner or in their data access. */
const readOwnership = stateList({
  method: Query.method.ownership,
  request: (address: string, pagination) => ({ address, pagination }),
  part: ({ scopeUuids, pagination }) => [scopeUuids.map((uuid) => ({ uuid })), pagination],
});

/** The UUIDs of the scopes of which an account is the value owner. A recorded response has no pagination on the last page. */
const readValueOwnership = stateList({
  method: Query.method.valueOwnership,
  request: (address: string, pagination) => ({ address, pagination }),
  part: ({ scopeUuids, pagination }, _address, { offset = 0n }) => {
    const last = { nextKey: new Uint8Array(), total: offset + BigInt(scopeUuids.length) };
    return [scopeUuids.map((uuid) => ({ uuid })), pagination ?? last];
  },
});

/**
 * Reads a scope specification; null if it does not exist. No recording shows the chain's response for an absent one; both a
 * response without a specification and code 6 count as absence.
 */
const readScopeSpecification = stateReadOrNull({
  method: Query.method.scopeSpecification,
  request: (specificationId: string) => ({ specificationId, excludeIdInfo: true }),
  value: (answer): ScopeSpecification | null => {
    const specification = answer.scopeSpecification?.specification;
    return specification ? specificationFromWire(specification) : null;
  },
  absences: ['scope specification not found'],
});

/** The loaders of one pin, by address. A scope that the list `scopes` returned is not read again by `scope`. */
export const createMetadataLoaders = lazyLoaders({
  scope: valueOnce(readScope),
  scopes: listOnce(readScopesAll, ({ scope }: { readonly scope: ReadOnce<string, Scope | null> }, items) =>
    scope.prime(items, ({ id }) => id),
  ),
  owned: listOnce(readOwnership),
  valueOwned: listOnce(readValueOwnership),
  specification: valueOnce(readScopeSpecification),
});

/** Sort key of scopes, seen in a recorded page key: the bytes of the UUID. */
const uuidKey = ({ uuid }: { readonly uuid: string }): Uint8Array => Buffer.from(uuid.replaceAll('-', ''), 'hex');

/** All scopes, by UUID. */
export function scopeList(pin: Pin): NamedList<Scope> {
  return chainList('scopes', pin.loaders(createMetadataLoaders).scopes, '', uuidKey, (key) => key);
}

/** The scopes that list an account as owner or in their data access. Paged by offset: no page key of this list was recorded. */
export function ownedList(pin: Pin, address: string): NamedList<{ readonly uuid: string }> {
  return chainList('ownedScopes', pin.loaders(createMetadataLoaders).owned, address, uuidKey);
}

/** The scopes of which an account is the value owner. Paged by offset, too. */
export function valueOwnedList(pin: Pin, address: string): NamedList<{ readonly uuid: string }> {
  return chainList('valueOwnedScopes', pin.loaders(createMetadataLoaders).valueOwned, address, uuidKey);
}
