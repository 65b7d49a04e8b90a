import type { GraphQLResolveInfo } from 'graphql';
import type { SetMember } from '../../chain/blocks/validatorSets.ts';
import { decimal, percentOf } from '../../reads/decimal.ts';
import { checkHeight } from '../../reads/height.ts';
import { type Awaitable, andThen } from '../../reads/loader.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, connectionArgs, PublicKeyRef } from '../../schema/builder.ts';
import { addConnection, type Connection, type ConnectionArgs, derivedConnection } from '../../schema/connection.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { createValidatorLoaders } from './loaders.ts';
import * as refs from './refs.ts';
import { memberKey, type Validator } from './validators.ts';

/** A validator in the set that signs the block at `height`, under the pin of `parent`. */
export function validatorOf(parent: Pinned<object>, address: string, height: bigint): Pinned<Validator> {
  return pinned(pinOf(parent), { address, height });
}

/** The entry of a validator in the validator set at its height; null if it is not in the set. */
export function memberOf(validator: Pinned<Validator>): Awaitable<SetMember | null> {
  return andThen(
    pinOf(validator).loaders(createValidatorLoaders).validators.load(validator.height),
    (set) => set.find(({ address }) => address === validator.address) ?? null,
  );
}

/** A page of the validator set that signs the block at `height`. The set is read once, whole. */
export function validatorsAt(
  parent: Pinned<object>,
  height: bigint,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Validator>> | null> {
  const pin = pinOf(parent);
  const items = (): Awaitable<readonly (SetMember & Validator)[]> =>
    andThen(pin.loaders(createValidatorLoaders).validators.load(height), (set) => set.map((member) => ({ ...member, height })));
  const keyOf = (member: SetMember & Validator): Uint8Array => memberKey(member);
  return derivedConnection(pin, `validators/${height}`, items, keyOf, args, info);
}

/** Adds `Validator` and `Query.validators`. */
export function addValidator(builder: Builder): void {
  builder.objectType(refs.ValidatorRef, {
    description: 'A validator. Voting power and priority are those in the validator set that it was read from.',
    fields: (t) => ({
      address: t.exposeString('address', {
        nullable: false,
        description:
          'Consensus address in upper case hexadecimal. The type is String, like `address` of other entities, so that one selection on `_entities` can cover several types.',
      }),
      publicKey: t.field({
        type: PublicKeyRef,
        description:
          'null if the validator is not in the validator set at this height; then voting power and proposer priority are null too.',
        resolve: (validator) => andThen(memberOf(validator), (member) => member?.publicKey ?? null),
      }),
      votingPower: t.field({
        type: 'Int64',
        resolve: (validator) => andThen(memberOf(validator), (member) => member?.votingPower ?? null),
      }),
      votingPowerPercent: t.field({
        type: 'Decimal',
        description: 'derived: percentage of the voting power of the set, 0 to 100.',
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
        resolve: (validator) => andThen(memberOf(validator), (member) => member?.proposerPriority ?? null),
      }),
    }),
  });
  addConnection(builder, refs.ValidatorRef, refs.ValidatorConnectionRef, 'validators');
  addHeightFields(builder, (t) => ({
    validators: t.field({
      type: refs.ValidatorConnectionRef,
      description:
        'The validators that sign the block at `height`, by descending voting power. Default: the height of the operation.',
      args: { height: t.arg({ type: 'Int64' }), ...connectionArgs(builder) },
      resolve: (root, { height, ...args }, _context, info) => {
        const pin = pinOf(root);
        return validatorsAt(root, checkHeight('height', height ?? pin.height, pin.height), args, info);
      },
    }),
  }));
}
