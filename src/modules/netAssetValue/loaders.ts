import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import type { NetAssetValue } from './model.ts';
import * as query from './query.ts';

/** Loaders of net asset values for one pin: those of markers by denom, those of scopes by id. */
export interface NetAssetValueLoaders {
  readonly ofMarker: Loader<string, readonly NetAssetValue[] | null>;
  readonly ofScope: Loader<string, readonly NetAssetValue[]>;
}

/** Creates the loaders of one pin. */
export function createNetAssetValueLoaders({ state }: Source): NetAssetValueLoaders {
  return {
    ofMarker: createLoader((denom: string) => query.markerNetAssetValues(state, denom)),
    ofScope: createLoader((id: string) => query.scopeNetAssetValues(state, id)),
  };
}
