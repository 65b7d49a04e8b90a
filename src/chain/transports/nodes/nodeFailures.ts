import { type ChainErrorCode, isChainError } from '../../base/errors.ts';
import { monotonicNow } from '../../base/waiting.ts';
import type { NodeState } from './nodeState.ts';

/** Failures after which another node is asked, the most telling first: it is the one reported when all have failed. */
export const failoverCodes: readonly ChainErrorCode[] = [
  'HEIGHT_PRUNED',
  'HEIGHT_NOT_YET_AVAILABLE',
  'INDEX_UNAVAILABLE',
  'NODE_INCONSISTENT',
  'NODE_INVALID_RESPONSE',
  'NODE_TIMEOUT',
  'NODE_UNREACHABLE',
];

/** Counts the outcomes of calls, and sets a node aside after so many failures in a row. */
export interface NodeFailures {
  /** The node has answered, and so has `height` when one was asked for. */
  succeeded(node: NodeState, height?: bigint): void;
  /** Counts a failure against the node, when it is one of the node. */
  failed(node: NodeState, error: unknown): void;
}

/** Options of {@link createNodeFailures}. */
export interface NodeFailuresOptions {
  /** How long, ms, a node is set aside. */
  readonly ejection: number;
  /** The newest believed height. */
  readonly highest: () => bigint;
  /** Aborted when the pool is closed: failures count no more. */
  readonly signal: AbortSignal;
}

/** Makes it. */
export function createNodeFailures(
  nodes: readonly NodeState[],
  { ejection, highest, signal }: NodeFailuresOptions,
): NodeFailures {
  function succeeded(node: NodeState, height = 0n): void {
    const reached = height < highest() ? height : highest();
    if (reached > node.height) node.height = reached;
    node.consecutiveFailures = 0;
    node.lastError = undefined;
    if (monotonicNow() > node.ejectedUntil + 10 * ejection) node.ejections = 0;
  }

  function failed(node: NodeState, error: unknown): void {
    if (isChainError(error, 'HEIGHT_PRUNED') && error.facts.height > node.prunedAt) node.prunedAt = error.facts.height;
    const isOfNode = isChainError(error) && failoverCodes.indexOf(error.code) > failoverCodes.indexOf('INDEX_UNAVAILABLE');
    if (!isOfNode || error === node.lastError || signal.aborted) return;
    const now = monotonicNow();
    if (isChainError(error, 'NODE_TIMEOUT') || isChainError(error, 'NODE_UNREACHABLE')) node.responds = false;
    if (isChainError(error, 'NODE_UNREACHABLE') && error.facts.sent === false) node.returns = true;
    node.lastError = error;
    node.lastErrorCode = error.code;
    if (isChainError(error, 'NODE_UNREACHABLE') && error.facts.retryAfter !== undefined) {
      node.pausedUntil = now + error.facts.retryAfter;
      return;
    }
    node.consecutiveFailures += 1;
    const isLast = nodes.every((other) => other === node || other.wrongChain || other.contradicts || other.ejectedUntil > now);
    if (node.consecutiveFailures < node.bounds.failures || node.ejectedUntil > now || isLast) return;
    node.ejections = Math.min(node.ejections + 1, 10);
    node.ejectedUntil = now + ejection * node.ejections;
  }

  return { succeeded, failed };
}
