import type * as wire from '../../proto/provenance/metadata/v1/scope_pb.js';
import {
  PartyTypeSchema,
  type PartyType as WirePartyType,
  type ScopeSpecification as WireSpecification,
} from '../../proto/provenance/metadata/v1/specification_pb.js';
import { unrecognized } from '../../reads/input.ts';
import { metadataAddress, uuidOf } from './address.ts';

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

/** Role of a party in a scope or specification. */
export type PartyType = (typeof partyTypes)[number] | typeof unrecognized;

/** An account with a role in a scope. */
export interface Party {
  readonly address: string;
  readonly role: PartyType;
  readonly optional: boolean;
}

/** A scope as the chain stores it. Ids are bech32 addresses. */
export interface Scope {
  readonly id: string;
  readonly uuid: string;
  /** null if the scope has no specification. */
  readonly specificationId: string | null;
  readonly owners: readonly Party[];
  readonly dataAccess: readonly string[];
  /** Holder of the scope's coin; null if there is none. */
  readonly valueOwner: string | null;
  readonly requirePartyRollup: boolean;
}

/** A scope specification: the definition of a type of scopes. */
export interface ScopeSpecification {
  readonly id: string;
  readonly uuid: string;
  readonly name: string;
  readonly description: string;
  readonly websiteUrl: string;
  readonly iconUrl: string;
  readonly owners: readonly string[];
  readonly partiesInvolved: readonly PartyType[];
  readonly contractSpecIds: readonly string[];
}

function partyTypeOf(number: WirePartyType): PartyType {
  const name = PartyTypeSchema.value[number]?.name;
  return partyTypes.find((each) => each === name) ?? unrecognized;
}

/** Converts a scope from protobuf. */
export function scopeFromWire(scope: wire.Scope): Scope {
  return {
    id: metadataAddress('scope', scope.scopeId),
    uuid: uuidOf(scope.scopeId),
    specificationId: scope.specificationId.length === 0 ? null : metadataAddress('scopespec', scope.specificationId),
    owners: scope.owners.map(({ address, role, optional }) => ({ address, role: partyTypeOf(role), optional })),
    dataAccess: scope.dataAccess,
    valueOwner: scope.valueOwnerAddress || null,
    requirePartyRollup: scope.requirePartyRollup,
  };
}

/** Converts a scope specification from protobuf. */
export function specificationFromWire(specification: WireSpecification): ScopeSpecification {
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
