import { chainAccessOf } from '../../reads/pin.ts';
import { type Builder, createRef, liveField } from '../../schema/builder.ts';
import { type ChannelStatus, type ConnectionStatus, type FlowMonitor, type NetInfo, netInfo, type Peer } from './netInfo.ts';
import { NodeInfoRef } from './statusSchema.ts';

/** The result of `net_info` of a node. */
export const NetInfoRef = createRef<NetInfo>('NetInfo');
const PeerRef = createRef<Peer>('Peer');
const ConnectionStatusRef = createRef<ConnectionStatus>('ConnectionStatus');
const FlowMonitorRef = createRef<FlowMonitor>('FlowMonitor');
const ChannelStatusRef = createRef<ChannelStatus>('ChannelStatus');

/** Adds `NetInfo` and `Query.netInfo`. */
export function addNetInfo(builder: Builder): void {
  builder.objectType(NetInfoRef, {
    description: 'The result of `net_info` of a node. Not read at a height.',
    fields: (t) => ({
      listening: t.exposeBoolean('listening', { nullable: false }),
      listeners: t.exposeStringList('listeners', { nullable: false }),
      nPeers: t.expose('nPeers', { type: 'Int64', nullable: false }),
      peers: t.expose('peers', { type: [PeerRef], nullable: false }),
    }),
  });
  builder.objectType(PeerRef, {
    description: 'A peer of a node.',
    fields: (t) => ({
      nodeInfo: t.expose('nodeInfo', { type: NodeInfoRef, nullable: false }),
      isOutbound: t.exposeBoolean('isOutbound', { nullable: false }),
      connectionStatus: t.expose('connectionStatus', { type: ConnectionStatusRef, nullable: false }),
      remoteIp: t.exposeString('remoteIp', { nullable: false }),
    }),
  });
  builder.objectType(ConnectionStatusRef, {
    description: 'The state of a connection to a peer.',
    fields: (t) => ({
      duration: t.expose('duration', { type: 'Duration', nullable: false }),
      sendMonitor: t.expose('sendMonitor', { type: FlowMonitorRef, nullable: false }),
      recvMonitor: t.expose('recvMonitor', { type: FlowMonitorRef, nullable: false }),
      channels: t.expose('channels', { type: [ChannelStatusRef], nullable: false }),
    }),
  });
  builder.objectType(FlowMonitorRef, {
    description: 'The flow of bytes in one direction of a connection. Rates are in bytes per second.',
    fields: (t) => ({
      start: t.expose('start', { type: 'DateTime', nullable: false }),
      bytes: t.expose('bytes', { type: 'Int64', nullable: false }),
      samples: t.expose('samples', { type: 'Int64', nullable: false }),
      instRate: t.expose('instRate', { type: 'Int64', nullable: false }),
      curRate: t.expose('curRate', { type: 'Int64', nullable: false }),
      avgRate: t.expose('avgRate', { type: 'Int64', nullable: false }),
      peakRate: t.expose('peakRate', { type: 'Int64', nullable: false }),
      bytesRem: t.expose('bytesRem', { type: 'Int64', nullable: false }),
      duration: t.expose('duration', { type: 'Duration', nullable: false }),
      idle: t.expose('idle', { type: 'Duration', nullable: false }),
      timeRem: t.expose('timeRem', { type: 'Duration', nullable: false }),
      progress: t.exposeInt('progress', { nullable: false, description: 'In thousandths of a percent.' }),
      active: t.exposeBoolean('active', { nullable: false }),
    }),
  });
  builder.objectType(ChannelStatusRef, {
    description: 'The queue of one channel of a connection.',
    fields: (t) => ({
      id: t.exposeInt('id', { nullable: false }),
      sendQueueCapacity: t.expose('sendQueueCapacity', { type: 'Int64', nullable: false }),
      sendQueueSize: t.expose('sendQueueSize', { type: 'Int64', nullable: false }),
      priority: t.expose('priority', { type: 'Int64', nullable: false }),
      recentlySent: t.expose('recentlySent', { type: 'Int64', nullable: false }),
    }),
  });
  builder.queryField('netInfo', (t) =>
    t.field({
      type: NetInfoRef,
      description: 'The result of `net_info` of the current node. Not read at a height.',
      extensions: liveField,
      resolve: (root) => netInfo(chainAccessOf(root)),
    }),
  );
}
