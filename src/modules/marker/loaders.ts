import { createListLoader, type ListKey } from '../../reads/chainList.ts';
import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import type { Read } from '../../reads/page.ts';
import type { Coin } from '../bank/model.ts';
import type { Marker } from './model.ts';
import * as query from './query.ts';

/** The loaders of the marker module, for one pin, by denom. What a list brings is not read again one by one. */
export interface MarkerLoaders {
  readonly marker: Loader<string, Marker | null>;
  readonly markers: Loader<ListKey<''>, Read<Marker>>;
  readonly escrow: Loader<string, readonly Coin[] | null>;
}

/** Makes the loaders of one pin. */
export function createMarkerLoaders({ state }: Source): MarkerLoaders {
  const marker = createLoader((denom: string) => query.marker(state, denom));
  return {
    marker,
    markers: createListLoader(
      (_: '', page) => query.allMarkers(state, page),
      (item) => marker.prime(item.denom, item),
    ),
    escrow: createLoader((denom: string) => query.escrow(state, denom)),
  };
}
