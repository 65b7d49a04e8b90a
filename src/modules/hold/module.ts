import type { ChainModule } from '../module.ts';
import { createHoldLoaders, type HoldLoaders } from './loaders.ts';
import { addHolds } from './schema.ts';

/** The hold module. */
export const hold: ChainModule<HoldLoaders> = { schema: addHolds, loaders: createHoldLoaders };
