/** The nodes that hold the majority's block at a height, and those that hold another one. */
export interface VoteResult<N> {
  readonly agreed: readonly N[];
  readonly contradicting: readonly N[];
  /** Nodes that hold different blocks, none of which has a majority. None of them is accepted or refused. */
  readonly disputing: readonly N[];
}

/**
 * The blocks that nodes hold at each height. Blocks are final, so two blocks at one height mean a wrong node or another chain
 * (docs/security.md, T40).
 */
export interface BlockVotes<N> {
  /** Records the block of a node at a height. The result is empty until two nodes have reported that height. */
  cast(node: N, height: bigint, hash: string): VoteResult<N>;
}

/** Number of heights that are kept. Nodes in sync report the same height within a few blocks. */
const heightsKept = 16;

/** Makes empty votes. */
export function createBlockVotes<N>(): BlockVotes<N> {
  const heights = new Map<bigint, Map<N, string>>();

  return {
    cast(node, height, hash) {
      const reported = heights.get(height) ?? new Map<N, string>();
      heights.set(height, reported.set(node, hash));
      const [oldest] = heights.keys();
      if (heights.size > heightsKept && oldest !== undefined) heights.delete(oldest);
      if (reported.size < 2) return { agreed: [], contradicting: [], disputing: [] };

      const counts = new Map<string, number>();
      for (const each of reported.values()) counts.set(each, (counts.get(each) ?? 0) + 1);
      const most = Math.max(...counts.values());
      const [winner, ...others] = [...counts].filter(([, count]) => count === most).map(([each]) => each);
      const all = [...reported.keys()];
      if (others.length > 0) return { agreed: [], contradicting: [], disputing: all };
      return {
        agreed: all.filter((each) => reported.get(each) === winner),
        contradicting: all.filter((each) => reported.get(each) !== winner),
        disputing: [],
      };
    },
  };
}
