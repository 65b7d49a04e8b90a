import type { HeadBlock } from '../../wire/block.ts';
import type { NodeState } from '../nodes/nodeState.ts';

/** Nodes that count for a majority: those that respond, without those that are catching up unless all of them are. */
export function votersOf(nodes: readonly NodeState[]): readonly NodeState[] {
  const up = nodes.filter(({ responds, claim, wrongChain }) => responds && claim !== undefined && !wrongChain);
  const synced = up.filter(({ status }) => status?.catchingUp !== true);
  return synced.length > 0 ? synced : up;
}

/**
 * The highest block that more than half of `voters` nodes have reached, among the nodes `of`; undefined if those are too few.
 */
export function reachedByMost(of: readonly NodeState[], voters: number): HeadBlock | undefined {
  const claims = of.flatMap(({ claim }) => claim ?? []).toSorted((a, b) => Number(b.height - a.height));
  return claims[Math.floor(voters / 2)];
}

/**
 * Whether `some` are more than half of all nodes, including nodes that do not respond. So a node that is temporarily alone does
 * not replace the chain of the others.
 */
export function areMostOf(nodes: readonly NodeState[], some: readonly NodeState[]): boolean {
  return some.length * 2 > nodes.filter(({ wrongChain }) => !wrongChain).length;
}

/** Voters whose claims contradict the accepted chain. */
export function contradictingVoters(nodes: readonly NodeState[]): readonly NodeState[] {
  return votersOf(nodes).filter(({ opposes }) => opposes !== undefined);
}
