import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import { createListLoader, type ListKey, type Read } from '../../reads/page.ts';
import type { Coin } from '../bank/model.ts';
import type { Marker } from './model.ts';
import * as query from './query.ts';

/** Loaders of the marker module for one pin, by denom. A marker that a list returned is not read again by `marker`. */
export interface MarkerLoaders {
  readonly marker: Loader<string, Marker | null>;
  readonly markers: Loader<ListKey<''>, Read<Marker>>;
  readonly escrow: Loader<string, readonly Coin[] | null>;
}

/** Creates the loaders of one pin. */
export function createMarkerLoaders({ state }: Source): MarkerLoaders {
  const marker = createLoader((denom: string) => query.marker(state, denom));
  return {
    marker,
    markers: createListLoader(
      (_: '', page) => query.allMarkers(state, page),
      (items) => marker.prime(items, ({ denom }) => denom),
    ),
    escrow: createLoader((denom: string) => query.escrow(state, denom)),
  };
}
