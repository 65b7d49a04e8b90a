import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { ChainError } from '../../chain/base/errors.ts';
import { fromMilliseconds } from '../../chain/base/time.ts';
import type { Client } from '../../chain/client.ts';
import { isPrunedLog } from '../../chain/rpc/rpcErrors.ts';
import type { CallOptions, NodeHandle } from '../../chain/transports/transport.ts';
import {
  arrayAt,
  asObject,
  bigintAt,
  booleanAt,
  bytesAt,
  intAt,
  type JsonObject,
  type JsonValue,
  malformed,
  objectAt,
  textAt,
} from '../../chain/wire/json.ts';
import { badInput } from '../../reads/errors.ts';
import { hexOf } from '../../reads/input.ts';
import type { ChainAccess } from '../../reads/pin.ts';

/** One step of a proof. Bytes are base64. */
export interface ProofStep {
  readonly type: string;
  readonly key: string;
  readonly data: string;
}

/** A raw application query. The caller has checked the height. */
interface AbciQueryRequest {
  readonly path: string;
  readonly data: Uint8Array;
  readonly height: bigint;
  readonly prove: boolean;
}

/** Calls `abci_info` of the current node. Absent members are zero. */
export async function abciInfo({ client, signal }: ChainAccess) {
  const response = objectAt(asObject(await client.call('abci_info', {}, { signal }), 'abci_info'), 'response');
  return {
    data: textAt(response, 'data'),
    version: textAt(response, 'version'),
    appVersion: bigintAt(response, 'app_version'),
    lastBlockHeight: bigintAt(response, 'last_block_height'),
    lastBlockAppHash: hexOf(bytesAt(response, 'last_block_app_hash')),
  };
}

/** A query path of a node that sends a transaction. It must not be reachable with the scope `read` alone. */
export const broadcastPath = '/cosmos.tx.v1beta1.Service/BroadcastTx';

/**
 * Checks a query path: a method of a service, a raw store, or the version of the application. Other paths are BAD_USER_INPUT.
 * Whether the service exists is not checked here; the chain reports it.
 */
export function pathInput(argument: string, path: string): string {
  const allowed = /^\/[A-Za-z_]\w*(\.\w+)+\/[A-Za-z_]\w*$|^\/store\/[\w.-]+\/(key|subspace)$|^\/app\/version$/;
  if (path.length <= 256 && allowed.test(path) && path !== broadcastPath) return path;
  throw badInput(argument, path, '`/package.Service/Method`, `/store/<name>/key`, `/store/<name>/subspace` or `/app/version`');
}

/** Encodes the steps of a proof as a protobuf `tendermint.crypto.ProofOps`, in upper case hex. */
export function encodeProof(steps: readonly ProofStep[]): string {
  const writer = new BinaryWriter();
  for (const { type, key, data } of steps) {
    writer.uint32((1 << 3) | 2).fork();
    if (type !== '') writer.uint32((1 << 3) | 2).string(type);
    if (key !== '') writer.uint32((2 << 3) | 2).bytes(Buffer.from(key, 'base64'));
    if (data !== '') writer.uint32((3 << 3) | 2).bytes(Buffer.from(data, 'base64'));
    writer.join();
  }
  return hexOf(writer.finish());
}

/** The steps of the proof in a `response` of `abci_query`; null if it has none. */
export function decodeSteps(response: JsonObject): readonly ProofStep[] | null {
  if (response.proofOps == null) return null;
  return arrayAt(objectAt(response, 'proofOps'), 'ops').map((item) => {
    const op = asObject(item, 'proof op');
    return { type: textAt(op, 'type'), key: textAt(op, 'key'), data: textAt(op, 'data') };
  });
}

/** Decodes the result of `abci_query` at a height. */
function decodeAnswer(result: JsonValue, height: bigint) {
  const response = objectAt(asObject(result, 'abci_query'), 'response');
  const log = textAt(response, 'log');
  const code = bigintAt(response, 'code');
  const codespace = textAt(response, 'codespace');
  if (isPrunedLog(log)) throw new ChainError('HEIGHT_PRUNED', `The state at height ${height} is pruned: ${log}`, { height });
  if (code === 26n && codespace === 'sdk') throw new ChainError('HEIGHT_NOT_YET_AVAILABLE', log, { height });
  const repliedHeight = bigintAt(response, 'height');
  if (code === 0n && repliedHeight !== height)
    throw malformed(`abci_query returned height ${repliedHeight} instead of ${height}`);
  const key = bytesAt(response, 'key');
  const value = bytesAt(response, 'value');
  const proofOps = decodeSteps(response);
  return {
    code,
    codespace,
    log,
    info: textAt(response, 'info'),
    index: bigintAt(response, 'index'),
    height: repliedHeight,
    key: key === undefined ? null : hexOf(key),
    value: value === undefined ? null : hexOf(value),
    proofOps,
    proof: proofOps && encodeProof(proofOps),
  };
}

