import { reachOf } from '../../reads/pin.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { liveField } from '../../schema/live.ts';
import { type NodeInfo, type NodeStatus, type PublicKey, type SyncInfo, status, type ValidatorInfo } from './status.ts';

/** `status` of a node. */
export const NodeStatusRef = createRef<NodeStatus>('NodeStatus');
/** What a node says of itself. */
export const NodeInfoRef = createRef<NodeInfo>('NodeInfo');
const ProtocolVersionRef = createRef<NodeInfo['protocolVersion']>('ProtocolVersion');
const NodeInfoOtherRef = createRef<NodeInfo['other']>('NodeInfoOther');
const SyncInfoRef = createRef<SyncInfo>('SyncInfo');
const ValidatorInfoRef = createRef<ValidatorInfo>('ValidatorInfo');

/** A public key, of a validator or an account. */
export const PublicKeyRef = createRef<PublicKey>('PublicKey');

/** Adds `NodeStatus` and `Query.status`. */
export function addStatus(builder: Builder): void {
  builder.objectType(NodeStatusRef, {
    description: '`status` of a node. Not of a height.',
    fields: (t) => ({
      nodeInfo: t.expose('nodeInfo', { type: NodeInfoRef, nullable: false }),
      syncInfo: t.expose('syncInfo', { type: SyncInfoRef, nullable: false }),
      validatorInfo: t.expose('validatorInfo', { type: ValidatorInfoRef, nullable: false }),
      lastBlockAge: t.expose('lastBlockAge', {
        type: 'Duration',
        nullable: false,
        description: 'derived: time since this server saw the newest block, by its own clock; grows while a chain is halted.',
      }),
    }),
  });
  addNodeInfo(builder);
  builder.objectType(SyncInfoRef, {
    description: 'How far a node has come.',
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
    description: "A node's own validator key; voting power 0 when it is no validator.",
    fields: (t) => ({
      address: t.expose('address', { type: 'Hex', nullable: false }),
      publicKey: t.expose('publicKey', { type: PublicKeyRef, nullable: false }),
      votingPower: t.expose('votingPower', { type: 'Int64', nullable: false }),
    }),
  });
  builder.objectType(PublicKeyRef, {
    description: 'A public key.',
    fields: (t) => ({
      type: t.exposeString('type', {
        nullable: false,
        description: 'As on the wire: `/cosmos.crypto.secp256k1.PubKey`, `tendermint/PubKeyEd25519`, …',
      }),
      value: t.expose('value', {
        type: 'Base64',
        nullable: false,
        description: "The key's bytes; for a composite key (multisig, module credential) its protobuf bytes.",
      }),
    }),
  });
  builder.queryField('status', (t) =>
    t.field({
      type: NodeStatusRef,
      description: '`status` of the node in use. Not of a height.',
      extensions: liveField,
      resolve: (root) => status(reachOf(root)),
    }),
  );
}

function addNodeInfo(builder: Builder): void {
  builder.objectType(NodeInfoRef, {
    description: 'What a node says of itself to its peers.',
    fields: (t) => ({
      protocolVersion: t.expose('protocolVersion', { type: ProtocolVersionRef, nullable: false }),
      id: t.exposeString('id', { nullable: false }),
      listenAddr: t.exposeString('listenAddr', { nullable: false }),
      network: t.exposeString('network', { nullable: false, description: 'Chain id.' }),
      version: t.exposeString('version', { nullable: false, description: 'Of CometBFT, as built; not reliable.' }),
      channels: t.expose('channels', { type: 'Hex', nullable: false }),
      moniker: t.exposeString('moniker', { nullable: false }),
      other: t.expose('other', { type: NodeInfoOtherRef, nullable: false }),
    }),
  });
  builder.objectType(ProtocolVersionRef, {
    description: 'Protocol versions that a node speaks.',
    fields: (t) => ({
      p2p: t.expose('p2p', { type: 'UInt64', nullable: false }),
      block: t.expose('block', { type: 'UInt64', nullable: false }),
      app: t.expose('app', { type: 'UInt64', nullable: false }),
    }),
  });
  builder.objectType(NodeInfoOtherRef, {
    description: 'Further things a node says of itself.',
    fields: (t) => ({
      txIndex: t.exposeString('txIndex', { nullable: false, description: '`on` or `off`.' }),
      rpcAddress: t.exposeString('rpcAddress', { nullable: false }),
    }),
  });
}
