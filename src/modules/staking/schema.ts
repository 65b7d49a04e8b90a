import { type Pinned, pinOf } from '../../reads/pin.ts';
import type { Builder } from '../../schema/builder.ts';
import { ValidatorRef } from '../blocks/refs.ts';
import type { Validator } from '../validators/validators.ts';
import { createStakingLoaders } from './loaders.ts';
import type { StakingValidator } from './query.ts';

async function knownAs(validator: Pinned<Validator>): Promise<StakingValidator | null> {
  const known = await pinOf(validator).loaders(createStakingLoaders).validators.load('');
  return known.get(validator.address) ?? null;
}

/** Adds what the staking module knows of a validator. */
export function addStaking(builder: Builder): void {
  builder.objectFields(ValidatorRef, (t) => ({
    moniker: t.string({
      description: 'Name it goes by (staking module); null when the module does not know its key.',
      resolve: async (validator) => (await knownAs(validator))?.moniker ?? null,
    }),
    operatorAddress: t.string({
      description: 'Bech32 `…valoper1…` (staking module); null when the module does not know its key.',
      resolve: async (validator) => (await knownAs(validator))?.operatorAddress ?? null,
    }),
  }));
}
