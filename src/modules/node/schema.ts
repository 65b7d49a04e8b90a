import type { Builder } from '../../graphql/builder.ts';
import { addBlocks } from './blockSchema.ts';
import { addStatus } from './statusSchema.ts';

/** Adds the node module: blocks, and what a node says of itself. */
export function addNode(builder: Builder): void {
  addBlocks(builder);
  addStatus(builder);
}
