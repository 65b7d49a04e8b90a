import type { ConsensusParamUpdates as ConsensusParams } from '../../chain/wire/block.ts';
import { checkHeight } from '../../reads/height.ts';
import { pinOf } from '../../reads/pin.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { createValidatorLoaders } from './loaders.ts';
import { ConsensusParamsRef } from './refs.ts';

type Group<K extends keyof ConsensusParams> = NonNullable<ConsensusParams[K]>;

const BlockParamsRef = createRef<Group<'block'>>('BlockParams');
const EvidenceParamsRef = createRef<Group<'evidence'>>('EvidenceParams');
const ValidatorParamsRef = createRef<Group<'validator'>>('ValidatorParams');
const VersionParamsRef = createRef<Group<'version'>>('VersionParams');
const AbciParamsRef = createRef<Group<'abci'>>('AbciParams');

/** Adds `ConsensusParams` and `Query.consensusParams`. */
export function addConsensusParams(builder: Builder): void {
  builder.objectType(ConsensusParamsRef, {
    description: 'The consensus parameters. Groups are null only in `consensusParamUpdates`.',
    fields: (t) => ({
      block: t.expose('block', { type: BlockParamsRef, nullable: true }),
      evidence: t.expose('evidence', { type: EvidenceParamsRef, nullable: true }),
      validator: t.expose('validator', { type: ValidatorParamsRef, nullable: true }),
      version: t.expose('version', { type: VersionParamsRef, nullable: true }),
      abci: t.expose('abci', { type: AbciParamsRef, nullable: true }),
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
      voteExtensionsEnableHeight: t.expose('voteExtensionsEnableHeight', {
        type: 'Int64',
        nullable: false,
        description: '0 if vote extensions are disabled.',
      }),
    }),
  });
  addHeightFields(builder, (t) => ({
    consensusParams: t.field({
      type: ConsensusParamsRef,
      description: 'The consensus parameters at `height`. Default: the height of the operation.',
      args: { height: t.arg({ type: 'Int64' }) },
      resolve: (root, { height }) => {
        const pin = pinOf(root);
        return pin
          .loaders(createValidatorLoaders)
          .consensusParams.load(checkHeight('height', height ?? pin.height, pin.height));
      },
    }),
  }));
}
