import type { NodeBounds } from '../../config/bounds.ts';
import type { ChainError, ChainErrorCode } from '../base/errors.ts';
import type { HeadBlock, NodeStatus } from '../wire/block.ts';
import type { CallTimes, MethodClass } from './callTimes.ts';
import type { NodeHealth, NodeView, Transport } from './transport.ts';

/** The state of a node in `fallback`. It is mutable. */
export class NodeState {
  readonly transport: Transport;
  readonly alias: string;
  readonly bounds: NodeBounds;
  status: NodeStatus | undefined;
  /** The newest block that the node reported, accepted or not. */
  claim: HeadBlock | undefined;
  /** Whether its last call got a response, even an error. */
  responds = false;
  /** The process behind the address may have changed while the node was unreachable: read its `status` before the next call. */
  returns = false;
  /** The greatest height that the node is known to have, at most that of the newest accepted block. */
  height = 0n;
  /** NODE_INCONSISTENT while the node reports a block that it could not prove. */
  unproven: ChainError<'NODE_INCONSISTENT'> | undefined;
  /** NODE_INCONSISTENT while the node's blocks contradict the accepted chain. */
  opposes: ChainError<'NODE_INCONSISTENT'> | undefined;
  /** The accepted block that the node's chain lacks; undefined if none. The node contradicts the accepted chain until it has this block. */
  diverged: HeadBlock | undefined;
  proof: Promise<void> | undefined;
  /** Lag behind the newest accepted block in the same round of probes, in blocks and in ms of block time. */
  lag = 0n;
  timeLag = 0;
  wrongChain = false;
  /** At the last height that several nodes reported, the node had another block than the majority. It is refused while that lasts. */
  contradicts = false;
  contradictions = 0;
  /** NODE_INCONSISTENT from the first height at which nodes hold different blocks and none has a majority. */
  dispute: ChainError<'NODE_INCONSISTENT'> | undefined;
  /** The last height with such a dispute. */
  disputedAt = 0n;
  chainId: string | undefined;
  latency: number | undefined;
  /** Number of responses in the mean `latency`, up to {@link latencyWindow}. */
  responses = 0;
  consecutiveFailures = 0;
  /** The last counted failure. All calls of a batch fail with one error, which counts once. */
  lastError: unknown;
  lastErrorCode: ChainErrorCode | undefined;
  ejections = 0;
  ejectedUntil = 0;
  /** Until when the node is put aside, because most nodes gave another answer than it did; and how often nodes gave another one. */
  asideUntil = 0;
  differences = 0;
  /** The times of its last calls, by class of methods. */
  readonly times = new Map<MethodClass, CallTimes>();
  /** Unix time until which the node requested to receive no calls. */
  pausedUntil = 0;
  /** The greatest height that the node reported as pruned. */
  prunedAt = 0n;
  lastSubscription = 0;
  probe: Promise<void> | undefined;

  constructor(transport: Transport, alias: string, bounds: NodeBounds) {
    this.transport = transport;
    this.alias = alias;
    this.bounds = bounds;
  }
}

/** Most responses in the mean time of a node. */
export const latencyWindow = 16;

function isBehind({ bounds, lag, timeLag, status }: NodeState): boolean {
  return lag > bounds.lagBlocks || timeLag > bounds.lagTime || status?.catchingUp === true;
}

/** The health of a node at the Unix time `now`. */
export function healthOf(node: NodeState, now: number): NodeHealth {
  if (node.wrongChain) return 'WRONG_CHAIN';
  if (node.ejectedUntil > now || node.asideUntil > now || node.contradicts || node.unproven !== undefined) return 'EJECTED';
  if (node.status === undefined || node.status.catchingUp || node.lag > node.bounds.downBlocks) return 'DOWN';
  if (node.consecutiveFailures >= node.bounds.failures) return 'DOWN';
  return isBehind(node) ? 'LAGGING' : 'HEALTHY';
}

/** Calls after which the times of another node are a measure, and those of a node itself decide. */
const [leastOfOther, leastOfSlow] = [3, 8];

/** By how many ms a node must be slower than another one to count as slow. */
const slowMargin = 20;

/** How often a slow node is tried, in ms. */
export const trialInterval = 30_000;

/** The time in ms within which the best of the other nodes in good health ends nearly all calls of a class; undefined if nothing is known of them. */
export function bestTime(node: NodeState, nodes: readonly NodeState[], kind: MethodClass, now: number): number | undefined {
  let best: number | undefined;
  for (const other of nodes) {
    if (other === node || healthOf(other, now) !== 'HEALTHY') continue;
    const time = other.times.get(kind)?.quantile(0.95, leastOfOther);
    if (time !== undefined && (best === undefined || time < best)) best = time;
  }
  return best;
}

/** The time in ms from which a call is slow, if another node ends nearly all within `best`. */
export const slowLimit = (best: number): number => Math.max(2 * best, best + slowMargin);

/** Whether most calls of a class to this node take clearly longer than nearly all of another one. */
export function isSlow(node: NodeState, nodes: readonly NodeState[], kind: MethodClass, now: number): boolean {
  const median = node.times.get(kind)?.quantile(0.5, leastOfSlow);
  if (median === undefined || median < slowMargin) return false;
  const best = bestTime(node, nodes, kind, now);
  return best !== undefined && median > slowLimit(best);
}

/**
 * The penalty of a node for a call: 0 is best, undefined means that it must not be used. `height` is the pinned height of the
 * call, `needsIndex` whether the call reads the transaction index.
 */
export function penaltyOf(node: NodeState, now: number, height: bigint | undefined, needsIndex: boolean): number | undefined {
  const health = healthOf(node, now);
  if (health === 'WRONG_CHAIN' || health === 'EJECTED') return undefined;
  let rank = node.pausedUntil > now ? 32 : 0;
  if (node.status === undefined) return rank + 4;
  if (needsIndex && !node.status.txIndex) rank += 16;
  if (health === 'DOWN') rank += 8;
  if (height === undefined) return health === 'LAGGING' ? rank + 4 : rank;
  if (node.height < height) {
    // A node in sync has probably reached the height since its last report. A lagging node has not.
    if (isBehind(node)) return undefined;
    rank += 2;
  }
  if (height < node.status.earliestHeight || height <= node.prunedAt) rank += 6;
  return rank;
}

/** The public state of a node. `best`: the newest accepted height. */
export function viewOf(node: NodeState, now: number, inUse: boolean, best: bigint): NodeView {
  // A node that does not respond stays at its last height while the others advance.
  const ejectedUntil = Math.max(node.ejectedUntil, node.asideUntil);
  const lag = node.consecutiveFailures > 0 ? best - node.height : node.lag;
  return {
    alias: node.alias,
    health: healthOf(node, now),
    inUse,
    chainId: node.chainId,
    height: node.wrongChain ? node.status?.newest.height : node.status && node.height,
    lag: node.wrongChain ? undefined : node.status && lag,
    earliestHeight: node.status?.earliestHeight,
    catchingUp: node.status?.catchingUp,
    txIndex: node.status?.txIndex,
    latency: node.latency,
    consecutiveFailures: node.consecutiveFailures,
    lastErrorCode: node.lastErrorCode,
    contradictions: node.contradictions,
    differences: node.differences,
    ejectedUntil: ejectedUntil > now ? ejectedUntil : undefined,
  };
}
