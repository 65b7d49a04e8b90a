import { defaultNodeBounds, type NodeBounds } from '../../config/bounds.ts';
import type { ChainError, ChainErrorCode } from '../base/errors.ts';
import type { HeadBlock, NodeStatus } from '../wire/block.ts';
import type { NodeHealth, NodeView, Transport } from './transport.ts';

/** The state of a node in `fallback`. It is mutable. */
export interface NodeState {
  readonly transport: Transport;
  readonly alias: string;
  readonly bounds: NodeBounds;
  /** The last response to `status`. */
  status: NodeStatus | undefined;
  /** The newest block that the node reported, accepted or not. */
  claim: HeadBlock | undefined;
  /** Whether its last call got a response, even an error. */
  responds: boolean;
  /** The process behind the address may have changed while the node was unreachable: read its `status` before the next call. */
  returns: boolean;
  /** The greatest height that the node is known to have, at most that of the newest accepted block. */
  height: bigint;
  /** NODE_INCONSISTENT while the node reports a block that it could not prove. */
  unproven: ChainError<'NODE_INCONSISTENT'> | undefined;
  /** NODE_INCONSISTENT while the node's blocks contradict the accepted chain. */
  opposes: ChainError<'NODE_INCONSISTENT'> | undefined;
  /**
   * The accepted block that the node's chain lacks; undefined if none. The node contradicts the accepted chain until it has
   * this block.
   */
  diverged: HeadBlock | undefined;
  /** The pending verification of a claim. */
  proof: Promise<void> | undefined;
  /** Lag behind the newest accepted block in the same round of probes, in blocks and in ms of block time. */
  lag: bigint;
  timeLag: number;
  /** The node belongs to another chain and is never used. */
  wrongChain: boolean;
  /**
   * At the last height that several nodes reported, the node had another block than the majority. It is refused while that
   * lasts.
   */
  contradicts: boolean;
  contradictions: number;
  /** NODE_INCONSISTENT from the first height at which nodes hold different blocks and none has a majority. */
  dispute: ChainError<'NODE_INCONSISTENT'> | undefined;
  /** The last height with such a dispute. */
  disputedAt: bigint;
  /** The chain id in its last response. */
  chainId: string | undefined;
  latency: number | undefined;
  /** Number of responses in the mean `latency`, up to {@link latencyWindow}. */
  answers: number;
  consecutiveFailures: number;
  /** The last counted failure. All calls of a batch fail with one error, which counts once. */
  lastError: unknown;
  lastErrorCode: ChainErrorCode | undefined;
  /** Consecutive ejections. */
  ejections: number;
  ejectedUntil: number;
  /** Unix time until which the node requested to receive no calls. */
  pausedUntil: number;
  /** The greatest height that the node reported as pruned. */
  prunedAt: bigint;
  /** Sequence number of its last subscription. */
  lastSubscription: number;
  /** The pending probe. */
  probe: Promise<void> | undefined;
}

/** Makes the state of a node without any response. */
export function createNodeState(transport: Transport, alias: string, bounds: NodeBounds = defaultNodeBounds): NodeState {
  return {
    transport,
    alias,
    bounds,
    status: undefined,
    claim: undefined,
    responds: false,
    returns: false,
    height: 0n,
    unproven: undefined,
    opposes: undefined,
    diverged: undefined,
    proof: undefined,
    lag: 0n,
    timeLag: 0,
    wrongChain: false,
    contradicts: false,
    contradictions: 0,
    dispute: undefined,
    disputedAt: 0n,
    chainId: undefined,
    latency: undefined,
    answers: 0,
    consecutiveFailures: 0,
    lastError: undefined,
    lastErrorCode: undefined,
    ejections: 0,
    ejectedUntil: 0,
    pausedUntil: 0,
    prunedAt: 0n,
    lastSubscription: 0,
    probe: undefined,
  };
}

/** Number of responses in the mean latency. */
const latencyWindow = 16;

/** Adds the time of a response, in ms, to the mean: a plain mean at first, then a moving one. */
export function recordLatency(node: NodeState, milliseconds: number): void {
  node.answers = Math.min(node.answers + 1, latencyWindow);
  const before = node.latency ?? 0;
  node.latency = before + (milliseconds - before) / node.answers;
}

function isBehind({ bounds, lag, timeLag, status }: NodeState): boolean {
  return lag > bounds.lagBlocks || timeLag > bounds.lagTime || status?.catchingUp === true;
}

/** The health of a node at the Unix time `now`. */
export function healthOf(node: NodeState, now: number): NodeHealth {
  if (node.wrongChain) return 'WRONG_CHAIN';
  if (node.ejectedUntil > now || node.contradicts || node.unproven !== undefined) return 'EJECTED';
  if (node.status === undefined || node.status.catchingUp || node.lag > node.bounds.downBlocks) return 'DOWN';
  if (node.consecutiveFailures >= node.bounds.failures) return 'DOWN';
  return isBehind(node) ? 'LAGGING' : 'HEALTHY';
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
    ejectedUntil: node.ejectedUntil > now ? node.ejectedUntil : undefined,
  };
}
