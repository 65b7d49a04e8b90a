import { create, fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import type { PageRequest } from '../../../proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { Service } from '../../../proto/cosmos/base/tendermint/v1beta1/query_pb.js';
import { PubKeySchema } from '../../../proto/cosmos/crypto/ed25519/keys_pb.js';
import { type Block, BlockSchema } from '../../../proto/tendermint/types/block_pb.js';
import type { BlockIDSchema, Header } from '../../../proto/tendermint/types/types_pb.js';
import type { NodeBlock, NodeReader } from '../../abci/abci.ts';
import { StatusError } from '../runtime/abciErrors.ts';
import { encodeAddress } from '../runtime/address.ts';
import { type Keeper, onQuery, packAny } from '../runtime/keeper.ts';
import { release } from '../runtime/release.ts';
import { askNode } from './askNode.ts';
import { limitOf } from './base/page.ts';

const consensusPrefix = 'tpvalcons';

/** The identity of a block in protobuf. */
export function idOf({ hash, parts }: NodeBlock): MessageInitShape<typeof BlockIDSchema> {
  return { hash, partSetHeader: parts };
}

/** The block itself. */
export function readBlock({ bytes }: NodeBlock): Block {
  return fromBinary(BlockSchema, bytes);
}

/** Which items of a list of so many a page has: by offset, 100 of them when it does not say. */
export function rangeOf(request: PageRequest | undefined, count: number): { readonly from: number; readonly to: number } {
  const limit = limitOf(request?.limit);
  const clamped = (place: bigint): number => Number(place < BigInt(count) ? place : BigInt(count));
  const offset = request?.offset ?? 0n;
  return { from: clamped(offset), to: clamped(offset + limit) };
}

/** In the SDK's own form of a block the proposer is named in bech32. */
function sdkHeader(header: Header | undefined) {
  if (header === undefined) return undefined;
  const { $typeName: _, proposerAddress, ...rest } = header;
  return { ...rest, proposerAddress: encodeAddress(proposerAddress, consensusPrefix) };
}

/** What both answers about a block have. */
function told(found: NodeBlock) {
  const block = readBlock(found);
  const { header, data, evidence, lastCommit } = block;
  const own = sdkHeader(header);
  const parts = { ...(data && { data }), ...(evidence && { evidence }), ...(lastCommit && { lastCommit }) };
  return { blockId: idOf(found), block, sdkBlock: { ...(own && { header: own }), ...parts } };
}

/** What both answers about a set of validators have. */
function setAt(node: NodeReader, blockHeight: bigint, pagination: PageRequest | undefined) {
  const { from, to } = rangeOf(pagination, node.validators.length);
  const validators = node.validators.slice(from, to).map(({ address, publicKey, power }) => ({
    address: encodeAddress(address, consensusPrefix),
    pubKey: packAny(PubKeySchema, create(PubKeySchema, { key: publicKey })),
    votingPower: power,
  }));
  return { blockHeight, validators, pagination: { total: BigInt(node.validators.length) } };
}

function requireReached(node: NodeReader, height: bigint): void {
  if (height > node.height) {
    throw new StatusError('InvalidArgument', 'requested block height is bigger then the chain length');
  }
}

/**
 * The service of the node itself: the node is asked, whatever height the question is about. What is refused, and the sets of validators,
 * are a guess by the SDK's source; the rest has the shape of the recordings.
 */
export const blockKeeper: Keeper = {
  messages: [],
  queries: [
    onQuery(Service.method.getNodeInfo, (_, __, ___, node) =>
      askNode(node, ({ identity }) => ({
        defaultNodeInfo: {
          protocolVersion: identity.protocols,
          defaultNodeId: identity.id,
          listenAddr: identity.listenAddress,
          network: identity.network,
          version: identity.version,
          channels: identity.channels,
          moniker: identity.moniker,
          other: { txIndex: identity.indexing ? 'on' : 'off', rpcAddress: identity.rpcAddress },
        },
        applicationVersion: {
          name: release.name,
          appName: release.binary,
          version: release.version,
          cosmosSdkVersion: release.sdk,
        },
      })),
    ),
    onQuery(Service.method.getSyncing, (_, __, ___, node) => askNode(node, ({ catchingUp }) => ({ syncing: catchingUp }))),
    onQuery(Service.method.getLatestBlock, (_, __, ___, node) => askNode(node, (asked) => told(asked.block(asked.height)))),
    onQuery(Service.method.getBlockByHeight, (_, { height }, __, node) =>
      askNode(node, (asked) => {
        requireReached(asked, height);
        return told(asked.block(height));
      }),
    ),
    onQuery(Service.method.getLatestValidatorSet, (_, { pagination }, __, node) =>
      // Of the next block, as the node's own `validators` (chain.md finding 15).
      askNode(node, (asked) => setAt(asked, asked.height + 1n, pagination)),
    ),
    onQuery(Service.method.getValidatorSetByHeight, (_, { height, pagination }, __, node) =>
      askNode(node, (asked) => {
        requireReached(asked, height);
        return setAt(asked, asked.block(height).height, pagination);
      }),
    ),
  ],
};
