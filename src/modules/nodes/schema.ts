import { fromMilliseconds } from '../../chain/base/time.ts';
import type { NodeHandle, NodeView } from '../../chain/transports/transport.ts';
import { arrayAt, asObject, bigintAt, type JsonObject, type JsonValue, malformed } from '../../chain/wire/json.ts';
import { pageDefault } from '../../config/bounds.ts';
import { ErrorCode } from '../../config/errorCodes.ts';
import { badInput, RequestError } from '../../reads/errors.ts';
import { checkHeight } from '../../reads/height.ts';
import { dataInput } from '../../reads/input.ts';
import { type ChainAccess, chainAccessOf, type Pin, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { maySimulate } from '../../reads/viewer.ts';
import { type Builder, createRef, liveField, nonNull, nonNullList, PublicKeyRef, usesContext } from '../../schema/builder.ts';
import { checkPageSize } from '../../schema/connection.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { type SignedTx, signedTx } from '../transactions/query.ts';
import { SignedTransactionRef } from '../transactions/schema.ts';
import { abciInfo, abciQuery, netInfo, type ProofStep, pathInput, status } from './query.ts';

type NodeStatus = Awaited<ReturnType<typeof status>>;
type Peer = Awaited<ReturnType<typeof netInfo>>['peers'][number];

const AbciInfoRef = createRef<Awaited<ReturnType<typeof abciInfo>>>('AbciInfo');
const AbciQueryResultRef = createRef<Awaited<ReturnType<typeof abciQuery>>>('AbciQueryResult');
const ProofOpRef = createRef<ProofStep>('ProofOp');

/** The height of a raw query. Absent or 0 is the height of the operation. */
function queryHeight(height: bigint | null | undefined, latest: bigint): bigint {
  if (height == null || height === 0n) return latest;
  if (height > 0n) return checkHeight('height', height, latest);
  throw new RequestError('BAD_USER_INPUT', 'cannot query with height < 0; please provide a valid height', {
    argument: 'height',
    value: height.toString(),
    bound: 'a height, or 0 for the height of the operation',
  });
}

/** Adds `Query.abciInfo` and `Query.abciQuery` with their types. */
function addAbci(builder: Builder): void {
  builder.objectType(AbciInfoRef, {
    description:
      'Information about the application, with the names and encodings of the documented dialect. Not read at a height.',
    fields: (t) => ({
      data: t.exposeString('data', { nullable: false }),
      version: t.exposeString('version', { nullable: false }),
      appVersion: t.expose('appVersion', { type: 'UInt64', nullable: false }),
      lastBlockHeight: t.expose('lastBlockHeight', { type: 'Int64', nullable: false }),
      lastBlockAppHash: t.expose('lastBlockAppHash', { type: 'Hex', nullable: false }),
    }),
  });
  builder.objectType(AbciQueryResultRef, {
    description:
      'The result of a raw application query, with the names and encodings of the documented dialect (hexadecimal, decimal strings).',
    fields: (t) => ({
      log: t.exposeString('log', { nullable: false }),
      info: t.exposeString('info', { nullable: false }),
      height: t.expose('height', { type: 'Int64', nullable: false, description: 'The height of the state that was read.' }),
      proof: t.expose('proof', {
        type: 'Hex',
        description: 'The proof as one protobuf `ProofOps`; null unless `prove` is true and the path is `/store/…/key`.',
      }),
      proofOps: t.expose('proofOps', { type: [ProofOpRef], description: 'The steps of the proof.' }),
      value: t.expose('value', { type: 'Hex', description: 'null if there is no value.' }),
      key: t.expose('key', { type: 'Hex' }),
      index: t.expose('index', { type: 'Int64', nullable: false }),
      code: t.expose(
        'code',
        nonNull('UInt64', '0 is success. A decimal string, as in the documented dialect; codes of transactions are integers.'),
      ),
      codespace: t.exposeString('codespace', { nullable: false }),
    }),
  });
  builder.objectType(ProofOpRef, {
    description: 'One step of a proof, such as `ics23:iavl`.',
    fields: (t) => ({
      type: t.exposeString('type', { nullable: false }),
      key: t.expose('key', { type: 'Base64', nullable: false }),
      data: t.expose('data', { type: 'Base64', nullable: false }),
    }),
  });
  builder.queryFields((t) => ({
    abciInfo: t.field({
      type: AbciInfoRef,
      description: 'Information about the application of the current node. Not read at a height.',
      extensions: liveField,
      resolve: (root) => abciInfo(pinOf(root)),
    }),
  }));
  addHeightFields(builder, (t) => ({
    abciQuery: t.field({
      type: AbciQueryResultRef,
      description:
        'A raw application query. A code other than 0 is part of the result, not an error. `data`: hexadecimal, with or without `0x`, or raw characters in double quotes.\n`height`: absent or 0 is the height of the operation.',
      // The code and log of a rejected query are not state of the chain.
      extensions: liveField,
      args: {
        path: t.arg.string({ required: true }),
        data: t.arg.string({ required: true }),
        height: t.arg({ type: 'Int64' }),
        prove: t.arg.boolean({ defaultValue: false }),
      },
      resolve: usesContext((root, { path, data, height, prove }, { viewer }) => {
        const pin = pinOf(root);
        const query = {
          path: pathInput('path', path),
          data: dataInput('data', data),
          height: queryHeight(height, pin.height),
          prove: prove ?? false,
        };
        return abciQuery(pin.client, query, { signal: pin.signal, maySimulate: maySimulate(viewer) });
      }),
    }),
  }));
}

interface Mempool {
  readonly nTxs: bigint;
  readonly total: bigint;
  readonly totalBytes: bigint;
  readonly txs: readonly Pinned<SignedTx>[] | null;
}

interface GenesisChunk {
  readonly chunk: bigint;
  readonly total: bigint;
  readonly data: string;
}

const MempoolRef = createRef<Mempool>('UnconfirmedTransactions');
const UnconfirmedTransactionRef = createRef<Pinned<SignedTx>>('UnconfirmedTransaction');
const GenesisChunkRef = createRef<GenesisChunk>('GenesisChunk');

function decodeMempool(pin: Pin, json: JsonValue): Mempool {
  const result = asObject(json, 'unconfirmed_txs');
  return {
    nTxs: bigintAt(result, 'n_txs'),
    total: bigintAt(result, 'total'),
    totalBytes: bigintAt(result, 'total_bytes'),
    txs:
      result.txs == null
        ? null
        : arrayAt(result, 'txs').map((tx) => {
            if (typeof tx !== 'string') throw malformed('a transaction is not base64');
            return pinned(pin, signedTx(tx));
          }),
  };
}

/** Calls a method of the current node. */
function callCurrentNode({ client, signal }: Pin, method: string, params: JsonObject = {}): Promise<JsonValue> {
  return client.call(method, params, { signal });
}

async function mempool(pin: Pin, first: number): Promise<Mempool> {
  checkPageSize(pin, first);
  // A node reads a limit of 0 as 30.
  if (first === 0) {
    const mempoolCounts = decodeMempool(pin, await callCurrentNode(pin, 'num_unconfirmed_txs'));
    return { ...mempoolCounts, nTxs: 0n, txs: [] };
  }
  return decodeMempool(pin, await callCurrentNode(pin, 'unconfirmed_txs', { limit: first.toString() }));
}

async function genesisChunk(pin: Pin, chunk: bigint): Promise<GenesisChunk> {
  if (chunk < 0n) throw badInput('chunk', chunk.toString(), 'an integer of at least 0');
  const result = asObject(await callCurrentNode(pin, 'genesis_chunked', { chunk: chunk.toString() }), 'genesis_chunked');
  const { data } = result;
  if (typeof data !== 'string') throw malformed('the genesis is not base64');
  return { chunk: bigintAt(result, 'chunk'), total: bigintAt(result, 'total'), data };
}

/** Adds the mempool, the consensus state and `health`, which are not read at a height, and the genesis. */
function addLive(builder: Builder): void {
  addTypes(builder);
  addHeightFields(builder, (t) => ({
    genesis: t.field({
      type: GenesisChunkRef,
      description: 'A chunk of the genesis file; `total` is the number of chunks.',
      args: { chunk: t.arg({ type: 'Int64', defaultValue: 0n }) },
      resolve: (root, { chunk }) => genesisChunk(pinOf(root), chunk ?? 0n),
    }),
  }));
  builder.queryFields((t) => ({
    health: t.boolean({
      description: 'true if the current node answers `health`. Not read at a height.',
      extensions: liveField,
      resolve: async (root) => {
        await callCurrentNode(pinOf(root), 'health');
        return true;
      },
    }),
    unconfirmedTransactions: t.field({
      type: MempoolRef,
      description: 'The transactions in the mempool of the current node. Not read at a height.',
      extensions: liveField,
      args: { first: t.arg.int({ defaultValue: pageDefault }) },
      resolve: (root, { first }) => mempool(pinOf(root), first ?? pageDefault),
    }),
    numUnconfirmedTransactions: t.field({
      type: MempoolRef,
      description: 'The size of the mempool of the current node; `txs` is null. Not read at a height.',
      extensions: liveField,
      resolve: async (root) => decodeMempool(pinOf(root), await callCurrentNode(pinOf(root), 'num_unconfirmed_txs')),
    }),
    consensusState: t.field({
      type: 'JSON',
      description: 'The round state in the JSON of the node. CometBFT does not guarantee its format. Not read at a height.',
      extensions: liveField,
      resolve: async (root) => asObject(await callCurrentNode(pinOf(root), 'consensus_state'), 'consensus_state').round_state,
    }),
    dumpConsensusState: t.field({
      type: 'JSON',
      description:
        'The round state of the node and its peers in the JSON of the node. CometBFT does not guarantee its format. Not read at a height.',
      extensions: liveField,
      resolve: (root) => callCurrentNode(pinOf(root), 'dump_consensus_state'),
    }),
  }));
}

function addTypes(builder: Builder): void {
  builder.objectType(GenesisChunkRef, {
    description: 'A chunk of the genesis file, up to 16 MiB.',
    fields: (t) => ({
      chunk: t.expose('chunk', { type: 'Int64', nullable: false }),
      total: t.expose('total', { type: 'Int64', nullable: false, description: 'Number of chunks.' }),
      data: t.expose('data', { type: 'Base64', nullable: false }),
    }),
  });
  builder.objectType(MempoolRef, {
    description: 'The transactions in the mempool of a node. Not read at a height.',
    fields: (t) => ({
      nTxs: t.expose('nTxs', { type: 'Int64', nullable: false, description: 'Number of transactions in `txs`.' }),
      total: t.expose('total', { type: 'Int64', nullable: false, description: 'Number of transactions in the mempool.' }),
      totalBytes: t.expose('totalBytes', { type: 'Int64', nullable: false }),
      txs: t.expose('txs', {
        type: [UnconfirmedTransactionRef],
        description: 'null in numUnconfirmedTransactions.',
      }),
    }),
  });
  builder.objectType(UnconfirmedTransactionRef, {
    description: 'A transaction in the mempool of a node.',
    interfaces: [SignedTransactionRef],
  });
}

/** The result of `status` of a node. */
const NodeStatusRef = createRef<NodeStatus>('NodeStatus');
/** The information that a node sends to its peers. */
const NodeInfoRef = createRef<NodeStatus['nodeInfo']>('NodeInfo');
const ProtocolVersionRef = createRef<NodeStatus['nodeInfo']['protocolVersion']>('ProtocolVersion');
const NodeInfoOtherRef = createRef<NodeStatus['nodeInfo']['other']>('NodeInfoOther');
const SyncInfoRef = createRef<NodeStatus['syncInfo']>('SyncInfo');
const ValidatorInfoRef = createRef<NodeStatus['validatorInfo']>('ValidatorInfo');

/** Adds `NodeStatus` and `Query.status`. */
function addStatus(builder: Builder): void {
  builder.objectType(NodeStatusRef, {
    description: 'The result of `status` of a node. Not read at a height.',
    fields: (t) => ({
      nodeInfo: t.expose('nodeInfo', { type: NodeInfoRef, nullable: false }),
      syncInfo: t.expose('syncInfo', { type: SyncInfoRef, nullable: false }),
      validatorInfo: t.expose('validatorInfo', { type: ValidatorInfoRef, nullable: false }),
      lastBlockAge: t.expose(
        'lastBlockAge',
        nonNull(
          'Duration',
          'derived: time since this server received the newest block, by the clock of the server. It grows while the chain is halted.',
        ),
      ),
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
      version: t.expose('version', nonNull('String', 'The version of CometBFT as built. It can be wrong.')),
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

/** The result of `net_info` of a node. */
const NetInfoRef = createRef<Awaited<ReturnType<typeof netInfo>>>('NetInfo');
const PeerRef = createRef<Peer>('Peer');
const ConnectionStatusRef = createRef<Peer['connectionStatus']>('ConnectionStatus');
const FlowMonitorRef = createRef<Peer['connectionStatus']['sendMonitor']>('FlowMonitor');
const ChannelStatusRef = createRef<Peer['connectionStatus']['channels'][number]>('ChannelStatus');

/** Adds `NetInfo` and `Query.netInfo`. */
function addNetInfo(builder: Builder): void {
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

/** The current view of an upstream node, and access to the chain to call it. */
interface UpstreamNode extends NodeView {
  readonly chain: ChainAccess;
}

const UpstreamNodeRef = createRef<UpstreamNode>('UpstreamNode');

/** The values of `NodeHealth`. */
const healths = {
  HEALTHY: {},
  LAGGING: { description: 'More than 3 blocks or 15 s behind. It gets no reads.' },
  DOWN: { description: 'It does not respond, is catching up, or is more than 100 blocks behind.' },
  EJECTED: { description: 'Not used for a while after repeated failures.' },
  WRONG_CHAIN: { description: 'It belongs to another chain. Not used until an operator clears it.' },
} as const satisfies Record<NodeView['health'], { readonly description?: string }>;

/** Calls this node and no other; null if it is no longer configured. */
function callNode<T>(
  { chain, alias }: UpstreamNode,
  call: (chain: ChainAccess, node: NodeHandle) => Promise<T>,
): Promise<T> | null {
  const node = chain.client.node(alias);
  return node === undefined ? null : call(chain, node);
}

/** Adds `UpstreamNode` and `Query.nodes`. */
function addUpstream(builder: Builder): void {
  const NodeHealth = builder.enumType('NodeHealth', { description: 'The health of an upstream node.', values: healths });
  builder.objectType(UpstreamNodeRef, {
    description: 'An upstream node, identified by the alias of the configuration. Not read at a height.',
    fields: (t) => ({
      alias: t.exposeString('alias', { nullable: false }),
      health: t.expose('health', { type: NodeHealth, nullable: false }),
      inUse: t.exposeBoolean('inUse', { nullable: false, description: 'Whether new reads go to this node first.' }),
      chainId: t.exposeString('chainId', { description: 'null until the node has responded once.' }),
      height: t.expose('height', {
        type: 'Int64',
        description: 'The newest block of the node; null until it has responded once.',
      }),
      lag: t.expose('lag', {
        type: 'Int64',
        description: 'derived: the number of blocks behind the most advanced node.',
      }),
      earliestHeight: t.expose('earliestHeight', {
        type: 'Int64',
        description: 'The oldest block of the node. Older heights are HEIGHT_PRUNED there.',
      }),
      catchingUp: t.exposeBoolean('catchingUp', { nullable: true }),
      txIndex: t.exposeBoolean('txIndex', {
        description: 'Whether the node indexes transactions, which searches need.',
      }),
      latency: t.field({
        type: 'Duration',
        description: 'The mean duration of its recent calls; null if there are none.',
        resolve: ({ latency }) => (latency === undefined ? null : fromMilliseconds(latency)),
      }),
      consecutiveFailures: t.expose('consecutiveFailures', nonNull('Int', 'The number of failures since its last success.')),
      lastError: t.expose('lastErrorCode', {
        type: ErrorCode,
        description: 'The code of its last failure; null if there was none.',
      }),
      ejectedUntil: t.field({
        type: 'DateTime',
        description: 'The node is not used until this time; null unless the node is ejected.',
        resolve: ({ ejectedUntil }) => (ejectedUntil === undefined ? null : fromMilliseconds(Math.round(ejectedUntil))),
      }),
      status: t.field({
        type: NodeStatusRef,
        description: 'The current result of `status` of this node.',
        resolve: (node) => callNode(node, status),
      }),
      netInfo: t.field({
        type: NetInfoRef,
        description: 'The current result of `net_info` of this node.',
        resolve: (node) => callNode(node, netInfo),
      }),
    }),
  });
  builder.queryField('nodes', (t) =>
    t.field({
      ...nonNullList(UpstreamNodeRef, 'The upstream nodes and their health. Not read at a height.'),
      extensions: liveField,
      resolve(root) {
        const chain = chainAccessOf(root);
        return chain.client.nodes().map((view) => ({ ...view, chain }));
      },
    }),
  );
}

/** Adds the upstream nodes: their health, status, peers and mempool, and raw application queries. */
export function addNodes(builder: Builder): void {
  addStatus(builder);
  addNetInfo(builder);
  addUpstream(builder);
  addAbci(builder);
  addLive(builder);
}
