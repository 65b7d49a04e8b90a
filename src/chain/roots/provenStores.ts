import type { SimpleProof } from './simpleProof.ts';

/** What the last proof of a store says: its root, and the hashes from its leaf up to the application hash. */
interface LastProof {
  readonly root: string;
  readonly path: readonly string[];
}

/** The proofs at one height. They all lead to the same application hash. */
export interface ProofsAtHeight {
  /** Adds a verified proof. */
  add(proof: SimpleProof): void;
  /** The root of a store at this height. Undefined if the proofs do not decide it, so that it needs a proof of its own. */
  rootOf(store: string): string | undefined;
  /** The roots of all stores that the proofs decide. */
  roots(): ReadonlyMap<string, string>;
}

/** The last proof of each store, from any height. */
export interface ProvenStores {
  /** Starts a height without proofs. */
  atHeight(): ProofsAtHeight;
  clear(): void;
}

/**
 * Makes an empty set of proven stores.
 *
 * One proof decides more stores than its own. It contains the hashes of neighbouring subtrees, and each of these covers the
 * names and the roots of the stores below it. Equal hashes have equal content. So if the path of the last proof of a store has
 * a hash in common with a proof at this height, the store has the same root at this height. This needs no list of the stores
 * of the chain, and no order of heights.
 */
export function createProvenStores(): ProvenStores {
  const last = new Map<string, LastProof>();

  function atHeight(): ProofsAtHeight {
    const known = new Map<string, string>();
    const hashes = new Set<string>();

    function rootOf(store: string): string | undefined {
      const proven = known.get(store);
      if (proven !== undefined) return proven;
      const before = last.get(store);
      return before?.path.some((hash) => hashes.has(hash)) ? before.root : undefined;
    }

    return {
      add({ store, root, path, neighbours }) {
        known.set(store, root);
        for (const hash of [...path, ...neighbours]) hashes.add(hash);
        last.set(store, { root, path });
      },
      rootOf,
      roots() {
        const roots = new Map<string, string>();
        for (const store of last.keys()) {
          const root = rootOf(store);
          if (root !== undefined) roots.set(store, root);
        }
        return roots;
      },
    };
  }

  return { atHeight, clear: () => last.clear() };
}
