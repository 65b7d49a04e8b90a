import type { Nanoseconds } from '../../chain/base/time.ts';
import type { NodeHandle } from '../../chain/transports/transport.ts';
import {
  arrayAt,
  asObject,
  bigintAt,
  booleanAt,
  intAt,
  type JsonObject,
  type JsonValue,
  malformed,
  objectAt,
  textAt,
} from '../../chain/wire/json.ts';
import type { ChainAccess } from '../../reads/pin.ts';
import { decodeNodeInfo, type NodeInfo } from './status.ts';

/** The flow of bytes in one direction of a connection. Rates are in bytes per second. */
export interface FlowMonitor {
  readonly start: string;
  readonly bytes: bigint;
  readonly samples: bigint;
  readonly instRate: bigint;
  readonly curRate: bigint;
  readonly avgRate: bigint;
  readonly peakRate: bigint;
  readonly bytesRem: bigint;
  readonly duration: Nanoseconds;
  readonly idle: Nanoseconds;
  readonly timeRem: Nanoseconds;
  readonly progress: number;
  readonly active: boolean;
}

/** The queue of one channel of a connection. */
export interface ChannelStatus {
  readonly id: number;
  readonly sendQueueCapacity: bigint;
  readonly sendQueueSize: bigint;
  readonly priority: bigint;
  readonly recentlySent: bigint;
}

/** The state of a connection to a peer. */
export interface ConnectionStatus {
  readonly duration: Nanoseconds;
  readonly sendMonitor: FlowMonitor;
  readonly recvMonitor: FlowMonitor;
  readonly channels: readonly ChannelStatus[];
}

/** A peer of a node. */
export interface Peer {
  readonly nodeInfo: NodeInfo;
  readonly isOutbound: boolean;
  readonly connectionStatus: ConnectionStatus;
  readonly remoteIp: string;
}

/**
 * The result of `net_info` (docs/chain.md, "Node status and peers"). No recording has a peer; its fields follow the source of
 * CometBFT.
 */
export interface NetInfo {
  readonly listening: boolean;
  readonly listeners: readonly string[];
  readonly nPeers: bigint;
  readonly peers: readonly Peer[];
}

function decodeMonitor(json: JsonObject): FlowMonitor {
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

function decodePeer(json: JsonObject): Peer {
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

/** Calls `net_info` of `node`; default: the current node. */
export function netInfo({ client, signal }: ChainAccess, node: Pick<NodeHandle, 'call'> = client): Promise<NetInfo> {
  return node.call('net_info', {}, { signal, decode: decodeNetInfo });
}

function decodeNetInfo(json: JsonValue): NetInfo {
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
