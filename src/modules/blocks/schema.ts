import type { GraphQLResolveInfo } from 'graphql';
import type { BlockResults, Commit, CommitSig, Evidence } from '../../chain/blocks/committedBlock.ts';
import type { Verification } from '../../chain/transports/verification.ts';
import type { BlockId, Header, ValidatorUpdate } from '../../chain/wire/block.ts';
import { pageDefault } from '../../config/bounds.ts';
import { RequestError } from '../../reads/errors.ts';
import { checkHeight, heightAtTime, requestedHeight, startAfter, timePoints } from '../../reads/height.ts';
import { hashInput, idInput } from '../../reads/input.ts';
import { type Awaitable, andThen, type Pinned, pinned, pinOf, type Source } from '../../reads/pin.ts';
import { type BlockStream, blockStream } from '../../reads/stream.ts';
import {
  type Builder,
  connectionArgs,
  createRef,
  liveField,
  nonNull,
  nonNullList,
  PublicKeyRef,
  rowsField,
  usesContext,
} from '../../schema/builder.ts';
import {
  addConnection,
  type Connection,
  type ConnectionArgs,
  chainConnection,
  direction,
  selectsOnly,
} from '../../schema/connection.ts';
import { addEntity, addHeightFields } from '../../schema/entities.ts';
import { eventsOfType } from '../events/events.ts';
import { EventRef, searchArgs, searchConnection } from '../events/schema.ts';
import { createValidatorLoaders } from '../validators/query.ts';
import { ConsensusParamsRef, ValidatorConnectionRef, ValidatorRef, validatorOf, validatorsAt } from '../validators/schema.ts';
import {
  type BlockSummary,
  blockList,
  blockSearch,
  createBlockLoaders,
  printedBlock,
  type SignedHeader,
  summaryOf,
} from './query.ts';

/**
 * A page of the blocks from `min` to `max`, newest first. `min` defaults to the oldest block of the current node, `max` to the
 * height of the operation. Both are checked by {@link checkHeight}. A `min` above `max` is BAD_USER_INPUT with the message of
 * the node.
 */
