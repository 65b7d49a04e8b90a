import { type BankLoaders, createBankLoaders } from './bank/loaders.ts';
import { createGroupLoaders, type GroupLoaders } from './group/loaders.ts';
import type { Source } from './loader.ts';
import { createNodeLoaders, type NodeLoaders } from './node/loaders.ts';

/** The loaders of one pin, by module. */
export interface Loaders {
  readonly bank: BankLoaders;
  readonly group: GroupLoaders;
  readonly node: NodeLoaders;
}

/** Makes the loaders of one pin. */
export function createLoaders(source: Source): Loaders {
  return { bank: createBankLoaders(source), group: createGroupLoaders(source), node: createNodeLoaders(source) };
}
