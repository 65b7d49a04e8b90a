import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import type { Coin } from '../bank/model.ts';
import * as query from './query.ts';

/** Loaders of the hold module for one pin. */
export interface HoldLoaders {
  readonly holds: Loader<string, readonly Coin[]>;
}

/** Creates the loaders of one pin. */
export function createHoldLoaders({ state }: Source): HoldLoaders {
  return { holds: createLoader((address: string) => query.holds(state, address)) };
}
