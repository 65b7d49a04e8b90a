import type { GraphQLResolveInfo } from 'graphql';
import { pageDefault } from '../../config/bounds.ts';
import { checkHeight } from '../../reads/height.ts';
import { hashInput, idInput } from '../../reads/input.ts';
import { type Awaitable, andThen } from '../../reads/loader.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, connectionArgs, liveField } from '../../schema/builder.ts';
import { addConnection, selectsOnly } from '../../schema/connection.ts';
import { addEntity, addHeightFields } from '../../schema/entities.ts';
import { searchArgs, searchConnection } from '../events/searchConnection.ts';
import { createValidatorLoaders } from '../validators/loaders.ts';
import { ConsensusParamsRef, ValidatorConnectionRef, ValidatorRef } from '../validators/refs.ts';
import { validatorOf, validatorsAt } from '../validators/validatorSchema.ts';
import { blocksOf } from './blockConnections.ts';
import { type BlockSummary, printedBlock, summaryOf } from './blocks.ts';
import { EvidenceRef } from './commitSchema.ts';
import { createBlockLoaders } from './loaders.ts';
import * as refs from './refs.ts';
import { blockSearch } from './search.ts';

/** The block at a height that the caller has checked. */
export function blockAt(parent: Pinned<object>, height: bigint): Awaitable<Pinned<BlockSummary>> {
  const pin = pinOf(parent);
  return andThen(pin.loaders(createBlockLoaders).block.load(height), (block) => pinned(pin, summaryOf(block)));
}

/** The block at the height of the operation, if only its height and its time are selected, which are printed when the answer is sent. */
function printedHead(root: Pinned<object>, info: GraphQLResolveInfo): Pinned<BlockSummary> | undefined {
  if (!selectsOnly(info, ['height', 'time', '__typename'])) return undefined;
  const pin = pinOf(root);
  const time = pin.printedTime();
  return time === undefined ? undefined : pinned(pin, printedBlock({ height: pin.printedHeight(), time }));
}

/** The block at a requested height. BAD_USER_INPUT below 1, HEIGHT_NOT_YET_AVAILABLE above the height of the operation. */
function blockUpTo(root: Pinned<object>, height: bigint): Awaitable<Pinned<BlockSummary>> {
  return blockAt(root, checkHeight('height', height, pinOf(root).height));
}

/** The block with a hash; null if none exists up to the height of the operation. A malformed hash is BAD_USER_INPUT. */
function blockOfHash(root: Pinned<object>, hash: string): Awaitable<Pinned<BlockSummary> | null> {
  const pin = pinOf(root);
  return andThen(pin.loaders(createBlockLoaders).blockByHash.load(hashInput('hash', hash)), (block) =>
    block === null || block.header.height > pin.height ? null : pinned(pin, block),
  );
}

/** Adds `Block` and the fields of `Query` that give blocks and headers. */
export function addBlock(builder: Builder): void {
  builder.objectType(refs.BlockRef, {
    description: 'A block.',
    fields: (t) => ({
      height: t.field({ type: 'Int64', nullable: false, resolve: ({ printed, header }) => printed?.height ?? header.height }),
      hash: t.field({ type: 'Hex', nullable: false, resolve: ({ blockId }) => blockId.hash }),
      time: t.field({ type: 'DateTime', nullable: false, resolve: ({ printed, header }) => printed?.time ?? header.time }),
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
        type: refs.BlockResultsRef,
        description: 'The results of executing the block.',
        resolve: (block) => pinOf(block).loaders(createBlockLoaders).results.load(block.header.height),
      }),
      evidence: t.field({
        type: [EvidenceRef],
        resolve: (block) =>
          andThen(pinOf(block).loaders(createBlockLoaders).extras.load(block.header.height), ({ evidence }) => evidence),
      }),
      lastCommit: t.field({
        type: refs.CommitRef,
        description: 'The commit of the previous block, which this block contains; null in the first block.',
        resolve: (block) => {
          const pin = pinOf(block);
          const extras = pin.loaders(createBlockLoaders).extras.load(block.header.height);
          return andThen(extras, ({ lastCommit }) => lastCommit && pinned(pin, lastCommit));
        },
      }),
      commit: t.field({
        type: refs.SignedHeaderRef,
        description: 'The commit of this block. It is not canonical while the block is the newest.',
        extensions: liveField,
        resolve: async (block) =>
          pinned(pinOf(block), await pinOf(block).loaders(createBlockLoaders).commit.load(block.header.height)),
      }),
      validators: t.field({
        type: ValidatorConnectionRef,
        description: 'The validators that sign the block, by descending voting power.',
        args: connectionArgs(builder),
        resolve: (block, args, _context, info) => validatorsAt(block, block.header.height, args, info),
      }),
      consensusParams: t.field({
        type: ConsensusParamsRef,
        resolve: (block) => pinOf(block).loaders(createValidatorLoaders).consensusParams.load(block.header.height),
      }),
    }),
  });
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
        'The block at the height of this part of the operation: the newest block that this server has seen, or the requested one.',
      resolve: (root, _args, _context, info) => printedHead(root, info) ?? blockAt(root, pinOf(root).height),
    }),
    block: t.field({
      type: refs.BlockRef,
      description: 'The block at `height`. Default: the height of the operation.',
      args: { height: t.arg({ type: 'Int64' }) },
      resolve: (root, { height }) => blockUpTo(root, height ?? pinOf(root).height),
    }),
    blockByHash: t.field({
      type: refs.BlockRef,
      description: 'The block with this hash; null if none exists up to the height of the operation.',
      args: { hash: t.arg({ type: 'Hex', required: true }) },
      resolve: (root, { hash }) => blockOfHash(root, hash),
    }),
    blocks: t.field({
      type: refs.BlockConnectionRef,
      description: 'The blocks from `minHeight` to `maxHeight`, both included, newest first. Default: all blocks.',
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
    blockSearch: t.field({
      type: refs.BlockConnectionRef,
      description:
        'Blocks whose own events (begin and end of the block) match, newest first. Pass `query`, `where` or both. Needs a node with an\nindex, or an archive of mode FULL that holds every height of the search.',
      extensions: liveField,
      args: searchArgs(builder),
      resolve: (root, args, _context, info) => searchConnection(root, blockSearch, true, args, info),
    }),
    header: t.field({
      type: refs.HeaderRef,
      description: 'The header of the block at `height`. Default: the height of the operation.',
      args: { height: t.arg({ type: 'Int64' }) },
      resolve: (root, { height }) => {
        const pin = pinOf(root);
        return pin.loaders(createBlockLoaders).header.load(checkHeight('height', height ?? pin.height, pin.height));
      },
    }),
    headerByHash: t.field({
      type: refs.HeaderRef,
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
