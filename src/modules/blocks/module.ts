import type { ChainModule } from '../module.ts';
import { createNodeLoaders, type NodeLoaders } from './loaders.ts';
import { addNode } from './schema.ts';

/** The layer of the node: blocks, transactions, validators. */
export const node: ChainModule<NodeLoaders> = { schema: addNode, loaders: createNodeLoaders };
