import { chainAccessOf } from '../../reads/pin.ts';
import { type Builder, createRef, liveField, PublicKeyRef } from '../../schema/builder.ts';
import { type NodeInfo, type NodeStatus, type SyncInfo, status, type ValidatorInfo } from './status.ts';

/** The result of `status` of a node. */
export const NodeStatusRef = createRef<NodeStatus>('NodeStatus');
/** The information that a node sends to its peers. */
export const NodeInfoRef = createRef<NodeInfo>('NodeInfo');
const ProtocolVersionRef = createRef<NodeInfo['protocolVersion']>('ProtocolVersion');
const NodeInfoOtherRef = createRef<NodeInfo['other']>('NodeInfoOther');
const SyncInfoRef = createRef<SyncInfo>('SyncInfo');
const ValidatorInfoRef = createRef<ValidatorInfo>('ValidatorInfo');

/** Adds `NodeStatus` and `Query.status`. */
export function addStatus(builder: Builder): void {
  builder.objectType(NodeStatusRef, {
    description: 'The result of `status` of a node. Not read at a height.',
    fields: (t) => ({
      nodeInfo: t.expose('nodeInfo', { type: NodeInfoRef, nullable: false }),
      syncInfo: t.expose('syncInfo', { type: SyncInfoRef, nullable: false }),
      validatorInfo: t.expose('validatorInfo', { type: ValidatorInfoRef, nullable: false }),
      lastBlockAge: t.expose('lastBlockAge', {
        type: 'Duration',
        nullable: false,
        description:
          'derived: time since this server received the newest block, by the clock of the server. It grows while the chain is halted.',
      }),
    }),
  });
  addNodeInfo(builder);
  builder.objectType(SyncInfoRef, {
    description: 'The synchronization state of a node.',
    fields: (t) => ({
      latestBlockHash: t.expose('latestBlockHash', { type: 'Hex', nullable: false }),
      latestAppHash: t.expose('latestAppHash', { type: 'Hex', nullable: false }),
      latestBlockHeight: t.expose('latestBlockHeight', { type: 'Int64', nullable: false }),
      latestBlockTime: t.expose('latestBlockTime', { type: 'DateTime', nullable: false }),
      earliestBlockHash: t.expose('earliestBlockHash', { type: 'Hex', nullable: false }),
      earliestAppHash: t.expose('earliestAppHash', { type: 'Hex', nullable: false }),
      earliestBlockHeight: t.expose('earliestBlockHeight', { type: 'Int64', nullable: false }),
      earliestBlockTime: t.expose('earliestBlockTime', { type: 'DateTime', nullable: false }),
      catchingUp: t.exposeBoolean('catchingUp', { nullable: false }),
    }),
  });
  builder.objectType(ValidatorInfoRef, {
    description: 'The validator key of a node. The voting power is 0 if the node is not a validator.',
    fields: (t) => ({
      address: t.expose('address', { type: 'Hex', nullable: false }),
      publicKey: t.expose('publicKey', { type: PublicKeyRef, nullable: false }),
      votingPower: t.expose('votingPower', { type: 'Int64', nullable: false }),
    }),
  });
  builder.queryField('status', (t) =>
    t.field({
      type: NodeStatusRef,
      description: 'The result of `status` of the current node. Not read at a height.',
      extensions: liveField,
      resolve: (root) => status(chainAccessOf(root)),
    }),
  );
}

function addNodeInfo(builder: Builder): void {
  builder.objectType(NodeInfoRef, {
    description: 'The information that a node sends to its peers.',
    fields: (t) => ({
      protocolVersion: t.expose('protocolVersion', { type: ProtocolVersionRef, nullable: false }),
      id: t.exposeString('id', { nullable: false }),
      listenAddr: t.exposeString('listenAddr', { nullable: false }),
      network: t.exposeString('network', { nullable: false, description: 'Chain id.' }),
      version: t.exposeString('version', {
        nullable: false,
        description: 'The version of CometBFT as built. It can be wrong.',
      }),
      channels: t.expose('channels', { type: 'Hex', nullable: false }),
      moniker: t.exposeString('moniker', { nullable: false }),
      other: t.expose('other', { type: NodeInfoOtherRef, nullable: false }),
    }),
  });
  builder.objectType(ProtocolVersionRef, {
    description: 'The protocol versions that a node supports.',
    fields: (t) => ({
      p2p: t.expose('p2p', { type: 'UInt64', nullable: false }),
      block: t.expose('block', { type: 'UInt64', nullable: false }),
      app: t.expose('app', { type: 'UInt64', nullable: false }),
    }),
  });
  builder.objectType(NodeInfoOtherRef, {
    description: 'Further information about a node.',
    fields: (t) => ({
      txIndex: t.exposeString('txIndex', { nullable: false, description: '`on` or `off`.' }),
      rpcAddress: t.exposeString('rpcAddress', { nullable: false }),
    }),
  });
}
