import { type AccountLoaders, createAccountLoaders } from './account/loaders.ts';
import { type AttributeLoaders, createAttributeLoaders } from './attribute/loaders.ts';
import { type BankLoaders, createBankLoaders } from './bank/loaders.ts';
import { createGroupLoaders, type GroupLoaders } from './group/loaders.ts';
import type { Source } from './loader.ts';
import { createMarkerLoaders, type MarkerLoaders } from './marker/loaders.ts';
import { createMetadataLoaders, type MetadataLoaders } from './metadata/loaders.ts';
import { createNameLoaders, type NameLoaders } from './name/loaders.ts';
import { createNodeLoaders, type NodeLoaders } from './node/loaders.ts';

/** The loaders of one pin, by module. */
export interface Loaders {
  readonly account: AccountLoaders;
  readonly attribute: AttributeLoaders;
  readonly bank: BankLoaders;
  readonly group: GroupLoaders;
  readonly marker: MarkerLoaders;
  readonly metadata: MetadataLoaders;
  readonly name: NameLoaders;
  readonly node: NodeLoaders;
}

/** Makes the loaders of one pin. */
export function createLoaders(source: Source): Loaders {
  return {
    account: createAccountLoaders(source),
    attribute: createAttributeLoaders(source),
    bank: createBankLoaders(source),
    group: createGroupLoaders(source),
    marker: createMarkerLoaders(source),
    metadata: createMetadataLoaders(source),
    name: createNameLoaders(source),
    node: createNodeLoaders(source),
  };
}
