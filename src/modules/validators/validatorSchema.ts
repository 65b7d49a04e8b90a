import type { GraphQLResolveInfo } from 'graphql';
import { decimal, percentOf } from '../../reads/decimal.ts';
import { checkHeight } from '../../reads/height.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { connectionArgs } from '../../schema/args.ts';
import type { Builder } from '../../schema/builder.ts';
import { addConnection, type Connection, type ConnectionArgs, derivedConnection } from '../../schema/connection.ts';
import { addEntity } from '../../schema/entities.ts';
import { addHeightFields } from '../../schema/snapshot.ts';
import * as refs from '../blocks/refs.ts';
import { PublicKeyRef } from '../nodes/statusSchema.ts';
import { createStakingLoaders } from '../staking/loaders.ts';
import { createValidatorLoaders } from './loaders.ts';
import { consensusAddress, memberKey, type SetMember, type Validator } from './validators.ts';

/** A validator as of the set that signs the block of `height`, under the pin of the object that named it. */
export function validatorOf(parent: Pinned<object>, address: string, height: bigint): Pinned<Validator> {
  return pinned(pinOf(parent), { address, height });
}

async function memberOf(validator: Pinned<Validator>): Promise<SetMember | null> {
  const set = await pinOf(validator).loaders(createValidatorLoaders).validators.load(validator.height);
  return set.find(({ address }) => address === validator.address) ?? null;
}

/**
 * A validator by its consensus address: one of the set that signs the block read at, or one that the staking module has at this height. null when
 * neither has it. A malformed address is BAD_USER_INPUT.
 */
async function validatorAt(root: Pinned<object>, address: string): Promise<Pinned<Validator> | null> {
  const pin = pinOf(root);
  const validator = validatorOf(root, consensusAddress('address', address), pin.height);
  if ((await memberOf(validator)) !== null) return validator;
  const staked = await pin.loaders(createStakingLoaders).validators.load('');
  return staked.has(validator.address) ? validator : null;
}

/** A page of the set that signs the block of `height`. The set is read whole, 100 at a time, and once. */
export function validatorsAt(
  parent: Pinned<object>,
  height: bigint,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<Pinned<Validator>> | null> {
  const pin = pinOf(parent);
  const items = async (): Promise<readonly (SetMember & Validator)[]> =>
    (await pin.loaders(createValidatorLoaders).validators.load(height)).map((member) => ({ ...member, height }));
  const keyOf = (member: SetMember & Validator): Uint8Array => memberKey(member);
  return derivedConnection(pin, `validators/${height}`, items, keyOf, args, info);
}

/** Adds `Validator`, `Query.validators` and `Query.validator`. */
export function addValidators(builder: Builder): void {
  builder.objectType(refs.ValidatorRef, {
    description: 'A validator, by consensus address. Voting power and priority are those of the height read.',
    fields: (t) => ({
      address: t.exposeString('address', {
        nullable: false,
        description:
          "Consensus address, upper case hex. Text like every entity's `address`, so that `_entities` of several types can share a selection.",
      }),
      publicKey: t.field({
        type: PublicKeyRef,
        description: 'null when it is not in the set of this height. So the three below.',
        resolve: async (validator) => (await memberOf(validator))?.publicKey ?? null,
      }),
      votingPower: t.field({
        type: 'Int64',
        resolve: async (validator) => (await memberOf(validator))?.votingPower ?? null,
      }),
      votingPowerPercent: t.field({
        type: 'Decimal',
        description: "derived: percent of the set's voting power, 0 to 100.",
        resolve: async (validator) => {
          const member = await memberOf(validator);
          if (member === null) return null;
          const set = await pinOf(validator).loaders(createValidatorLoaders).validators.load(validator.height);
          const total = set.reduce((sum, { votingPower }) => sum + votingPower, 0n);
          return percentOf(decimal(member.votingPower.toString()), decimal(total.toString()));
        },
      }),
      proposerPriority: t.field({
        type: 'Int64',
        resolve: async (validator) => (await memberOf(validator))?.proposerPriority ?? null,
      }),
    }),
  });
  addEntity(builder, refs.ValidatorRef, { address: validatorAt });
  addConnection(builder, refs.ValidatorRef, refs.ValidatorConnectionRef, 'validators');
  addHeightFields(builder, (t) => ({
    validators: t.field({
      type: refs.ValidatorConnectionRef,
      description:
        'Validators that sign a block, by descending voting power; without a height, those of the block read at (never of the next one).',
      args: { height: t.arg({ type: 'Int64' }), ...connectionArgs(builder) },
      resolve: (root, { height, ...args }, _context, info) => {
        const pin = pinOf(root);
        return validatorsAt(root, checkHeight('height', height ?? pin.height, pin.height), args, info);
      },
    }),
    validator: t.field({
      type: refs.ValidatorRef,
      description:
        'A validator by its consensus address; null when neither the set of this height nor the staking module has it.\n`votingPower` is null outside the set.',
      args: { address: t.arg.string({ required: true }) },
      resolve: (root, { address }) => validatorAt(root, address),
    }),
  }));
}
