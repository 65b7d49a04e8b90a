import { type Any, anyUnpack } from '@bufbuild/protobuf/wkt';
import { malformed } from '../../chain/wire/json.ts';
import type { Access as WireAccess } from '../../proto/provenance/marker/v1/accessgrant_pb.js';
import { MarkerAccountSchema } from '../../proto/provenance/marker/v1/marker_pb.js';
import { Query } from '../../proto/provenance/marker/v1/query_pb.js';
import { sizedAddressKey, unrecognized } from '../../reads/input.ts';
import { chainList, listOnce, type NamedList, stateList } from '../../reads/page.ts';
import { lazyLoaders, type Pin, type ReadOnce } from '../../reads/pin.ts';
import { stateReadOrNull, valueOnce } from '../../reads/query.ts';
import { type Coin, coinFromWire } from '../bank/query.ts';

/** Names of `provenance.marker.v1.MarkerType` by number. */
export const markerTypes = ['MARKER_TYPE_UNSPECIFIED', 'MARKER_TYPE_COIN', 'MARKER_TYPE_RESTRICTED'] as const;

/** Names of `provenance.marker.v1.MarkerStatus` by number. */
export const markerStatuses = [
  'MARKER_STATUS_UNSPECIFIED',
  'MARKER_STATUS_PROPOSED',
  'MARKER_STATUS_FINALIZED',
  'MARKER_STATUS_ACTIVE',
  'MARKER_STATUS_CANCELLED',
  'MARKER_STATUS_DESTROYED',
] as const;

/** Names of `provenance.marker.v1.Access` by number. */
export const accesses = [
  'ACCESS_UNSPECIFIED',
  'ACCESS_MINT',
  'ACCESS_BURN',
  'ACCESS_DEPOSIT',
  'ACCESS_WITHDRAW',
  'ACCESS_DELETE',
  'ACCESS_ADMIN',
  'ACCESS_TRANSFER',
  'ACCESS_FORCE_TRANSFER',
] as const;

/** A permission on a marker. */
type Access = (typeof accesses)[number] | typeof unrecognized;

/** The permissions of an account on a marker. */
export interface AccessGrant {
  readonly address: string;
  readonly permissions: readonly Access[];
}

/** A marker as the chain stores it. */
export interface Marker {
  readonly denom: string;
  /** Address of the marker's account, which holds its escrow. */
  readonly address: string;
  readonly markerType: (typeof markerTypes)[number] | typeof unrecognized;
  readonly status: (typeof markerStatuses)[number] | typeof unrecognized;
  /** null if the marker has no manager. */
  readonly manager: string | null;
  /** Configured supply, in base units. */
  readonly supply: string;
  readonly supplyFixed: boolean;
  readonly allowGovernanceControl: boolean;
  readonly allowForcedTransfer: boolean;
  readonly requiredAttributes: readonly string[];
  /** Always false on chains before Provenance v1.30, whose module lacks the setting. */
  readonly requireDepositAccess: boolean;
  readonly accessControl: readonly AccessGrant[];
}

const accessName = (access: WireAccess): Access => accesses[access] ?? unrecognized;

/** Converts a marker from protobuf. Throws NODE_INVALID_RESPONSE for another type. */
function markerFromWire(any: Any): Marker {
  const marker = anyUnpack(any, MarkerAccountSchema);
  if (marker === undefined) throw malformed(`a marker of type ${any.typeUrl}`);
  return {
    denom: marker.denom,
    address: marker.baseAccount?.address ?? '',
    markerType: markerTypes[marker.markerType] ?? unrecognized,
    status: markerStatuses[marker.status] ?? unrecognized,
    manager: marker.manager || null,
    supply: marker.supply || '0',
    supplyFixed: marker.supplyFixed,
    allowGovernanceControl: marker.allowGovernanceControl,
    allowForcedTransfer: marker.allowForcedTransfer,
    requiredAttributes: marker.requiredAttributes,
    requireDepositAccess: marker.requireDepositAccess,
    accessControl: marker.accessControl.map(({ address, permissions }) => ({
      address,
      permissions: permissions.map(accessName),
    })),
  };
}

/** Refusals of the marker module's queries that mean that the denom has no marker (code 6). */
const absences = ['invalid denom or address: marker not found'];

/** The marker of a denom; null if the denom has none. */
const readMarker = stateReadOrNull({
  method: Query.method.marker,
  request: (denom: string) => ({ id: denom }),
  value: (answer): Marker | null => (answer.marker ? markerFromWire(answer.marker) : null),
  absences,
});

/** All markers, by address. */
const readAllMarkers = stateList({
  method: Query.method.allMarkers,
  request: (_: '', pagination) => ({ pagination }),
  part: ({ markers, pagination }) => [markers.map(markerFromWire), pagination],
});

/** The balances of a marker's account in all denoms; null if the denom has no marker. */
const readEscrow = stateReadOrNull({
  method: Query.method.escrow,
  request: (denom: string) => ({ id: denom }),
  value: (answer): readonly Coin[] | null => answer.escrow.map(coinFromWire),
  absences,
});

/** The loaders of one pin, by denom. A marker that a list returned is not read again by `marker`. */
export const createMarkerLoaders = lazyLoaders({
  marker: valueOnce(readMarker),
  markers: listOnce(readAllMarkers, ({ marker }: { readonly marker: ReadOnce<string, Marker | null> }, items) =>
    marker.prime(items, ({ denom }) => denom),
  ),
  escrow: valueOnce(readEscrow),
});

/** All markers, by the length of the address and then the address, as recorded page keys show. Paged by offset. */
export function markerList(pin: Pin): NamedList<Marker> {
  return chainList('markers', pin.loaders(createMarkerLoaders).markers, '', ({ address }) => sizedAddressKey(address));
}
