import type { ChainModule } from '../module.ts';
import { createFeegrantLoaders, type FeegrantLoaders } from './loaders.ts';
import { addFeeGrants } from './schema.ts';

/** The feegrant module. */
export const feegrant: ChainModule<FeegrantLoaders> = { schema: addFeeGrants, loaders: createFeegrantLoaders };
