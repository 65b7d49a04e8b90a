import { type ChainErrorCode, isChainError } from '../../base/errors.ts';
import { monotonicNow } from '../../base/waiting.ts';
import type { NodeState } from './nodeState.ts';

/**
 * Error codes after which another node is tried, the most specific first. If all nodes fail, the most specific error is
 * reported.
 */
export const failoverCodes: readonly ChainErrorCode[] = [
  'HEIGHT_PRUNED',
  'HEIGHT_NOT_YET_AVAILABLE',
  'INDEX_UNAVAILABLE',
  'NODE_INCONSISTENT',
  'NODE_INVALID_RESPONSE',
  'NODE_TIMEOUT',
  'NODE_UNREACHABLE',
];

/** Counts the outcomes of calls, and ejects a node after too many failures in a row. */
export interface NodeFailures {
  /** Records a response of the node, and that the node has `height` if given. */
  succeeded(node: NodeState, height?: bigint): void;
  /** Counts an error if it is the node's fault. */
  failed(node: NodeState, error: unknown): void;
  /** Ejects a node that does not answer for this long, in ms, unless no other is left. */
  eject(node: NodeState, milliseconds: number): void;
}

/** Options of {@link createNodeFailures}. */
export interface NodeFailuresOptions {
  /** Base time of an ejection, in ms. */
  readonly ejection: number;
  /** The newest accepted height. */
  readonly highest: () => bigint;
  /** Aborted when the pool closes. Later failures do not count. */
  readonly signal: AbortSignal;
}

/** Makes the counters. */
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

  function isLast(node: NodeState, now: number): boolean {
    return nodes.every((other) => other === node || other.wrongChain || other.contradicts || other.ejectedUntil > now);
  }

  function eject(node: NodeState, milliseconds: number): void {
    const now = monotonicNow();
    if (signal.aborted || isLast(node, now)) return;
    node.lastErrorCode = 'NODE_TIMEOUT';
    node.ejectedUntil = Math.max(node.ejectedUntil, now + milliseconds);
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
    if (node.consecutiveFailures < node.bounds.failures || node.ejectedUntil > now || isLast(node, now)) return;
    node.ejections = Math.min(node.ejections + 1, 10);
    node.ejectedUntil = now + ejection * node.ejections;
  }

  return { succeeded, failed, eject };
}
