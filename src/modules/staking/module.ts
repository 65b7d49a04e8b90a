import type { ChainModule } from '../module.ts';
import { createStakingLoaders, type StakingLoaders } from './loaders.ts';
import { addStaking } from './schema.ts';

/** The staking module. */
export const staking: ChainModule<StakingLoaders> = { schema: addStaking, loaders: createStakingLoaders };
