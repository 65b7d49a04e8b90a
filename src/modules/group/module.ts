import type { ChainModule } from '../module.ts';
import { createGroupLoaders, type GroupLoaders } from './loaders.ts';
import { addGroup } from './schema.ts';

/** The group module. */
export const group: ChainModule<GroupLoaders> = { schema: addGroup, loaders: createGroupLoaders };
