import type { NodeBounds } from '../../config/bounds.ts';
import type { ChainError, ChainErrorCode } from '../base/errors.ts';
import type { HeadBlock, NodeStatus } from '../wire/block.ts';
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
