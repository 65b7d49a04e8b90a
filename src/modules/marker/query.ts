import type { StateAt } from '../../chain/state/state.ts';
import { Query } from '../../proto/provenance/marker/v1/query_pb.js';
import { readOf, toPagination } from '../../reads/chainList.ts';
import type { Read, ReadRequest } from '../../reads/page.ts';
import { queryState, queryStateOrNull } from '../../reads/query.ts';
import { type Coin, coinFromWire } from '../bank/model.ts';
import { type Marker, markerFromWire } from './model.ts';

/** Refusals of the marker module's queries that mean that the denom has no marker (code 6). */
const absences = ['invalid denom or address: marker not found'];

/** Reads the marker of a denom; null if the denom has none. */
export async function marker(state: StateAt, denom: string): Promise<Marker | null> {
  const answer = await queryStateOrNull(state, Query.method.marker, { id: denom }, absences);
  return answer?.marker ? markerFromWire(answer.marker) : null;
}

/** Reads all markers, by address. */
export async function allMarkers(state: StateAt, page: ReadRequest): Promise<Read<Marker>> {
  const answer = await queryState(state, Query.method.allMarkers, { pagination: toPagination(page) });
  return readOf(answer.markers.map(markerFromWire), answer.pagination, page);
}

/** Reads the balances of a marker's account in all denoms; null if the denom has no marker. */
export async function escrow(state: StateAt, denom: string): Promise<readonly Coin[] | null> {
  const answer = await queryStateOrNull(state, Query.method.escrow, { id: denom }, absences);
  return answer?.escrow.map(coinFromWire) ?? null;
}
