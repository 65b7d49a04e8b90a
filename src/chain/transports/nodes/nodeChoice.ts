import { monotonicNow } from '../../base/waiting.ts';
import { healthOf, type NodeState, penaltyOf } from './nodeState.ts';

/** Chooses the next node by the recorded state. Makes no calls. */
export interface NodeChoice {
  /** The best node that was not tried yet; undefined if no remaining node can serve the call. */
  choose(height: bigint | undefined, needsIndex: boolean, tried?: ReadonlySet<NodeState>): NodeState | undefined;
  /** All nodes of the chain, the best for a call without a height first, ejected ones last. */
  ranked(): readonly NodeState[];
  /**
   * The node for the next subscription: the best one. Among equals, the one that was chosen longest ago, so that a retry goes
   * to another node.
   */
  chooseForSubscription(): NodeState | undefined;
}

/** Makes the choice among these nodes. */
export function createNodeChoice(nodes: readonly NodeState[]): NodeChoice {
  let subscriptions = 0;

  function choose(height: bigint | undefined, needsIndex: boolean, tried?: ReadonlySet<NodeState>): NodeState | undefined {
    const now = monotonicNow();
    let best: NodeState | undefined;
    let bestRank = Number.POSITIVE_INFINITY;
    for (const node of nodes) {
      const rank = tried?.has(node) ? undefined : penaltyOf(node, now, height, needsIndex);
      if (rank === undefined || rank >= bestRank) continue;
      best = node;
      bestRank = rank;
    }
    return best ?? lastResort(now, tried);
  }

  function ranked(): readonly NodeState[] {
    const now = monotonicNow();
    const rank = (node: NodeState): number => penaltyOf(node, now, undefined, false) ?? Number.MAX_VALUE;
    return nodes.filter((node) => !node.wrongChain).toSorted((a, b) => rank(a) - rank(b));
  }

  /** An ejected node that responds again. Before any was tried: the node with the greatest height. */
  function lastResort(now: number, tried: ReadonlySet<NodeState> | undefined): NodeState | undefined {
    const left = nodes.filter((node) => !node.wrongChain && !node.contradicts && !tried?.has(node));
    if (tried !== undefined && tried.size > 0) {
      return left.find((node) => healthOf(node, now) === 'EJECTED' && node.consecutiveFailures === 0);
    }
    return left.reduce<NodeState | undefined>((best, node) => (best && best.height >= node.height ? best : node), undefined);
  }

  function chooseForSubscription(): NodeState | undefined {
    const now = monotonicNow();
    const rank = (node: NodeState): number => penaltyOf(node, now, undefined, false) ?? Number.POSITIVE_INFINITY;
    const fit = nodes.filter((node) => rank(node) < Number.POSITIVE_INFINITY);
    const chosen =
      fit.sort((a, b) => rank(a) - rank(b) || a.lastSubscription - b.lastSubscription)[0] ?? lastResort(now, undefined);
    if (chosen !== undefined) chosen.lastSubscription = ++subscriptions;
    return chosen;
  }

  return { choose, ranked, chooseForSubscription };
}
