import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import type { Coin } from '../bank/model.ts';
import * as query from './query.ts';

/** Loaders of the flatfees module for one pin. */
export interface FlatfeesLoaders {
  readonly feeToken: Loader<'', string | null>;
  readonly msgFee: Loader<string, readonly Coin[]>;
}

/** Creates the loaders of one pin. */
export function createFlatfeesLoaders({ state }: Source): FlatfeesLoaders {
  return {
    feeToken: createLoader((_: '') => query.feeToken(state)),
    msgFee: createLoader((type: string) => query.msgFee(state, type)),
  };
}
