import type { ChainModule } from '../module.ts';
import { type AttributeLoaders, createAttributeLoaders } from './loaders.ts';
import { addAttributes } from './schema.ts';

/** The attribute module. */
export const attribute: ChainModule<AttributeLoaders> = { schema: addAttributes, loaders: createAttributeLoaders };
