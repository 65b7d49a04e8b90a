import { fromMilliseconds } from '../../chain/base/time.ts';
import type { NodeHandle, NodeView } from '../../chain/transports/transport.ts';
import { ErrorCode } from '../../config/errorCodes.ts';
import { type ChainAccess, chainAccessOf } from '../../reads/pin.ts';
import { type Builder, createRef, liveField } from '../../schema/builder.ts';
import { netInfo } from './netInfo.ts';
import { NetInfoRef } from './netInfoSchema.ts';
import { status } from './status.ts';
import { NodeStatusRef } from './statusSchema.ts';

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
export function addUpstream(builder: Builder): void {
  const NodeHealth = builder.enumType('NodeHealth', { description: 'The health of an upstream node.', values: healths });
  builder.objectType(UpstreamNodeRef, {
    description: 'An upstream node, identified by the alias of the configuration. Not read at a height.',
    fields: (t) => ({
      alias: t.exposeString('alias', { nullable: false }),
      health: t.expose('health', { type: NodeHealth, nullable: false }),
      inUse: t.exposeBoolean('inUse', { nullable: false, description: 'Whether new reads go to this node first.' }),
      chainId: t.exposeString('chainId', { nullable: true, description: 'null until the node has responded once.' }),
      height: t.expose('height', {
        type: 'Int64',
        nullable: true,
        description: 'The newest block of the node; null until it has responded once.',
      }),
      lag: t.expose('lag', {
        type: 'Int64',
        nullable: true,
        description: 'derived: the number of blocks behind the most advanced node.',
      }),
      earliestHeight: t.expose('earliestHeight', {
        type: 'Int64',
        nullable: true,
        description: 'The oldest block of the node. Older heights are HEIGHT_PRUNED there.',
      }),
      catchingUp: t.exposeBoolean('catchingUp', { nullable: true }),
      txIndex: t.exposeBoolean('txIndex', {
        nullable: true,
        description: 'Whether the node indexes transactions, which searches need.',
      }),
      latency: t.field({
        type: 'Duration',
        nullable: true,
        description: 'The mean duration of its recent calls; null if there are none.',
        resolve: ({ latency }) => (latency === undefined ? null : fromMilliseconds(latency)),
      }),
      consecutiveFailures: t.exposeInt('consecutiveFailures', {
        nullable: false,
        description: 'The number of failures since its last success.',
      }),
      lastError: t.expose('lastErrorCode', {
        type: ErrorCode,
        nullable: true,
        description: 'The code of its last failure; null if there was none.',
      }),
      ejectedUntil: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'The node is not used until this time; null unless the node is ejected.',
        resolve: ({ ejectedUntil }) => (ejectedUntil === undefined ? null : fromMilliseconds(Math.round(ejectedUntil))),
      }),
      status: t.field({
        type: NodeStatusRef,
        nullable: true,
        description: 'The current result of `status` of this node.',
        resolve: (node) => callNode(node, status),
      }),
      netInfo: t.field({
        type: NetInfoRef,
        nullable: true,
        description: 'The current result of `net_info` of this node.',
        resolve: (node) => callNode(node, netInfo),
      }),
    }),
  });
  builder.queryField('nodes', (t) =>
    t.field({
      type: [UpstreamNodeRef],
      nullable: false,
      description: 'The upstream nodes and their health. Not read at a height.',
      extensions: liveField,
      resolve(root) {
        const chain = chainAccessOf(root);
        return chain.client.nodes().map((view) => ({ ...view, chain }));
      },
    }),
  );
}
