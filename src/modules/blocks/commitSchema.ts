import type { CommitSig, Evidence } from '../../chain/blocks/committedBlock.ts';
import { checkHeight } from '../../reads/height.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef, liveField } from '../../schema/builder.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { ValidatorRef } from '../validators/refs.ts';
import { validatorOf } from '../validators/validatorSchema.ts';
import { createBlockLoaders } from './loaders.ts';
import * as refs from './refs.ts';

interface Signature extends CommitSig {
  /** Height of the commit. */
  readonly height: bigint;
}

const CommitSigRef = createRef<Pinned<Signature>>('CommitSig');

/** Evidence of misbehaviour. */
export const EvidenceRef = createRef<Evidence>('Evidence');

/** The values of the protobuf enum, by number. */
const flags = ['BLOCK_ID_FLAG_UNKNOWN', 'BLOCK_ID_FLAG_ABSENT', 'BLOCK_ID_FLAG_COMMIT', 'BLOCK_ID_FLAG_NIL'] as const;

/** Adds commits, evidence and `Query.commit`. */
export function addCommits(builder: Builder): void {
  const BlockIdFlag = builder.enumType('BlockIdFlag', {
    description: 'The vote of a validator in a commit.',
    values: {
      BLOCK_ID_FLAG_UNKNOWN: {},
      BLOCK_ID_FLAG_ABSENT: { description: 'No vote was received.' },
      BLOCK_ID_FLAG_COMMIT: { description: 'The validator voted for the block.' },
      BLOCK_ID_FLAG_NIL: { description: 'The validator voted for no block.' },
      UNRECOGNIZED: {},
    },
  });
  builder.objectType(refs.CommitRef, {
    description: 'The signatures that commit a block.',
    fields: (t) => ({
      height: t.expose('height', { type: 'Int64', nullable: false }),
      round: t.exposeInt('round', { nullable: false }),
      blockId: t.expose('blockId', { type: refs.BlockIdRef, nullable: false }),
      signatures: t.field({
        type: [CommitSigRef],
        nullable: false,
        description: 'One signature for each validator, in the order of the validator set.',
        resolve: (commit) =>
          commit.signatures.map((signature) => pinned(pinOf(commit), { ...signature, height: commit.height })),
      }),
    }),
  });
  builder.objectType(CommitSigRef, {
    description: 'The vote of one validator on a block.',
    fields: (t) => ({
      blockIdFlag: t.field({ type: BlockIdFlag, nullable: false, resolve: ({ flag }) => flags[flag] ?? 'UNRECOGNIZED' }),
      validatorAddress: t.expose('validatorAddress', {
        type: 'Hex',
        description: 'null if the validator was absent; then `validator`, `timestamp` and `signature` are null too.',
      }),
      validator: t.field({
        type: ValidatorRef,
        resolve: (vote) => (vote.validatorAddress === null ? null : validatorOf(vote, vote.validatorAddress, vote.height)),
      }),
      timestamp: t.expose('timestamp', { type: 'DateTime' }),
      signature: t.expose('signature', { type: 'Base64' }),
    }),
  });
  builder.objectType(refs.SignedHeaderRef, {
    description: 'A header and the commit that signs it.',
    fields: (t) => ({
      header: t.expose('header', { type: refs.HeaderRef, nullable: false }),
      commit: t.field({
        type: refs.CommitRef,
        nullable: false,
        resolve: (signed) => pinned(pinOf(signed), signed.commit),
      }),
      canonical: t.exposeBoolean('canonical', {
        nullable: false,
        description: 'false for the newest block: the next block may contain another set of signatures.',
      }),
    }),
  });
  builder.objectType(EvidenceRef, {
    description: 'Evidence of misbehaviour, in the JSON of the node.',
    fields: (t) => ({
      type: t.exposeString('type', { nullable: false, description: 'For example `tendermint/DuplicateVoteEvidence`.' }),
      value: t.field({ type: 'JSON', nullable: false, resolve: ({ value }) => value ?? {} }),
    }),
  });
  addHeightFields(builder, (t) => ({
    commit: t.field({
      type: refs.SignedHeaderRef,
      description: 'The header of the block at `height` and the commit that signs it. Default: the height of the operation.',
      // The commit is not canonical while its block is the newest.
      extensions: liveField,
      args: { height: t.arg({ type: 'Int64' }) },
      resolve: async (root, { height }) => {
        const pin = pinOf(root);
        return pinned(
          pin,
          await pin.loaders(createBlockLoaders).commit.load(checkHeight('height', height ?? pin.height, pin.height)),
        );
      },
    }),
  }));
}
