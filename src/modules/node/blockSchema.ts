import type { Block, BlockId, Header } from '../../chain/block.ts';
import { type Builder, createRef } from '../../graphql/builder.ts';
import { checkHeight } from '../height.ts';
import { type Pinned, pinned, pinOf } from '../pin.ts';

/** A block, under the pin of whoever asked for it. */
export const BlockRef = createRef<Pinned<Block>>('Block');
const BlockIdRef = createRef<BlockId>('BlockId');
const PartSetHeaderRef = createRef<BlockId['parts']>('PartSetHeader');
const HeaderRef = createRef<Header>('Header');
const ConsensusVersionRef = createRef<Header['version']>('ConsensusVersion');

/** A block up to the height read. Above it: HEIGHT_NOT_YET_AVAILABLE with both heights. */
export async function blockAt(parent: Pinned<object>, height: bigint): Promise<Pinned<Block>> {
  const pin = pinOf(parent);
  return pinned(pin, await pin.loaders.node.block.load(height));
}

/** Adds `Block`, `Header`, `Query.head` and `Query.block`. */
export function addBlocks(builder: Builder): void {
  builder.objectType(BlockRef, {
    description: 'A block.',
    fields: (t) => ({
      height: t.field({ type: 'Int64', nullable: false, resolve: ({ header }) => header.height }),
      hash: t.field({ type: 'Hex', nullable: false, resolve: ({ blockId }) => blockId.hash }),
      time: t.field({ type: 'DateTime', nullable: false, resolve: ({ header }) => header.time }),
      chainId: t.string({ nullable: false, resolve: ({ header }) => header.chainId }),
      blockId: t.expose('blockId', { type: BlockIdRef, nullable: false }),
      header: t.expose('header', { type: HeaderRef, nullable: false }),
      numTxs: t.field({
        type: 'Int64',
        nullable: false,
        description: 'Number of transactions.',
        resolve: ({ txs }) => BigInt(txs.length),
      }),
    }),
  });
  addHeader(builder);
  builder.queryFields((t) => ({
    head: t.field({
      type: BlockRef,
      description:
        'The block that this part of the answer is read at: the newest this server has seen, or the one that the caller named.',
      resolve: (root) => blockAt(root, pinOf(root).height),
    }),
    block: t.field({
      type: BlockRef,
      description: 'A block; without a height, the one read at.',
      args: { height: t.arg({ type: 'Int64' }) },
      resolve: (root, { height }) => blockAt(root, checkHeight('height', height ?? pinOf(root).height, pinOf(root).height)),
    }),
  }));
}

function addHeader(builder: Builder): void {
  builder.objectType(HeaderRef, {
    description: 'A block header. Hashes of height H that depend on execution (appHash, lastResultsHash) are of block H - 1.',
    fields: (t) => ({
      version: t.expose('version', { type: ConsensusVersionRef, nullable: false }),
      chainId: t.exposeString('chainId', { nullable: false }),
      height: t.expose('height', { type: 'Int64', nullable: false }),
      time: t.expose('time', { type: 'DateTime', nullable: false }),
      lastBlockId: t.expose('lastBlockId', {
        type: BlockIdRef,
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
