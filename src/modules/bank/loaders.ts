import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import { createListLoader, type ListKey, type Read } from '../../reads/page.ts';
import type { Coin, DenomMetadata, Holding } from './model.ts';
import * as query from './query.ts';

/** Loaders of the bank module for one pin. */
export interface BankLoaders {
  readonly balance: Loader<{ readonly address: string; readonly denom: string }, Coin>;
  readonly balances: Loader<ListKey<string>, Read<Coin>>;
  readonly spendableBalances: Loader<ListKey<string>, Read<Coin>>;
  readonly supply: Loader<string, Coin>;
  readonly metadata: Loader<string, DenomMetadata | null>;
  readonly holders: Loader<ListKey<string>, Read<Holding>>;
}

/** Creates the loaders of one pin. */
export function createBankLoaders({ state }: Source): BankLoaders {
  return {
    balance: createLoader(
      ({ address, denom }: { readonly address: string; readonly denom: string }) => query.balance(state, address, denom),
      ({ address, denom }) => `${address}/${denom}`,
    ),
    balances: createListLoader((of: string, page) => query.allBalances(state, of, page)),
    spendableBalances: createListLoader((of: string, page) => query.spendableBalances(state, of, page)),
    supply: createLoader((denom: string) => query.supplyOf(state, denom)),
    metadata: createLoader((denom: string) => query.denomMetadata(state, denom)),
    holders: createListLoader((of: string, page) => query.denomOwners(state, of, page)),
  };
}
