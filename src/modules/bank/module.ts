import type { ChainModule } from '../module.ts';
import { type BankLoaders, createBankLoaders } from './loaders.ts';
import { addBank } from './schema.ts';

/** The bank module. */
export const bank: ChainModule<BankLoaders> = { schema: addBank, loaders: createBankLoaders };
