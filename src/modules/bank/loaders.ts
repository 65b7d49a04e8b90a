import { createLoader, type Loader, type Source } from '../loader.ts';
import type { Coin } from './model.ts';
import * as query from './query.ts';

/** The loaders of the bank module, for one pin. */
export interface BankLoaders {
  readonly balance: Loader<{ readonly address: string; readonly denom: string }, Coin>;
}

/** Makes the loaders of one pin. */
export function createBankLoaders({ state }: Source): BankLoaders {
  return {
    balance: createLoader(
      ({ address, denom }: { readonly address: string; readonly denom: string }) => query.balance(state, address, denom),
      ({ address, denom }) => `${address}/${denom}`,
    ),
  };
}
