import type { NodeHandle } from '../transports/transport.ts';
import type { Attempt, AttemptOutcome } from './attempt.ts';

/** Which node a transaction is sent to next: each one twice, one after another. */
export interface ResendPlan {
  /** The next sending; undefined when every node was tried. `isAgain`: to the same node as the last one. */
  next(nodes: readonly NodeHandle[]): { readonly node: NodeHandle; readonly isAgain: boolean } | undefined;
  /** Notes a sending. */
  sent(attempt: Attempt): void;
  /** Whether CheckTx of every node that was sent to has refused it in the end. */
  isRefusedByAll(): boolean;
}

/** Sendings to one node. */
const perNode = 2;

/** Makes the plan after the first sendings. A node that these have not reached has still both of its own. */
export function createResendPlan(first: readonly Attempt[]): ResendPlan {
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
      // One that cannot be reached, or has no room, is not asked again.
      counts.set(node, outcome === 'FAILED' || outcome === 'REFUSED' ? perNode : (counts.get(node) ?? 0) + 1);
    },
    isRefusedByAll: () => outcomes.size > 0 && [...outcomes.values()].every((outcome) => outcome === 'REJECTED'),
  };
}
