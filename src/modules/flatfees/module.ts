import type { ChainModule } from '../module.ts';
import { createFlatfeesLoaders, type FlatfeesLoaders } from './loaders.ts';
import { addFlatFees } from './schema.ts';

/** The flatfees module. */
export const flatfees: ChainModule<FlatfeesLoaders> = { schema: addFlatFees, loaders: createFlatfeesLoaders };
