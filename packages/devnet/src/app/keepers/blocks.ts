import { create, fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import type { PageRequest } from '../../../../../src/proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { Service } from '../../../../../src/proto/cosmos/base/tendermint/v1beta1/query_pb.js';
import { PubKeySchema } from '../../../../../src/proto/cosmos/crypto/ed25519/keys_pb.js';
import { type Block, BlockSchema } from '../../../../../src/proto/tendermint/types/block_pb.js';
import type { BlockIDSchema, Header } from '../../../../../src/proto/tendermint/types/types_pb.js';
import type { NodeBlock, NodeReader } from '../../abci/abci.ts';
import { StatusError } from '../runtime/abciErrors.ts';
import { encodeAddress } from '../runtime/address.ts';
import { type Keeper, onQuery, packAny } from '../runtime/keeper.ts';
import type { Release } from '../runtime/release.ts';
import { limitOf } from './base/page.ts';
import { callNode } from './callNode.ts';

const consensusPrefix = 'tpvalcons';

/** Converts the id of a block to protobuf. */
export function idOf({ hash, parts }: NodeBlock): MessageInitShape<typeof BlockIDSchema> {
  return { hash, partSetHeader: parts };
}

/** Decodes a block. */
export function readBlock({ bytes }: NodeBlock): Block {
  return fromBinary(BlockSchema, bytes);
}

/** Returns the range of a page in a list: by offset, with a default size of 100. */
export function rangeOf(request: PageRequest | undefined, count: number): { readonly from: number; readonly to: number } {
  const limit = limitOf(request?.limit);
  const clamped = (place: bigint): number => Number(place < BigInt(count) ? place : BigInt(count));
  const offset = request?.offset ?? 0n;
  return { from: clamped(offset), to: clamped(offset + limit) };
}

/** Converts a block to the SDK's format, in which the address of the proposer is bech32. */
function sdkHeader(header: Header | undefined) {
  if (header === undefined) return undefined;
  const { $typeName: _, proposerAddress, ...rest } = header;
  return { ...rest, proposerAddress: encodeAddress(proposerAddress, consensusPrefix) };
}

/** The common members of both block responses. */
function encoded(nodeBlock: NodeBlock) {
  const block = readBlock(nodeBlock);
  const { header, data, evidence, lastCommit } = block;
  const ownHeader = sdkHeader(header);
  const parts = { ...(data && { data }), ...(evidence && { evidence }), ...(lastCommit && { lastCommit }) };
  return { blockId: idOf(nodeBlock), block, sdkBlock: { ...(ownHeader && { header: ownHeader }), ...parts } };
}

/** The common members of both validator responses. */
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
 * The service of the node itself, which reads from the node, whatever the height of the query. Errors and validators are
 * guesses from the source of the SDK; the other formats are recorded.
 */
export const createBlockKeeper = (release: Release): Keeper => ({
  messages: [],
  queries: [
    onQuery(Service.method.getNodeInfo, (_, __, ___, node) =>
      callNode(node, ({ identity }) => ({
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
    onQuery(Service.method.getSyncing, (_, __, ___, node) => callNode(node, ({ catchingUp }) => ({ syncing: catchingUp }))),
    onQuery(Service.method.getLatestBlock, (_, __, ___, node) =>
      callNode(node, (reader) => encoded(reader.block(reader.height))),
    ),
    onQuery(Service.method.getBlockByHeight, (_, { height }, __, node) =>
      callNode(node, (reader) => {
        requireReached(reader, height);
        return encoded(reader.block(height));
      }),
    ),
    onQuery(Service.method.getLatestValidatorSet, (_, { pagination }, __, node) =>
      // Those of the next block, as in the node's `validators` (docs/chain.md, "Heights of the node RPC").
      callNode(node, (reader) => setAt(reader, reader.height + 1n, pagination)),
    ),
    onQuery(Service.method.getValidatorSetByHeight, (_, { height, pagination }, __, node) =>
      callNode(node, (reader) => {
        requireReached(reader, height);
        return setAt(reader, reader.block(height).height, pagination);
      }),
    ),
  ],
});
