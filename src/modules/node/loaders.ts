import type { Block } from '../../chain/block.ts';
import { createLoader, type Loader, type Source } from '../loader.ts';

/** The loaders of the node module, for one pin. */
export interface NodeLoaders {
  /** A block by a height that is known to be there. */
  readonly block: Loader<bigint, Block>;
}

/** Makes the loaders of one pin. */
export function createNodeLoaders({ client, signal }: Source): NodeLoaders {
  return { block: createLoader((height: bigint) => client.block(height, signal)) };
}
