import type { BlockId, Header } from '../../chain/wire/block.ts';
import { pageDefault } from '../../config/bounds.ts';
import { checkHeight } from '../../reads/height.ts';
import { idInput } from '../../reads/input.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { connectionArgs } from '../../schema/args.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { addConnection } from '../../schema/connection.ts';
import { addEntity } from '../../schema/entities.ts';
import { liveField } from '../../schema/live.ts';
import { addHeightFields } from '../../schema/snapshot.ts';
import { hashInput } from '../events/argument.ts';
import { createValidatorLoaders } from '../validators/loaders.ts';
import { validatorOf, validatorsAt } from '../validators/validatorSchema.ts';
import { blocksOf, blockTransactions } from './blockConnections.ts';
import { type BlockSummary, summaryOf } from './blocks.ts';
import { EvidenceRef } from './commitSchema.ts';
import { createBlockLoaders } from './loaders.ts';
import * as refs from './refs.ts';

const PartSetHeaderRef = createRef<BlockId['parts']>('PartSetHeader');
const ConsensusVersionRef = createRef<Header['version']>('ConsensusVersion');

/** A block up to the height read. Above it: HEIGHT_NOT_YET_AVAILABLE with both heights. */
export async function blockAt(parent: Pinned<object>, height: bigint): Promise<Pinned<BlockSummary>> {
  const pin = pinOf(parent);
  return pinned(pin, summaryOf(await pin.loaders(createBlockLoaders).block.load(height)));
}

/** A block by a height that a caller named: BAD_USER_INPUT below 1, HEIGHT_NOT_YET_AVAILABLE above the height read. */
async function blockUpTo(root: Pinned<object>, height: bigint): Promise<Pinned<BlockSummary>> {
  return blockAt(root, checkHeight('height', height, pinOf(root).height));
}

/** A block by its hash in hex; null when there is none up to the height read. A malformed hash is BAD_USER_INPUT. */
async function blockOfHash(root: Pinned<object>, hash: string): Promise<Pinned<BlockSummary> | null> {
  const pin = pinOf(root);
  const block = await pin.loaders(createBlockLoaders).blockByHash.load(hashInput('hash', hash));
  return block === null || block.header.height > pin.height ? null : pinned(pin, block);
}

/** Adds `Block`, `Header` and the fields of `Query` that give them. */
export function addBlocks(builder: Builder): void {
  builder.objectType(refs.BlockRef, {
    description: 'A block.',
    fields: (t) => ({
      height: t.field({ type: 'Int64', nullable: false, resolve: ({ header }) => header.height }),
      hash: t.field({ type: 'Hex', nullable: false, resolve: ({ blockId }) => blockId.hash }),
      time: t.field({ type: 'DateTime', nullable: false, resolve: ({ header }) => header.time }),
      chainId: t.string({ nullable: false, resolve: ({ header }) => header.chainId }),
      blockId: t.expose('blockId', { type: refs.BlockIdRef, nullable: false }),
      header: t.expose('header', { type: refs.HeaderRef, nullable: false }),
      numTxs: t.field({
        type: 'Int64',
        nullable: false,
        description: 'Number of transactions.',
        resolve: ({ numTxs }) => numTxs,
      }),
      proposer: t.field({
        type: refs.ValidatorRef,
        description: 'Who proposed it.',
        resolve: (block) => validatorOf(block, block.header.proposerAddress, block.header.height),
      }),
      blockSize: t.field({
        type: 'Int64',
        description: 'In bytes.',
        resolve: async (block) => {
          if (block.size !== undefined) return block.size;
          const { height } = block.header;
          const [summary] = await pinOf(block).loaders(createBlockLoaders).range.load({ low: height, high: height });
          return summary?.size ?? null;
        },
      }),
      transactions: t.field({
        type: refs.TransactionConnectionRef,
        description: 'In block order.',
        args: connectionArgs(builder),
        resolve: (block, args, _context, info) => blockTransactions(block, args, info),
      }),
      results: t.field({
        type: refs.BlockResultsRef,
        description: 'What executing it gave.',
        resolve: (block) => pinOf(block).loaders(createBlockLoaders).results.load(block.header.height),
      }),
      evidence: t.field({
        type: [EvidenceRef],
        resolve: async (block) => (await pinOf(block).loaders(createBlockLoaders).extras.load(block.header.height)).evidence,
      }),
      lastCommit: t.field({
        type: refs.CommitRef,
        description: 'The commit of the block before, which this block carries; null in the first block.',
        resolve: async (block) => {
          const { lastCommit } = await pinOf(block).loaders(createBlockLoaders).extras.load(block.header.height);
          return lastCommit && pinned(pinOf(block), lastCommit);
        },
      }),
      commit: t.field({
        type: refs.SignedHeaderRef,
        description: 'The commit of this block itself; not canonical while it is the newest.',
        extensions: liveField,
        resolve: async (block) =>
          pinned(pinOf(block), await pinOf(block).loaders(createBlockLoaders).commit.load(block.header.height)),
      }),
      validators: t.field({
        type: refs.ValidatorConnectionRef,
        description: 'Who signs it, by descending voting power.',
        args: connectionArgs(builder),
        resolve: (block, args, _context, info) => validatorsAt(block, block.header.height, args, info),
      }),
      consensusParams: t.field({
        type: refs.ConsensusParamsRef,
        resolve: (block) => pinOf(block).loaders(createValidatorLoaders).consensusParams.load(block.header.height),
      }),
    }),
  });
  addHeader(builder);
  addEntity(
    builder,
    refs.BlockRef,
    { height: (root, height) => blockUpTo(root, idInput('height', height)), hash: blockOfHash },
    (one, other) => one.blockId.hash === other.blockId.hash,
  );
  addConnection(builder, refs.BlockRef, refs.BlockConnectionRef, 'blocks');
  addBlockFields(builder);
}

