import type { GraphQLResolveInfo } from 'graphql';
import type { SetMember } from '../../chain/blocks/validatorSets.ts';
import type { ConsensusParamUpdates as ConsensusParams, ConsensusParamUpdates } from '../../chain/wire/block.ts';
import { decimal, percentOf } from '../../reads/decimal.ts';
import { requestedHeight } from '../../reads/height.ts';
import { type Awaitable, andThen, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, connectionArgs, createRef, nonNull, PublicKeyRef, usesContext } from '../../schema/builder.ts';
import { addConnection, type Connection, type ConnectionArgs, derivedConnection } from '../../schema/connection.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { createValidatorLoaders, memberKey, type Validator } from './query.ts';

/** The types that the files of this module share and other modules use. */
export const ValidatorRef = createRef<Pinned<Validator>>('Validator');
export const ValidatorConnectionRef = createRef<Connection<Pinned<Validator>>>('ValidatorConnection');
export const ConsensusParamsRef = createRef<ConsensusParamUpdates>('ConsensusParams');

type Group<K extends keyof ConsensusParams> = NonNullable<ConsensusParams[K]>;

const BlockParamsRef = createRef<Group<'block'>>('BlockParams');
const EvidenceParamsRef = createRef<Group<'evidence'>>('EvidenceParams');
const ValidatorParamsRef = createRef<Group<'validator'>>('ValidatorParams');
const VersionParamsRef = createRef<Group<'version'>>('VersionParams');
const AbciParamsRef = createRef<Group<'abci'>>('AbciParams');

/** Adds `ConsensusParams` and `Query.consensusParams`. */
function addConsensusParams(builder: Builder): void {
  builder.objectType(ConsensusParamsRef, {
    description:
      'The consensus parameters. Groups are null only in `consensusParamUpdates`, `authority` also on nodes that do not have it.',
    fields: (t) => ({
      block: t.expose('block', { type: BlockParamsRef }),
      evidence: t.expose('evidence', { type: EvidenceParamsRef }),
      validator: t.expose('validator', { type: ValidatorParamsRef }),
      version: t.expose('version', { type: VersionParamsRef }),
      abci: t.expose('abci', { type: AbciParamsRef }),
      authority: t.exposeString('authority', {
        description:
          'The account that may change parameters besides governance, as the application interprets it; empty if there is none. null with CometBFT before 0.39, and\nin `consensusParamUpdates` without a change.',
      }),
    }),
  });
  builder.objectType(BlockParamsRef, {
    description: 'Limits of a block.',
    fields: (t) => ({
      maxBytes: t.expose('maxBytes', { type: 'Int64', nullable: false }),
      maxGas: t.expose('maxGas', { type: 'Int64', nullable: false, description: '-1 means no limit.' }),
    }),
  });
  builder.objectType(EvidenceParamsRef, {
    description: 'Limits on the age and size of evidence.',
    fields: (t) => ({
      maxAgeNumBlocks: t.expose('maxAgeNumBlocks', { type: 'Int64', nullable: false }),
      maxAgeDuration: t.expose('maxAgeDuration', { type: 'Duration', nullable: false }),
      maxBytes: t.expose('maxBytes', { type: 'Int64', nullable: false }),
    }),
  });
  builder.objectType(ValidatorParamsRef, {
    description: 'The key types that validators may use.',
    fields: (t) => ({ pubKeyTypes: t.exposeStringList('pubKeyTypes', { nullable: false }) }),
  });
  builder.objectType(VersionParamsRef, {
    description: 'The version of the application protocol.',
    fields: (t) => ({ app: t.expose('app', { type: 'UInt64', nullable: false }) }),
  });
  builder.objectType(AbciParamsRef, {
    description: 'Parameters of the interface between consensus and application.',
    fields: (t) => ({
      voteExtensionsEnableHeight: t.expose(
        'voteExtensionsEnableHeight',
        nonNull('Int64', '0 if vote extensions are disabled.'),
      ),
    }),
  });
  addHeightFields(builder, (t) => ({
    consensusParams: t.field({
      type: ConsensusParamsRef,
      description: 'The consensus parameters at `height`. Default: the height of the operation.',
      args: { height: t.arg({ type: 'Int64' }) },
      resolve: (root, { height }) =>
        pinOf(root).loaders(createValidatorLoaders).consensusParams.load(requestedHeight(root, height)),
    }),
  }));
}

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
function addValidator(builder: Builder): void {
  builder.objectType(ValidatorRef, {
    description: 'A validator. Voting power and priority are those in the validator set that it was read from.',
    fields: (t) => ({
      address: t.expose(
        'address',
        nonNull(
          'String',
          'Consensus address in upper case hexadecimal. The type is String, like `address` of other entities, so that one selection on `_entities` can cover several types.',
        ),
      ),
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
  addConnection(builder, ValidatorRef, ValidatorConnectionRef, 'validators');
  addHeightFields(builder, (t) => ({
    validators: t.field({
      type: ValidatorConnectionRef,
      description:
        'The validators that sign the block at `height`, by descending voting power. Default: the height of the operation.',
      args: { height: t.arg({ type: 'Int64' }), ...connectionArgs(builder) },
      resolve: usesContext((root, { height, ...args }, _context, info) =>
        validatorsAt(root, requestedHeight(root, height), args, info),
      ),
    }),
  }));
}

/** Adds validator sets and consensus parameters. */
export function addValidators(builder: Builder): void {
  addValidator(builder);
  addConsensusParams(builder);
}