/**
 * Calls `abci_query`. A code other than 0 is part of the result, not an error. Fails with HEIGHT_PRUNED if the state at the
 * height is gone, also on paths that answer with code 0 and no value then, and with HEIGHT_NOT_YET_AVAILABLE if no node has the
 * height yet.
 */
export function abciQuery(
  client: Client,
  { path, data, height, prove }: AbciQueryRequest,
  { signal, maySimulate }: Partial<CallOptions<never>> = {},
) {
  const params = { path, data: Buffer.from(data).toString('hex'), height: height.toString(), prove };
  return client.call('abci_query', params, { height, signal, maySimulate, decode: (result) => decodeAnswer(result, height) });
}

/** Decodes the `node_info` in `status`, and of each peer in `net_info`. */
function decodeNodeInfo(node: JsonObject) {
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

function decodeStatus(json: JsonValue) {
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
export async function status({ client, signal }: ChainAccess, node: Pick<NodeHandle, 'call'> = client) {
  const answer = await node.call('status', {}, { signal, decode: decodeStatus });
  // The age is by the clock of this server.
  return { ...answer, lastBlockAge: fromMilliseconds(client.sinceBlock()) };
}

function decodeMonitor(json: JsonObject) {
  return {
    start: textAt(json, 'Start'),
    bytes: bigintAt(json, 'Bytes'),
    samples: bigintAt(json, 'Samples'),
    instRate: bigintAt(json, 'InstRate'),
    curRate: bigintAt(json, 'CurRate'),
    avgRate: bigintAt(json, 'AvgRate'),
    peakRate: bigintAt(json, 'PeakRate'),
    bytesRem: bigintAt(json, 'BytesRem'),
    duration: bigintAt(json, 'Duration'),
    idle: bigintAt(json, 'Idle'),
    timeRem: bigintAt(json, 'TimeRem'),
    progress: intAt(json, 'Progress'),
    active: booleanAt(json, 'Active'),
  };
}

function decodePeer(json: JsonObject) {
  const status = objectAt(json, 'connection_status');
  return {
    nodeInfo: decodeNodeInfo(objectAt(json, 'node_info')),
    isOutbound: booleanAt(json, 'is_outbound'),
    connectionStatus: {
      duration: bigintAt(status, 'Duration'),
      sendMonitor: decodeMonitor(objectAt(status, 'SendMonitor')),
      recvMonitor: decodeMonitor(objectAt(status, 'RecvMonitor')),
      channels: arrayAt(status, 'Channels').map((item) => {
        const channel = asObject(item, 'channel');
        return {
          id: intAt(channel, 'ID'),
          sendQueueCapacity: bigintAt(channel, 'SendQueueCapacity'),
          sendQueueSize: bigintAt(channel, 'SendQueueSize'),
          priority: bigintAt(channel, 'Priority'),
          recentlySent: bigintAt(channel, 'RecentlySent'),
        };
      }),
    },
    remoteIp: textAt(json, 'remote_ip'),
  };
}

/** Calls `net_info` of `node`; default: the current node. No recording has a peer; its fields follow the source of CometBFT. */
export function netInfo({ client, signal }: ChainAccess, node: Pick<NodeHandle, 'call'> = client) {
  return node.call('net_info', {}, { signal, decode: decodeNetInfo });
}

function decodeNetInfo(json: JsonValue) {
  const result = asObject(json, 'net_info');
  return {
    listening: booleanAt(result, 'listening'),
    listeners: arrayAt(result, 'listeners').map((listener) => {
      if (typeof listener !== 'string') throw malformed('a listener is not text');
      return listener;
    }),
    nPeers: bigintAt(result, 'n_peers'),
    peers: arrayAt(result, 'peers').map((peer) => decodePeer(asObject(peer, 'peer'))),
  };
}