function addBlockFields(builder: Builder): void {
  addHeightFields(builder, (t) => ({
    head: t.field({
      type: refs.BlockRef,
      description:
        'The block that this part of the answer is read at: the newest this server has seen, or the one that the caller named.',
      resolve: (root) => blockAt(root, pinOf(root).height),
    }),
    block: t.field({
      type: refs.BlockRef,
      description: 'A block; without a height, the one read at.',
      args: { height: t.arg({ type: 'Int64' }) },
      resolve: (root, { height }) => blockUpTo(root, height ?? pinOf(root).height),
    }),
    blockByHash: t.field({
      type: refs.BlockRef,
      description: 'A block by its hash; null when there is none up to the height read.',
      args: { hash: t.arg({ type: 'Hex', required: true }) },
      resolve: (root, { hash }) => blockOfHash(root, hash),
    }),
    blocks: t.field({
      type: refs.BlockConnectionRef,
      description: 'Blocks of a range (inclusive; all if absent), newest first.',
      args: {
        minHeight: t.arg({ type: 'Int64' }),
        maxHeight: t.arg({ type: 'Int64' }),
        first: t.arg.int({ defaultValue: pageDefault }),
        after: t.arg.string(),
        reverse: t.arg.boolean({ defaultValue: false }),
      },
      resolve: (root, { minHeight, maxHeight, ...args }, _context, info) =>
        blocksOf(root, minHeight ?? undefined, maxHeight ?? undefined, args, info),
    }),
    header: t.field({
      type: refs.HeaderRef,
      description: 'A header; without a height, of the block read at.',
      args: { height: t.arg({ type: 'Int64' }) },
      resolve: (root, { height }) => {
        const pin = pinOf(root);
        return pin.loaders(createBlockLoaders).header.load(checkHeight('height', height ?? pin.height, pin.height));
      },
    }),
    headerByHash: t.field({
      type: refs.HeaderRef,
      description: "A header by its block's hash; null when there is none up to the height read.",
      args: { hash: t.arg({ type: 'Hex', required: true }) },
      resolve: async (root, { hash }) => {
        const pin = pinOf(root);
        const header = await pin.loaders(createBlockLoaders).headerByHash.load(hashInput('hash', hash));
        return header === null || header.height > pin.height ? null : header;
      },
    }),
  }));
}

function addHeader(builder: Builder): void {
  builder.objectType(refs.HeaderRef, {
    description: 'A block header. Hashes of height H that depend on execution (appHash, lastResultsHash) are of block H - 1.',
    fields: (t) => ({
      version: t.expose('version', { type: ConsensusVersionRef, nullable: false }),
      chainId: t.exposeString('chainId', { nullable: false }),
      height: t.expose('height', { type: 'Int64', nullable: false }),
      time: t.expose('time', { type: 'DateTime', nullable: false }),
      lastBlockId: t.expose('lastBlockId', {
        type: refs.BlockIdRef,
        nullable: false,
        description: 'Empty hashes in the first block.',
      }),
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
  builder.objectType(refs.BlockIdRef, {
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
