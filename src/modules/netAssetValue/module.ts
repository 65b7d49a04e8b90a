import { type ChainModule, withoutLoaders } from '../module.ts';
import { addNetAssetValues } from './schema.ts';

/** What denoms and scopes are worth: of two modules of the chain. */
export const netAssetValue: ChainModule = withoutLoaders(addNetAssetValues);
