import { defaultNodeBounds, type NodeBounds } from '../../../config/bounds.ts';
import type { ChainError, ChainErrorCode } from '../../base/errors.ts';
import type { HeadBlock, NodeStatus } from '../../wire/newestBlock.ts';
import type { NodeHealth, NodeView } from '../nodeViews.ts';
import type { Transport } from '../transport.ts';

/** A node's state in `fallback`, changed in place. */
export interface NodeState {
  readonly transport: Transport;
  readonly alias: string;
  readonly bounds: NodeBounds;
  /** Last answer to `status`. */
  status: NodeStatus | undefined;
  /** The newest block that it reported, believed or not. */
  claim: HeadBlock | undefined;
  /** Whether its last call was answered, as far as the connection goes. */
  responds: boolean;
  /** It may have been replaced while it was away: it is asked for its `status` before its next call. */
  returns: boolean;
  /** The highest height that it is believed to have: never above the newest believed block. */
  height: bigint;
  /** NODE_INCONSISTENT while it reports a block that it could not prove. */
  unproven: ChainError<'NODE_INCONSISTENT'> | undefined;
  /** NODE_INCONSISTENT while what it reports contradicts the believed chain. */
  opposes: ChainError<'NODE_INCONSISTENT'> | undefined;
  /** The believed block that its chain does not contain; undefined where that was not seen. It opposes until it has that block. */
  diverged: HeadBlock | undefined;
  /** The check of a claim that is under way. */
  proof: Promise<void> | undefined;
  /** Behind the newest believed block of the same round of probes: blocks, and ms of block time. */
  lag: bigint;
  timeLag: number;
  /** It has answered for another chain: refused for good. */
  wrongChain: boolean;
  /** At the last height that several nodes told of it held another block than most of them: refused until it does not. */
  contradicts: boolean;
  contradictions: number;
  /** NODE_INCONSISTENT from the height on at which it and others hold different blocks, and none is held by most. */
  dispute: ChainError<'NODE_INCONSISTENT'> | undefined;
  /** The last height of which that was seen. */
  disputedAt: bigint;
  /** The chain that it answered for last. */
  chainId: string | undefined;
  latency: number | undefined;
  /** Answers that `latency` is the mean of, up to {@link latencyWindow}. */
  answers: number;
  consecutiveFailures: number;
  /** The last failure counted: the calls of one batch fail with one error, which counts once. */
  lastError: unknown;
  lastErrorCode: ChainErrorCode | undefined;
  /** Ejections in a row. */
  ejections: number;
  ejectedUntil: number;
  /** It asked to be left alone until then. */
  pausedUntil: number;
  /** The highest height that it said was pruned. */
  prunedAt: bigint;
  /** Number of the last subscription that it was given. */
  lastSubscription: number;
  /** A probe under way. */
  probe: Promise<void> | undefined;
}

/** A node of which nothing is known. */
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

/** Answers that the mean time of a node remembers. */
const latencyWindow = 16;

/** Takes the time of an answer, ms, into the mean of its node: a plain mean at first, then a moving one. */
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
 * How little a node is fit for a call, 0 being best; undefined when it must not be asked. `height` is the call's pinned
 * height, `needsIndex` whether it reads the index of transactions.
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
    // One in step with the others has probably reached it since it was last asked; one that lags has not.
    if (isBehind(node)) return undefined;
    rank += 2;
  }
  if (height < node.status.earliestHeight || height <= node.prunedAt) rank += 6;
  return rank;
}

/** What people may see of a node. `best`: the newest believed height. */
export function viewOf(node: NodeState, now: number, inUse: boolean, best: bigint): NodeView {
  // One that does not answer is where it was, while the others go on.
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
