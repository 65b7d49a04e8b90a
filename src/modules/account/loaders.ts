import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import type { StoredAccount } from './model.ts';
import * as query from './query.ts';

/** The loaders of the account module for one pin. */
export interface AccountLoaders {
  readonly account: Loader<string, StoredAccount | null>;
  /** The bech32 prefix of account addresses. */
  readonly prefix: Loader<'', string>;
}

/** Makes the loaders of one pin. */
export function createAccountLoaders({ state }: Source): AccountLoaders {
  return {
    account: createLoader((address: string) => query.account(state, address)),
    prefix: createLoader((_: '') => query.bech32Prefix(state)),
  };
}
