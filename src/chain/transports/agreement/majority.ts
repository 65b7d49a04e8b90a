import type { HeadBlock } from '../../wire/newestBlock.ts';
import type { NodeState } from '../nodes/nodeState.ts';

/** Nodes whose word counts: those that answer, without those that catch up if others do not. */
export function votersOf(nodes: readonly NodeState[]): readonly NodeState[] {
  const up = nodes.filter(({ responds, claim, wrongChain }) => responds && claim !== undefined && !wrongChain);
  const synced = up.filter(({ status }) => status?.catchingUp !== true);
  return synced.length > 0 ? synced : up;
}

/** The highest block that more than half of `voters` nodes have reached, of the nodes `of` alone; undefined if these are too few. */
export function reachedByMost(of: readonly NodeState[], voters: number): HeadBlock | undefined {
  const claims = of.flatMap(({ claim }) => claim ?? []).toSorted((a, b) => Number(b.height - a.height));
  return claims[Math.floor(voters / 2)];
}

/** Whether `some` are more than half of all nodes, not only of those that answer: a node that is alone for a moment does not replace the chain of the others. */
export function areMostOf(nodes: readonly NodeState[], some: readonly NodeState[]): boolean {
  return some.length * 2 > nodes.filter(({ wrongChain }) => !wrongChain).length;
}

/** Voters whose claims contradict the believed chain. */
export function contradictingVoters(nodes: readonly NodeState[]): readonly NodeState[] {
  return votersOf(nodes).filter(({ opposes }) => opposes !== undefined);
}
