import type { PartialTree } from '../../../packages/verify/src/index.ts';
import { changedKeys } from '../../../packages/verify/src/treeChanges.ts';
import { binaryChanges, type KeyRange, stateOf } from './keyRanges.ts';

/** How many proofs are requested at once, if as many parts of the tree are unknown: one batch. */
const proofsAtOnce = 10;

/** The most proofs that one comparison may need. Where more are needed, reading is cheaper. */
const maxProofs = 200;

/**
 * Compares ranges of a store at an earlier root with a later one, and resolves with those that may have changed. The later tree is walked down where hashes differ: `prove` adds the
 * proof of a key to it, and is called for one key in each part that is unknown and that a range ends in. A range that cannot be decided counts as changed.
 */
export async function changedRanges<T extends KeyRange>(
  ranges: readonly T[],
  {
    earlier,
    later,
    prove,
  }: {
    readonly earlier: PartialTree;
    readonly later: PartialTree;
    readonly prove: (key: Uint8Array) => Promise<void>;
  },
): Promise<readonly T[]> {
  const changedOnes: T[] = [];
  const askedKeys = new Set<string>();
  for (let open = ranges; open.length > 0; ) {
    const changes = binaryChanges(changedKeys(earlier, later));
    const unknown: T[] = [];
    /** A key for each part of the tree that is unknown. */
    const keys = new Map<number, string>();
    for (const range of open) {
      const state = stateOf(range, changes);
      if (state.kind === 'UNCHANGED') continue;
      if (state.kind === 'CHANGED' || askedKeys.has(state.key) || askedKeys.size >= maxProofs) {
        changedOnes.push(range);
        continue;
      }
      unknown.push(range);
      if (keys.size < proofsAtOnce && !keys.has(state.gap)) keys.set(state.gap, state.key);
    }
    open = unknown;
    for (const key of keys.values()) askedKeys.add(key);
    await Promise.all([...keys.values()].map((key) => prove(Buffer.from(key, 'latin1'))));
  }
  return changedOnes;
}