async function blocksOf(
  parent: Pinned<object>,
  min: bigint | undefined,
  max: bigint | undefined,
  connectionArgs: ConnectionArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<Pinned<BlockSummary>>> {
  const pin = pinOf(parent);
  const loaders = pin.loaders(createBlockLoaders);
  const high = checkHeight('maxHeight', max ?? pin.height, pin.height);
  if (min !== undefined) checkHeight('minHeight', min, pin.height);
  if (min !== undefined && min > high) {
    const facts = { argument: 'minHeight', value: min.toString(), bound: 'at most `maxHeight`' };
    throw new RequestError('BAD_USER_INPUT', `min height ${min} can't be greater than max height ${high}`, facts);
  }
  const low = min ?? (await loaders.earliest.load(''));
  const { name, reversed, args } = direction(`blocks/${min ?? ''}-${max ?? ''}`, connectionArgs);
  const list = blockList((from, to) => loaders.range.load({ low: from, high: to }), low, high, !reversed);
  return chainConnection(pin, { name, ...list }, args, info);
}

/** The types that the files of this module share and other modules extend. */
export const BlockRef = createRef<Pinned<BlockSummary>>('Block');
const BlockConnectionRef = createRef<Connection<Pinned<BlockSummary>>>('BlockConnection');
const BlockIdRef = createRef<BlockId>('BlockId');
const VerificationRef = createRef<Verification & { readonly provesReads: boolean }>('BlockVerification');
const HeaderRef = createRef<Header>('Header');
export const BlockResultsRef = createRef<BlockResults>('BlockResults');
const CommitRef = createRef<Pinned<Commit>>('Commit');
const SignedHeaderRef = createRef<Pinned<SignedHeader>>('SignedHeader');

interface Signature extends CommitSig {
  /** Height of the commit. */
  readonly height: bigint;
}

const CommitSigRef = createRef<Pinned<Signature>>('CommitSig');

/** Evidence of misbehaviour. */
const EvidenceRef = createRef<Evidence>('Evidence');

/** The values of the protobuf enum, by number. */
const flags = ['BLOCK_ID_FLAG_UNKNOWN', 'BLOCK_ID_FLAG_ABSENT', 'BLOCK_ID_FLAG_COMMIT', 'BLOCK_ID_FLAG_NIL'] as const;

/** Adds commits, evidence and `Query.commit`. */
function addCommits(builder: Builder): void {
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
  builder.objectType(CommitRef, {
    description: 'The signatures that commit a block.',
    fields: (t) => ({
      height: t.expose('height', { type: 'Int64', nullable: false }),
      round: t.exposeInt('round', { nullable: false }),
      blockId: t.expose('blockId', { type: BlockIdRef, nullable: false }),
      signatures: t.field({
        ...nonNullList(CommitSigRef, 'One signature for each validator, in the order of the validator set.'),
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
  builder.objectType(SignedHeaderRef, {
    description: 'A header and the commit that signs it.',
    fields: (t) => ({
      header: t.expose('header', { type: HeaderRef, nullable: false }),
      commit: t.field({
        type: CommitRef,
        nullable: false,
        resolve: (signed) => pinned(pinOf(signed), signed.commit),
      }),
      canonical: t.expose(
        'canonical',
        nonNull('Boolean', 'false for the newest block: the next block may contain another set of signatures.'),
      ),
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
      type: SignedHeaderRef,
      description: 'The header of the block at `height` and the commit that signs it. Default: the height of the operation.',
      // The commit is not canonical while its block is the newest.
      extensions: liveField,
      args: { height: t.arg({ type: 'Int64' }) },
      resolve: async (root, { height }) => {
        const pin = pinOf(root);
        return pinned(pin, await pin.loaders(createBlockLoaders).commit.load(requestedHeight(root, height)));
      },
    }),
  }));
}

/** The block at a height that the caller has checked. */
export function blockAt(parent: Pinned<object>, height: bigint): Awaitable<Pinned<BlockSummary>> {
  const pin = pinOf(parent);
  return andThen(pin.loaders(createBlockLoaders).block.load(height), (block) => pinned(pin, summaryOf(block)));
}

/** The block that many heights after another one; null if there is none up to the height of the operation. */
function neighbour(block: Pinned<BlockSummary>, distance: bigint): Awaitable<Pinned<BlockSummary> | null> {
  const height = block.header.height + distance;
  return height < 1n || height > pinOf(block).height ? null : blockAt(block, height);
}

/** The block at the height of the operation, if only its height and its time are selected, which are printed when the answer is sent. */
function printedHead(root: Pinned<object>, info: GraphQLResolveInfo): Pinned<BlockSummary> | undefined {
  if (!selectsOnly(info, ['height', 'time', '__typename'])) return undefined;
  const pin = pinOf(root);
  const time = pin.printedTime();
  return time === undefined ? undefined : pinned(pin, printedBlock({ height: pin.printedHeight(), time }));
}

/** The block with a hash; null if none exists up to the height of the operation. A malformed hash is BAD_USER_INPUT. */
function blockOfHash(root: Pinned<object>, hash: string): Awaitable<Pinned<BlockSummary> | null> {
  const pin = pinOf(root);
  return andThen(pin.loaders(createBlockLoaders).blockByHash.load(hashInput('hash', hash)), (block) =>
    block === null || block.header.height > pin.height ? null : pinned(pin, block),
  );
}

/** How the blocks of a client were verified. */
const createVerifications = ({ client }: Source) => ({
  at: (height: bigint): Verification | undefined => client.verification?.at(height),
  provesReads: client.verification?.provesReads ?? false,
});

/** Adds `Block` and the fields of `Query` that give blocks and headers. */
function addBlock(builder: Builder): void {
  builder.objectType(VerificationRef, {
    description: 'The verification of a block with the signatures of its validators.',
    fields: (t) => ({
      signedPower: t.expose(
        'signedPower',
        nonNull(
          'Int64',
          'The voting power whose signatures were verified: more than two thirds of `totalPower`. More validators may have signed.',
        ),
      ),
      totalPower: t.expose('totalPower', nonNull('Int64', 'The voting power of the whole validator set.')),
      trustedFrom: t.field({
        type: 'Int64',
        nullable: false,
        description:
          'The height of the block that the trust began with: that of `--trust`, or the first one that the server had.',
        resolve: ({ trustedFrom }) => trustedFrom.height,
      }),
      provesReads: t.expose('provesReads', {
        type: 'Boolean',
        nullable: false,
        description:
          'Whether the server proves every read that has a proof: `--verify reads`. With `--verify heads` it believes what a node reads.',
      }),
    }),
  });
  builder.objectType(BlockRef, {
    description: 'A block.',
    fields: (t) => ({
      height: t.field({ type: 'Int64', nullable: false, resolve: ({ printed, header }) => printed?.height ?? header.height }),
      hash: t.field({ type: 'Hex', nullable: false, resolve: ({ blockId }) => blockId.hash }),
      time: t.field({ type: 'DateTime', nullable: false, resolve: ({ printed, header }) => printed?.time ?? header.time }),
      chainId: t.string({ nullable: false, resolve: ({ header }) => header.chainId }),
      blockId: t.expose('blockId', { type: BlockIdRef, nullable: false }),
      header: t.expose('header', { type: HeaderRef, nullable: false }),
      numTxs: t.expose('numTxs', nonNull('Int64', 'Number of transactions.')),
      proposer: t.field({
        type: ValidatorRef,
        description: 'The validator that proposed the block.',
        resolve: (block) => validatorOf(block, block.header.proposerAddress, block.header.height),
      }),
      blockSize: t.field({
        type: 'Int64',
        description: 'Size in bytes.',
        resolve: (block) => {
          if (block.size !== undefined) return block.size;
          const { height } = block.header;
          const range = pinOf(block).loaders(createBlockLoaders).range.load({ low: height, high: height });
          return andThen(range, ([summary]) => summary?.size ?? null);
        },
      }),
      results: t.field({
        type: BlockResultsRef,
        description: 'The results of executing the block.',
        resolve: (block) => pinOf(block).loaders(createBlockLoaders).results.load(block.header.height),
      }),
      evidence: t.field({
        type: [EvidenceRef],
        resolve: (block) =>
          andThen(pinOf(block).loaders(createBlockLoaders).extras.load(block.header.height), ({ evidence }) => evidence),
      }),
      lastCommit: t.field({
        type: CommitRef,
        description: 'The commit of the previous block, which this block contains; null in the first block.',
        resolve: (block) => {
          const pin = pinOf(block);
          const extras = pin.loaders(createBlockLoaders).extras.load(block.header.height);
          return andThen(extras, ({ lastCommit }) => lastCommit && pinned(pin, lastCommit));
        },
      }),
      commit: t.field({
        type: SignedHeaderRef,
        description: 'The commit of this block. It is not canonical while the block is the newest.',
        extensions: liveField,
        resolve: async (block) =>
          pinned(pinOf(block), await pinOf(block).loaders(createBlockLoaders).commit.load(block.header.height)),
      }),
      next: t.field({
        type: BlockRef,
        description: 'The block after this one; null if it is above the height of the operation.',
        resolve: (block) => neighbour(block, 1n),
      }),
      previous: t.field({
        type: BlockRef,
        description:
          'The block before this one; null for the first block. Fails with HEIGHT_PRUNED if no node has it any more.',
        resolve: (block) => neighbour(block, -1n),
      }),
      validators: t.field({
        type: ValidatorConnectionRef,
        description: 'The validators that sign the block, by descending voting power.',
        args: connectionArgs(builder),
        resolve: usesContext((block, args, _context, info) => validatorsAt(block, block.header.height, args, info)),
      }),
      verified: t.field({
        type: VerificationRef,
        description:
          'How the signatures of this block were verified before it became the newest block; null if they were not: with `--verify off`, and for blocks before the start.',
        // Another server may have verified other signatures of the same block.
        extensions: liveField,
        resolve: (block) => {
          const { at, provesReads } = pinOf(block).loaders(createVerifications);
          const verification = at(block.header.height);
          return verification?.hash === block.blockId.hash ? { ...verification, provesReads } : null;
        },
      }),
      consensusParams: t.field({
        type: ConsensusParamsRef,
        resolve: (block) => pinOf(block).loaders(createValidatorLoaders).consensusParams.load(block.header.height),
      }),
    }),
  });
  addEntity(
    builder,
    BlockRef,
    { height: (root, height) => blockAt(root, requestedHeight(root, idInput('height', height))), hash: blockOfHash },
    (one, other) => one.blockId.hash === other.blockId.hash,
  );
  addConnection(builder, BlockRef, BlockConnectionRef, 'blocks');
  addBlockFields(builder);
}

function addBlockFields(builder: Builder): void {
  addHeightFields(builder, (t) => ({
    head: t.field({
      type: BlockRef,
      description:
        'The block at the height of this part of the operation: the newest block that this server has seen, or the requested one.',
      resolve: usesContext((root, _args, _context, info) => printedHead(root, info) ?? blockAt(root, pinOf(root).height)),
    }),
    block: t.field({
      type: BlockRef,
      description: 'The block at `height`. Default: the height of the operation.',
      args: { height: t.arg({ type: 'Int64' }) },
      resolve: (root, { height }) => blockAt(root, requestedHeight(root, height)),
    }),
    blockAt: t.field({
      type: BlockRef,
      description:
        'The last block that is not after `time`. Fails with HEIGHT_NOT_YET_AVAILABLE if `time` is after the block of the operation, and with HEIGHT_PRUNED if it is before the oldest block that nodes have.',
      args: { time: t.arg({ type: 'DateTime', required: true }) },
      extensions: rowsField({ points: timePoints }),
      resolve: async (root, { time }) => blockAt(root, requestedHeight(root, await heightAtTime(pinOf(root), time))),
    }),
    blockByHash: t.field({
      type: BlockRef,
      description: 'The block with this hash; null if none exists up to the height of the operation.',
      args: { hash: t.arg({ type: 'Hex', required: true }) },
      resolve: (root, { hash }) => blockOfHash(root, hash),
    }),
    blocks: t.field({
      type: BlockConnectionRef,
      description: 'The blocks from `minHeight` to `maxHeight`, both included, newest first. Default: all blocks.',
      args: {
        minHeight: t.arg({ type: 'Int64' }),
        maxHeight: t.arg({ type: 'Int64' }),
        first: t.arg.int({ defaultValue: pageDefault }),
        after: t.arg.string(),
        reverse: t.arg.boolean({ defaultValue: false }),
      },
      resolve: usesContext((root, { minHeight, maxHeight, ...args }, _context, info) =>
        blocksOf(root, minHeight ?? undefined, maxHeight ?? undefined, args, info),
      ),
    }),
    blockSearch: t.field({
      type: BlockConnectionRef,
      description:
        'Blocks whose own events (begin and end of the block) match, newest first. Pass `query`, `where` or both. Needs a node with an\nindex, or an archive of mode FULL that holds every height of the search.',
      extensions: liveField,
      args: searchArgs(builder),
      resolve: usesContext((root, args, _context, info) => searchConnection(root, blockSearch, true, args, info)),
    }),
    header: t.field({
      type: HeaderRef,
      description: 'The header of the block at `height`. Default: the height of the operation.',
      args: { height: t.arg({ type: 'Int64' }) },
      resolve: (root, { height }) => pinOf(root).loaders(createBlockLoaders).header.load(requestedHeight(root, height)),
    }),
    headerByHash: t.field({
      type: HeaderRef,
      description: 'The header of the block with this hash; null if none exists up to the height of the operation.',
      args: { hash: t.arg({ type: 'Hex', required: true }) },
      resolve: async (root, { hash }) => {
        const pin = pinOf(root);
        const header = await pin.loaders(createBlockLoaders).headerByHash.load(hashInput('hash', hash));
        return header === null || header.height > pin.height ? null : header;
      },
    }),
  }));
}

const PartSetHeaderRef = createRef<BlockId['parts']>('PartSetHeader');
const ConsensusVersionRef = createRef<Header['version']>('ConsensusVersion');

/** Adds `Header` and `BlockId`. */
function addHeader(builder: Builder): void {
  builder.objectType(HeaderRef, {
    description: 'A block header. Hashes of height H that depend on execution (appHash, lastResultsHash) are of block H - 1.',
    fields: (t) => ({
      version: t.expose('version', { type: ConsensusVersionRef, nullable: false }),
      chainId: t.exposeString('chainId', { nullable: false }),
      height: t.expose('height', { type: 'Int64', nullable: false }),
      time: t.expose('time', { type: 'DateTime', nullable: false }),
      lastBlockId: t.expose('lastBlockId', nonNull(BlockIdRef, 'Empty hashes in the first block.')),
      lastCommitHash: t.expose('lastCommitHash', { type: 'Hex', nullable: false }),
      dataHash: t.expose('dataHash', { type: 'Hex', nullable: false }),
      validatorsHash: t.expose('validatorsHash', { type: 'Hex', nullable: false }),
      nextValidatorsHash: t.expose('nextValidatorsHash', { type: 'Hex', nullable: false }),
      consensusHash: t.expose('consensusHash', { type: 'Hex', nullable: false }),
      appHash: t.expose('appHash', { type: 'Hex', nullable: false }),
      lastResultsHash: t.expose('lastResultsHash', { type: 'Hex', nullable: false }),
      evidenceHash: t.expose('evidenceHash', { type: 'Hex', nullable: false }),
      proposerAddress: t.expose('proposerAddress', { type: 'Hex', nullable: false }),
    }),
  });
  builder.objectType(BlockIdRef, {
    description: 'Identity of a block: its hash and that of its parts.',
    fields: (t) => ({
      hash: t.expose('hash', { type: 'Hex', nullable: false }),
      parts: t.expose('parts', { type: PartSetHeaderRef, nullable: false }),
    }),
  });
  builder.objectType(PartSetHeaderRef, {
    description: 'The parts that a block was sent in.',
    fields: (t) => ({
      total: t.exposeInt('total', { nullable: false }),
      hash: t.expose('hash', { type: 'Hex', nullable: false }),
    }),
  });
  builder.objectType(ConsensusVersionRef, {
    description: 'Protocol versions of a block.',
    fields: (t) => ({
      block: t.expose('block', { type: 'UInt64', nullable: false }),
      app: t.expose('app', { type: 'UInt64', nullable: false }),
    }),
  });
}

const ValidatorUpdateRef = createRef<ValidatorUpdate>('ValidatorUpdate');

/** Adds `BlockResults` and `Query.blockResults`. */
function addResults(builder: Builder): void {
  builder.objectType(BlockResultsRef, {
    description: 'The results of executing a block.',
    fields: (t) => ({
      height: t.expose('height', { type: 'Int64', nullable: false }),
      finalizeBlockEvents: t.field({
        ...nonNullList(EventRef, 'The events of the begin and end of the block; with `type`, only those of this type.'),
        args: { type: t.arg.string() },
        resolve: ({ outcome }, { type }) => eventsOfType(outcome.events, type),
      }),
      validatorUpdates: t.field({
        type: [ValidatorUpdateRef],
        nullable: false,
        resolve: ({ outcome }) => outcome.validatorUpdates,
      }),
      consensusParamUpdates: t.field({
        type: ConsensusParamsRef,
        description: 'null if the block changed no parameter. Groups without a change are null.',
        resolve: ({ outcome }) => outcome.consensusParamUpdates,
      }),
      appHash: t.field({ type: 'Hex', nullable: false, resolve: ({ outcome }) => outcome.appHash }),
    }),
  });
  builder.objectType(ValidatorUpdateRef, {
    description: 'A change of the validator set. Power 0 removes the validator.',
    fields: (t) => ({
      publicKey: t.expose('publicKey', { type: PublicKeyRef, nullable: false }),
      power: t.expose('power', { type: 'Int64', nullable: false }),
    }),
  });
  addHeightFields(builder, (t) => ({
    blockResults: t.field({
      type: BlockResultsRef,
      description: 'The results of executing the block at `height`. Default: the height of the operation.',
      args: { height: t.arg({ type: 'Int64' }) },
      resolve: (root, { height }) => pinOf(root).loaders(createBlockLoaders).results.load(requestedHeight(root, height)),
    }),
  }));
}

/** A root for each block after height `after`, pinned to the height of that block. */
function blockRoots(root: Pinned<object>, after: bigint): BlockStream<Pinned<object>> {
  const pin = pinOf(root);
  const { client, signal } = pin;
  return blockStream({
    blocks: client.blocks.from(after, { signal }),
    step: ({ header }) => ({ events: [pinned(pin.at(header.height), {})] }),
  });
}

/** Adds `Subscription.newBlock`. */
function addNewBlock(builder: Builder): void {
  builder.subscriptionField('newBlock', (t) =>
    t.field({
      ...nonNull(BlockRef, 'Every block, exactly once and in order. With `after`, first the blocks after that height.'),
      args: { after: t.arg({ type: 'Int64' }) },
      subscribe: (root, { after }) => blockRoots(root, startAfter(root, after)),
      resolve: (event) => blockAt(event, pinOf(event).height),
    }),
  );
}

/** Adds blocks with their headers, commits and results. */
export function addBlocks(builder: Builder): void {
  addBlock(builder);
  addHeader(builder);
  addCommits(builder);
  addResults(builder);
  addNewBlock(builder);
}
