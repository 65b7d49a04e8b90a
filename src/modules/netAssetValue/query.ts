import { malformed } from '../../chain/wire/json.ts';
import type { NetAssetValue as MarkerValue } from '../../proto/provenance/marker/v1/marker_pb.js';
import { Query as MarkerQuery } from '../../proto/provenance/marker/v1/query_pb.js';
import { Query as MetadataQuery } from '../../proto/provenance/metadata/v1/query_pb.js';
import type { NetAssetValue as ScopeValue } from '../../proto/provenance/metadata/v1/scope_pb.js';
import { stateRead, stateReadOrNull } from '../../reads/query.ts';
import { coinFromWire } from '../bank/model.ts';
import { denomOfScope } from '../metadata/address.ts';
import type { NetAssetValue } from './model.ts';

function valueFromWire(of: string, { price, volume, updatedBlockHeight }: MarkerValue | ScopeValue): NetAssetValue {
  if (price === undefined) throw malformed('a net asset value without a price');
  return { of, price: coinFromWire(price), volume, updatedBlockHeight, source: null, transactionHash: null };
}

/** Reads the latest net asset value of a marker in each price denom. Returns null if the denom has no marker. */
export const markerNetAssetValues = stateReadOrNull({
  method: MarkerQuery.method.netAssetValues,
  request: (denom: string) => ({ id: denom }),
  value: ({ netAssetValues }, denom): readonly NetAssetValue[] | null =>
    netAssetValues.map((value) => valueFromWire(denom, value)),
  absences: ['invalid denom or address: marker not found'],
});

/**
 * Reads the latest net asset value of a scope in each price denom. Returns an empty list if the scope has none or does not
 * exist.
 */
export const scopeNetAssetValues = stateRead({
  method: MetadataQuery.method.scopeNetAssetValues,
  request: (id: string) => ({ id }),
  value: ({ netAssetValues }, id): readonly NetAssetValue[] =>
    netAssetValues.map((value) => valueFromWire(denomOfScope(id), value)),
});
