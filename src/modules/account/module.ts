import type { ChainModule } from '../module.ts';
import { type AccountLoaders, createAccountLoaders } from './loaders.ts';
import { addAccount } from './schema.ts';

/** Accounts: the auth module. */
export const account: ChainModule<AccountLoaders> = { schema: addAccount, loaders: createAccountLoaders };
