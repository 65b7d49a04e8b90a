import type { NodeView } from '../../chain/transports/nodeViews.ts';
import type { NodeHandle } from '../../chain/transports/transport.ts';
import { ErrorCode } from '../../config/errorCodes.ts';
import { type Reach, reachOf } from '../../reads/pin.ts';
import { fromMilliseconds } from '../../reads/time.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { liveField } from '../../schema/live.ts';
import { netInfo } from './netInfo.ts';
import { NetInfoRef } from './netInfoSchema.ts';
import { status } from './status.ts';
import { NodeStatusRef } from './statusSchema.ts';

/** An upstream node as it is seen now, and the way to ask it. */
interface UpstreamNode extends NodeView {
  readonly reach: Reach;
}

const UpstreamNodeRef = createRef<UpstreamNode>('UpstreamNode');

/** NodeHealth of the contract. */
const healths = {
  HEALTHY: {},
  LAGGING: { description: 'More than 3 blocks or 15 s behind: no reads go to it.' },
  DOWN: { description: 'Not answering, catching up, or more than 100 blocks behind.' },
  EJECTED: { description: 'Set aside for a while after repeated failures.' },
  WRONG_CHAIN: { description: 'Answered for another chain: set aside until an operator clears it.' },
} as const satisfies Record<NodeView['health'], { readonly description?: string }>;

/** Asks this very node and no other. */
function asked<T>({ reach, alias }: UpstreamNode, ask: (reach: Reach, node: NodeHandle) => Promise<T>): Promise<T> | null {
  const node = reach.client.node(alias);
  return node === undefined ? null : ask(reach, node);
}

/** Adds `UpstreamNode` and `Query.nodes`. */
export function addUpstream(builder: Builder): void {
  const NodeHealth = builder.enumType('NodeHealth', { description: 'Health of an upstream node.', values: healths });
  builder.objectType(UpstreamNodeRef, {
    description: 'One upstream node, by the alias of the configuration. Not of a height.',
    fields: (t) => ({
      alias: t.exposeString('alias', { nullable: false }),
      health: t.expose('health', { type: NodeHealth, nullable: false }),
      inUse: t.exposeBoolean('inUse', { nullable: false, description: 'Whether new reads go to it first.' }),
      chainId: t.exposeString('chainId', { nullable: true, description: 'null until the node has answered once.' }),
      height: t.expose('height', {
        type: 'Int64',
        nullable: true,
        description: 'Newest block it has; null until it has answered once.',
      }),
      lag: t.expose('lag', { type: 'Int64', nullable: true, description: 'derived: blocks behind the best node.' }),
      earliestHeight: t.expose('earliestHeight', {
        type: 'Int64',
        nullable: true,
        description: 'Oldest block it still has; older heights are HEIGHT_PRUNED there.',
      }),
      catchingUp: t.exposeBoolean('catchingUp', { nullable: true }),
      txIndex: t.exposeBoolean('txIndex', {
        nullable: true,
        description: 'Whether it indexes transactions, which searches need.',
      }),
      latency: t.field({
        type: 'Duration',
        nullable: true,
        description: 'Mean time of its recent answers; null when there are none.',
        resolve: ({ latency }) => (latency === undefined ? null : fromMilliseconds(latency)),
      }),
      consecutiveFailures: t.exposeInt('consecutiveFailures', {
        nullable: false,
        description: 'Failures since its last good answer.',
      }),
      lastError: t.expose('lastErrorCode', {
        type: ErrorCode,
        nullable: true,
        description: 'Code of its last failure; null when there was none.',
      }),
      ejectedUntil: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Set aside until then; null when it is not.',
        resolve: ({ ejectedUntil }) => (ejectedUntil === undefined ? null : fromMilliseconds(Math.round(ejectedUntil))),
      }),
      status: t.field({
        type: NodeStatusRef,
        nullable: true,
        description: 'Its own `status`, asked now.',
        resolve: (node) => asked(node, status),
      }),
      netInfo: t.field({
        type: NetInfoRef,
        nullable: true,
        description: 'Its own `net_info`, asked now.',
        resolve: (node) => asked(node, netInfo),
      }),
    }),
  });
  builder.queryField('nodes', (t) =>
    t.field({
      type: [UpstreamNodeRef],
      nullable: false,
      description: 'The upstream nodes and how each one is doing. Not of a height.',
      extensions: liveField,
      resolve(root) {
        const reach = reachOf(root);
        return reach.client.nodes().map((view) => ({ ...view, reach }));
      },
    }),
  );
}
