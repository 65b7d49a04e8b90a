import type { NodeHandle } from '../../chain/transports/transport.ts';
import { asObject, bigintAt, booleanAt, objectAt, textAt } from '../../chain/wire/decode.ts';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import type { Reach } from '../../reads/pin.ts';
import { fromMilliseconds, type Nanoseconds } from '../../reads/time.ts';

/** A public key: type as on the wire (`tendermint/PubKeyEd25519`), bytes in base64. */
export interface PublicKey {
  readonly type: string;
  readonly value: string;
}

/** What a node says of itself to its peers. */
export interface NodeInfo {
  readonly protocolVersion: { readonly p2p: bigint; readonly block: bigint; readonly app: bigint };
  readonly id: string;
  readonly listenAddr: string;
  readonly network: string;
  readonly version: string;
  readonly channels: string;
  readonly moniker: string;
  readonly other: { readonly txIndex: string; readonly rpcAddress: string };
}

/** How far a node has come. Hashes in upper case hex, times as text. */
export interface SyncInfo {
  readonly latestBlockHash: string;
  readonly latestAppHash: string;
  readonly latestBlockHeight: bigint;
  readonly latestBlockTime: string;
  readonly earliestBlockHash: string;
  readonly earliestAppHash: string;
  readonly earliestBlockHeight: bigint;
  readonly earliestBlockTime: string;
  readonly catchingUp: boolean;
}

/** A node's own validator key. */
export interface ValidatorInfo {
  readonly address: string;
  readonly publicKey: PublicKey;
  readonly votingPower: bigint;
}

/** `status` of a node (chain.md 1.6). */
export interface NodeStatus {
  readonly nodeInfo: NodeInfo;
  readonly syncInfo: SyncInfo;
  readonly validatorInfo: ValidatorInfo;
  /** Time since this server saw the newest block, by its own clock. */
  readonly lastBlockAge: Nanoseconds;
}

/** Reads what a node says of itself, in `status` and of each peer in `net_info`. */
export function decodeNodeInfo(node: JsonObject): NodeInfo {
  const version = objectAt(node, 'protocol_version');
  const other = objectAt(node, 'other');
  return {
    protocolVersion: { p2p: bigintAt(version, 'p2p'), block: bigintAt(version, 'block'), app: bigintAt(version, 'app') },
    id: textAt(node, 'id'),
    listenAddr: textAt(node, 'listen_addr'),
    network: textAt(node, 'network'),
    version: textAt(node, 'version'),
    channels: textAt(node, 'channels'),
    moniker: textAt(node, 'moniker'),
    other: { txIndex: textAt(other, 'tx_index'), rpcAddress: textAt(other, 'rpc_address') },
  };
}

function decodeStatus(json: JsonValue): Omit<NodeStatus, 'lastBlockAge'> {
  const result = asObject(json, 'status');
  const sync = objectAt(result, 'sync_info');
  const validator = objectAt(result, 'validator_info');
  const key = objectAt(validator, 'pub_key');
  return {
    nodeInfo: decodeNodeInfo(objectAt(result, 'node_info')),
    syncInfo: {
      latestBlockHash: textAt(sync, 'latest_block_hash'),
      latestAppHash: textAt(sync, 'latest_app_hash'),
      latestBlockHeight: bigintAt(sync, 'latest_block_height'),
      latestBlockTime: textAt(sync, 'latest_block_time'),
      earliestBlockHash: textAt(sync, 'earliest_block_hash'),
      earliestAppHash: textAt(sync, 'earliest_app_hash'),
      earliestBlockHeight: bigintAt(sync, 'earliest_block_height'),
      earliestBlockTime: textAt(sync, 'earliest_block_time'),
      catchingUp: booleanAt(sync, 'catching_up'),
    },
    validatorInfo: {
      address: textAt(validator, 'address'),
      publicKey: { type: textAt(key, 'type'), value: textAt(key, 'value') },
      votingPower: bigintAt(validator, 'voting_power'),
    },
  };
}

/** `status`, asked now: it is of no height and never kept. Of the node in use, or of `node`. */
export async function status({ client, signal }: Reach, node: Pick<NodeHandle, 'call'> = client): Promise<NodeStatus> {
  const answer = await node.call('status', {}, { signal, decode: decodeStatus });
  return { ...answer, lastBlockAge: fromMilliseconds(client.sinceBlock()) };
}
