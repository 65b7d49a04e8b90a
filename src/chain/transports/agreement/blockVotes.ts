/** Which nodes hold the block at a height that most hold, and which another. */
export interface VoteResult<N> {
  readonly agreed: readonly N[];
  readonly contradicting: readonly N[];
  /** Those that hold different blocks of which none is held by most: none of them can be believed, and none refused. */
  readonly disputing: readonly N[];
}

/** What nodes say of which block is at a height. Blocks are final, so two at one height are a lie, or another chain (reliability.md T40). */
export interface BlockVotes<N> {
  /** Takes in which block a node holds at a height; what follows of it: nothing of anybody before two nodes have reported of that height. */
  cast(node: N, height: bigint, hash: string): VoteResult<N>;
}

/** Heights that are heightsKept: nodes that are in step tell of the same within a few blocks. */
const heightsKept = 16;

/** Makes them. */
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
