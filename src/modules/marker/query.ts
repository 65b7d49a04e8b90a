import { Query } from '../../proto/provenance/marker/v1/query_pb.js';
import { type Read, type ReadRequest, readOf, toPagination } from '../../reads/page.ts';
import { stateRead, stateReadOrNull } from '../../reads/query.ts';
import { type Coin, coinFromWire } from '../bank/model.ts';
import { type Marker, markerFromWire } from './model.ts';

/** Refusals of the marker module's queries that mean that the denom has no marker (code 6). */
const absences = ['invalid denom or address: marker not found'];

/** Reads the marker of a denom; null if the denom has none. */
export const marker = stateReadOrNull({
  method: Query.method.marker,
  request: (denom: string) => ({ id: denom }),
  value: (answer): Marker | null => (answer.marker ? markerFromWire(answer.marker) : null),
  absences,
});

/** Reads all markers, by address. */
export const allMarkers = stateRead({
  method: Query.method.allMarkers,
  request: (page: ReadRequest) => ({ pagination: toPagination(page) }),
  value: ({ markers, pagination }, page): Read<Marker> => readOf(markers.map(markerFromWire), pagination, page),
});

/** Reads the balances of a marker's account in all denoms; null if the denom has no marker. */
export const escrow = stateReadOrNull({
  method: Query.method.escrow,
  request: (denom: string) => ({ id: denom }),
  value: (answer): readonly Coin[] | null => answer.escrow.map(coinFromWire),
  absences,
});
