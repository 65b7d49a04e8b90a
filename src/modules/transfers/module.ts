import { type ChainModule, withoutLoaders } from '../module.ts';
import { addTransfers } from './schema.ts';

/** Movements of coins, as the events of transactions and blocks tell them. */
export const transfers: ChainModule = withoutLoaders(addTransfers);
