import { bech32 } from '@scure/base';
import { type Awaitable, andThen, type Pin, type Pinned, pinOf } from '../../reads/pin.ts';
import type { Builder } from '../../schema/builder.ts';
import { addEntity, addHeightFields } from '../../schema/entities.ts';
import { consensusAddress, createValidatorLoaders, type Validator } from '../validators/query.ts';
import { memberOf, ValidatorRef, validatorOf } from '../validators/schema.ts';
import { createStakingLoaders, type StakingValidator } from './query.ts';

/** The validator of the staking module. A key whose address is not known here is found by the validator set, which has both. */
export function stakingValidator(validator: Pinned<Validator>): Awaitable<StakingValidator | null> {
  return andThen(pinOf(validator).loaders(createStakingLoaders).validators.load(''), (all) => {
    const staked = all.byAddress(validator.address);
    if (staked !== undefined) return staked;
    return andThen(memberOf(validator), (member) => (member && all.byKey(member.publicKey.value)) ?? null);
  });
}

/** The validator with a consensus address in upper case hex; null if it is neither in the validator set nor in the staking module at the height of the pin. */
async function validatorWith(parent: Pinned<object>, address: string): Promise<Pinned<Validator> | null> {
  const pin = pinOf(parent);
  const validator = validatorOf(parent, address, pin.height);
  if ((await memberOf(validator)) !== null) return validator;
  const staked = await pin.loaders(createStakingLoaders).validators.load('');
  return staked.byAddress(validator.address) === undefined ? null : validator;
}

/** The consensus address that the validator set has for the key of a validator; undefined outside of the set. */
async function addressInSet(pin: Pin, { key }: StakingValidator): Promise<string | undefined> {
  const set = await pin.loaders(createValidatorLoaders).validators.load(pin.height);
  return set.find(({ publicKey }) => publicKey.value === key)?.address;
}

/** The validator of an operator's `…valoper1…` address; null if the staking module has none. */
export async function validatorOfOperator(parent: Pinned<object>, operatorAddress: string): Promise<Pinned<Validator> | null> {
  const pin = pinOf(parent);
  const staked = await pin.loaders(createStakingLoaders).validators.load('');
  const validator = staked.byOperator(operatorAddress);
  if (validator === undefined) return null;
  const address = validator.address ?? (await addressInSet(pin, validator));
  return address === undefined ? null : validatorOf(parent, address, pin.height);
}

/** The validator of a `…valcons1…` address; null if the text is none, or if there is no such validator. */
export async function validatorOfConsensusAddress(parent: Pinned<object>, text: string): Promise<Pinned<Validator> | null> {
  const decoded = bech32.decodeUnsafe(text);
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words);
  return bytes ? validatorWith(parent, Buffer.from(bytes).toString('hex').toUpperCase()) : null;
}

/**
 * Adds the staking fields of `Validator`, and the lookups by address: `Query.validator` and the entity. The lookups also find
 * validators outside the validator set.
 */
export function addStaking(builder: Builder): void {
  builder.objectFields(ValidatorRef, (t) => ({
    moniker: t.string({
      description: 'The name of the validator in the staking module; null if the module has no validator with its key.',
      resolve: (validator) => andThen(stakingValidator(validator), (stakingState) => stakingState?.moniker ?? null),
    }),
    operatorAddress: t.string({
      description: 'Its `…valoper1…` address in the staking module; null if the module has no validator with its key.',
      resolve: (validator) => andThen(stakingValidator(validator), (stakingState) => stakingState?.operatorAddress ?? null),
    }),
  }));
  addEntity(builder, ValidatorRef, {
    address: (root, address) => validatorWith(root, consensusAddress('address', address)),
  });
  addHeightFields(builder, (t) => ({
    validator: t.field({
      type: ValidatorRef,
      description:
        'The validator with this consensus address; null if it is neither in the validator set nor in the staking module.\n`votingPower` is null outside the set.',
      args: { address: t.arg.string({ required: true }) },
      resolve: (root, { address }) => validatorWith(root, consensusAddress('address', address)),
    }),
  }));
}
