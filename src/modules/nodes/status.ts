import { fromMilliseconds, type Nanoseconds } from '../../chain/base/time.ts';
import type { NodeHandle } from '../../chain/transports/transport.ts';
import { asObject, bigintAt, booleanAt, type JsonObject, type JsonValue, objectAt, textAt } from '../../chain/wire/json.ts';
import type { ChainAccess } from '../../reads/pin.ts';
import type { PublicKey } from '../../schema/builder.ts';

/** The information that a node sends to its peers. */
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

/** The synchronization state of a node. Hashes are upper case hex, times are text. */
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

/** The validator key of a node. */
export interface ValidatorInfo {
  readonly address: string;
  readonly publicKey: PublicKey;
  readonly votingPower: bigint;
}

/** The result of `status` (docs/chain.md, "Node status and peers"). */
export interface NodeStatus {
  readonly nodeInfo: NodeInfo;
  readonly syncInfo: SyncInfo;
  readonly validatorInfo: ValidatorInfo;
  /** Time since this server received the newest block, by the clock of the server. */
  readonly lastBlockAge: Nanoseconds;
}

/** Decodes the `node_info` in `status`, and of each peer in `net_info`. */
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

/** Calls `status` of `node`; default: the current node. The result is never cached. */
export async function status({ client, signal }: ChainAccess, node: Pick<NodeHandle, 'call'> = client): Promise<NodeStatus> {
  const answer = await node.call('status', {}, { signal, decode: decodeStatus });
  return { ...answer, lastBlockAge: fromMilliseconds(client.sinceBlock()) };
}
