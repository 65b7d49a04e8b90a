import { type AccountLoaders, createAccountLoaders } from './account/loaders.ts';
import { type AttributeLoaders, createAttributeLoaders } from './attribute/loaders.ts';
import { type BankLoaders, createBankLoaders } from './bank/loaders.ts';
import { createFeegrantLoaders, type FeegrantLoaders } from './feegrant/loaders.ts';
import { createFlatfeesLoaders, type FlatfeesLoaders } from './flatfees/loaders.ts';
import { createGroupLoaders, type GroupLoaders } from './group/loaders.ts';
import { createHoldLoaders, type HoldLoaders } from './hold/loaders.ts';
import type { Source } from './loader.ts';
import { createMarkerLoaders, type MarkerLoaders } from './marker/loaders.ts';
import { createMetadataLoaders, type MetadataLoaders } from './metadata/loaders.ts';
import { createNameLoaders, type NameLoaders } from './name/loaders.ts';
import { createNodeLoaders, type NodeLoaders } from './node/loaders.ts';
import { createStakingLoaders, type StakingLoaders } from './staking/loaders.ts';

/** The loaders of one pin, by module. */
export interface Loaders {
  readonly account: AccountLoaders;
  readonly attribute: AttributeLoaders;
  readonly bank: BankLoaders;
  readonly feegrant: FeegrantLoaders;
  readonly flatfees: FlatfeesLoaders;
  readonly group: GroupLoaders;
  readonly hold: HoldLoaders;
  readonly marker: MarkerLoaders;
  readonly metadata: MetadataLoaders;
  readonly name: NameLoaders;
  readonly node: NodeLoaders;
  readonly staking: StakingLoaders;
}

/** Makes the loaders of one pin. */
export function createLoaders(source: Source): Loaders {
  return {
    account: createAccountLoaders(source),
    attribute: createAttributeLoaders(source),
    bank: createBankLoaders(source),
    feegrant: createFeegrantLoaders(source),
    flatfees: createFlatfeesLoaders(source),
    group: createGroupLoaders(source),
    hold: createHoldLoaders(source),
    marker: createMarkerLoaders(source),
    metadata: createMetadataLoaders(source),
    name: createNameLoaders(source),
    node: createNodeLoaders(source),
    staking: createStakingLoaders(source),
  };
}
