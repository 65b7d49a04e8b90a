import type { StateAt } from '../../chain/state/state.ts';
import { malformed } from '../../chain/wire/decode.ts';
import { Query } from '../../proto/provenance/marker/v1/query_pb.js';
import { readOf, toPagination } from '../../reads/chainList.ts';
import type { Read, ReadRequest } from '../../reads/page.ts';
import { queryState, queryStateOrNull } from '../../reads/query.ts';
import { type Coin, coinFromWire } from '../bank/model.ts';
import type { NetAssetValue } from '../netAssetValue/model.ts';
import { type Marker, markerFromWire } from './model.ts';

/** How the chain says that there is no such marker (code 6). */
const absences = ['invalid denom or address: marker not found'];

/** A marker by its denom; null when the denom has none. */
export async function marker(state: StateAt, denom: string): Promise<Marker | null> {
  const answer = await queryStateOrNull(state, Query.method.marker, { id: denom }, absences);
  return answer?.marker ? markerFromWire(answer.marker) : null;
}

/** All markers, by address. */
export async function allMarkers(state: StateAt, page: ReadRequest): Promise<Read<Marker>> {
  const answer = await queryState(state, Query.method.allMarkers, { pagination: toPagination(page) });
  return readOf(answer.markers.map(markerFromWire), answer.pagination, page);
}

/** What a marker's account holds, of any denom; null when there is no such marker. */
export async function escrow(state: StateAt, denom: string): Promise<readonly Coin[] | null> {
  const answer = await queryStateOrNull(state, Query.method.escrow, { id: denom }, absences);
  return answer?.escrow.map(coinFromWire) ?? null;
}

/** The last net asset value of a marker in each price denom; null when there is no such marker. */
export async function netAssetValues(state: StateAt, denom: string): Promise<readonly NetAssetValue[] | null> {
  const answer = await queryStateOrNull(state, Query.method.netAssetValues, { id: denom }, absences);
  if (answer === null) return null;
  return answer.netAssetValues.map(({ price, volume, updatedBlockHeight }) => {
    if (price === undefined) throw malformed('a net asset value without a price');
    return { of: denom, price: coinFromWire(price), volume, updatedBlockHeight, source: null, transactionHash: null };
  });
}
