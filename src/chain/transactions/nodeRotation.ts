import type { NodeHandle } from '../transports/transport.ts';
import type { Attempt, AttemptOutcome } from './attempt.ts';

/** Chooses the node of the next attempt. Each node gets two attempts before the next node is used. */
export interface NodeRotation {
  /** The next attempt; undefined if every node was tried. `isAgain`: whether it goes to the same node as the last one. */
  next(nodes: readonly NodeHandle[]): { readonly node: NodeHandle; readonly isAgain: boolean } | undefined;
  /** Records an attempt. */
  sent(attempt: Attempt): void;
  /** Whether CheckTx failed in the last attempt on every node that was tried. */
  isRefusedByAll(): boolean;
}

/** Attempts on each node. */
const perNode = 2;

/** Creates the plan after the first attempts. A node that they did not reach still has both of its attempts. */
export function createNodeRotation(first: readonly Attempt[]): NodeRotation {
  const counts = new Map<string, number>();
  const outcomes = new Map<string, AttemptOutcome>();
  let last: string | undefined;
  for (const { node, outcome } of first) {
    last = node;
    outcomes.set(node, outcome);
    if (outcome !== 'FAILED' && outcome !== 'REFUSED') counts.set(node, (counts.get(node) ?? 0) + 1);
  }

  return {
    next(nodes) {
      const left = nodes.filter(({ alias }) => (counts.get(alias) ?? 0) < perNode);
      const node = left.find(({ alias }) => alias === last) ?? left[0];
      return node && { node, isAgain: node.alias === last };
    },
    sent({ node, outcome }) {
      last = node;
      outcomes.set(node, outcome);
      // A node that is unreachable or full is not tried again.
      counts.set(node, outcome === 'FAILED' || outcome === 'REFUSED' ? perNode : (counts.get(node) ?? 0) + 1);
    },
    isRefusedByAll: () => outcomes.size > 0 && [...outcomes.values()].every((outcome) => outcome === 'REJECTED'),
  };
}
