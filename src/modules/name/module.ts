import type { ChainModule } from '../module.ts';
import { createNameLoaders, type NameLoaders } from './loaders.ts';
import { addNames } from './schema.ts';

/** The name module. */
export const name: ChainModule<NameLoaders> = { schema: addNames, loaders: createNameLoaders };
