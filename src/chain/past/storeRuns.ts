import { fromBinary } from '@bufbuild/protobuf';
import { type CommitmentProof, CommitmentProofSchema } from '../../proto/cosmos/ics23/v1/proofs_pb.js';

// The root of a store tells when it changed. A leaf of its tree is hashed with the height at which it was written, and an inner node with the height at
// which anything below it changed. So each write and each deletion makes a root that no earlier tree had, even if the content is the same again. There is
// one exception: a tree of at most one key. It becomes the leaf or the empty tree of before again when another key is added and removed. For such
// trees, an equal root proves an equal content, and nothing about the blocks in between: every one of them is read.

/** The root of a store at a height. */
export interface Root {
  /** In hex; {@link absentRoot} for a store that the chain does not have. */
  readonly root: string;
  /** Whether the tree has at most one key. */
  readonly isSmall: boolean;
}

/** Heights at which a store has one root. Between two of them nothing has changed. */
export interface Run extends Root {
  readonly first: bigint;
  readonly last: bigint;
}

/** What stands for the root of a store that the chain does not have. */
export const absentRoot = 'absent';

/** The type of the operation that proves the key of a store under its root. */
const treeType = 'ics23:iavl';

/** Whether the proof that a key is absent shows a tree of at most one key: it has no neighbour, or one that is the whole tree. A proof of another kind counts as one that does. */
export function showsSmallTree(operations: readonly { readonly type: string; readonly data: Uint8Array }[]): boolean {
  const data = operations.find(({ type }) => type === treeType)?.data;
  if (data === undefined) return true;
  let proof: CommitmentProof['proof'];
  try {
    ({ proof } = fromBinary(CommitmentProofSchema, data));
  } catch {
    return true;
  }
  if (proof.case !== 'nonexist') return true;
  const { left, right } = proof.value;
  return (left?.path.length ?? 0) === 0 && (right?.path.length ?? 0) === 0;
}

/** The index of the last run that does not begin after a height; -1 if all do. */
function indexAt(runs: readonly Run[], height: bigint): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((runs[middle]?.first ?? height) <= height) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The runs of one store, by ascending height. */
export class StoreRuns {
  #runs: Run[] = [];

  get size(): number {
    return this.#runs.length;
  }

  all(): readonly Run[] {
    return this.#runs;
  }

  /** The run that contains a height; undefined if none does. */
  at(height: bigint): Run | undefined {
    const run = this.#runs[indexAt(this.#runs, height)];
    return run !== undefined && height <= run.last ? run : undefined;
  }

  /** The first run after a height. */
  after(height: bigint): Run | undefined {
    return this.#runs[indexAt(this.#runs, height) + 1];
  }

  /** Adds what is known of some heights. It becomes one run with its neighbours of the same root, if nothing can have changed between them. */
  add(run: Run): void {
    const { root, isSmall } = run;
    let { first, last } = run;
    const joins = (one: Run | undefined, gap: bigint): one is Run => one?.root === root && (!isSmall || gap <= 1n);
    let start = indexAt(this.#runs, first);
    const before = this.#runs[start];
    if (joins(before, first - (before?.last ?? 0n))) {
      first = before.first;
      if (before.last > last) last = before.last;
    } else start += 1;
    let end = start;
    for (let next = this.#runs[end]; next !== undefined; next = this.#runs[end]) {
      if (next.first > last && !joins(next, next.first - last)) break;
      if (next.last > last) last = next.last;
      end += 1;
    }
    this.#runs.splice(start, end - start, { first, last, root, isSmall });
  }
}
