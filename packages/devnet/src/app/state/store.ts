import { type ProofOp, proveStoreKey, rootOfStores, type Trees } from './storeProof.ts';
import { treeDelete, treeEntries, treeGet, treeSet } from './tree.ts';

/** An entry of a store. Keys are binary strings, see `bytes.ts`. */
export interface StoreEntry {
  readonly key: string;
  readonly value: Uint8Array;
}

/** An immutable snapshot of all stores. */
export interface StoreView {
  /** Returns the value of a key. undefined if there is none. */
  get(store: string, key: string): Uint8Array | undefined;
  /**
   * Yields the entries of `store` whose key starts with `prefix`, in ascending byte order, from `prefix + from` on (default:
   * the first).
   */
  entries(store: string, prefix: string, from?: string): Iterable<StoreEntry>;
}

/** The committed state of all stores at a height. It never changes. */
export interface CommittedState extends StoreView {
  readonly trees: Trees;
  /** The two operations that prove a key, or that it is absent, under the application hash at this height. */
  prove(store: string, key: string): ProofOp[];
}

/** Uncommitted state: the writes of a block, a transaction or a message. */
export interface Branch extends StoreView {
  set(store: string, key: string, value: Uint8Array): void;
  delete(store: string, key: string): void;
  /** Creates a branch on top of this one, which can be discarded. */
  fork(): Branch;
  /** Merges the writes of `child`, a fork of this branch. This branch must not have been written to since the fork. */
  merge(child: Branch): void;
}

/** The committed state of all stores and its hash. It is immutable, so several stores can continue from it. */
export interface Snapshot {
  readonly trees: Trees;
  readonly appHash: Uint8Array;
}

/** All stores by height. A version is a tree for each store. Versions share their nodes, so keeping many versions is cheap. */
export interface VersionedStore {
  /** The last committed height. -1n before the first commit. */
  readonly latestHeight: bigint;
  /** The oldest kept height. */
  readonly earliestHeight: bigint;
  /** The application hash at the last committed height: the root over the roots of all stores. */
  readonly appHash: Uint8Array;
  /** Creates a branch on top of the newest state. */
  branch(): Branch;
  /** Commits `branch` as the state at `height`. */
  commit(height: bigint, branch: Branch): Uint8Array;
  /** Returns the newest committed state. */
  snapshot(): Snapshot;
  /** Makes a snapshot, also one of another store, the committed state at `height`. Returns its hash. */
  restore(height: bigint, snapshot: Snapshot): Uint8Array;
  /** Returns the state at `height`. undefined if it is not kept or does not exist yet. */
  at(height: bigint): CommittedState | undefined;
  /** Deletes the states below `height`, except the newest. */
  prune(height: bigint): void;
}

/** Returns the contents of some trees. */
export function viewOf(trees: Trees): StoreView {
  return {
    get: (store, key) => treeGet(trees.get(store) ?? null, key),
    *entries(store, prefix, from = '') {
      for (const leaf of treeEntries(trees.get(store) ?? null, prefix + from)) {
        if (!leaf.key.startsWith(prefix)) return;
        yield leaf;
      }
    },
  };
}

/** Creates an empty versioned store. `names`: stores that are part of the application hash even while they are empty. */
export function createStore(names: readonly string[] = []): VersionedStore {
  const versions = new Map<bigint, Trees>();
  const open = new WeakMap<Branch, () => Trees>();
  let latest = -1n;
  let earliest = 0n;
  let head: Trees = new Map(names.map((name) => [name, null]));
  let appHash = rootOfStores(head);

  const branchOf = (base: Trees, version: number): Branch => {
    let trees = new Map(base);
    const tree = (store: string) => trees.get(store) ?? null;
    const branch: Branch = {
      get: (store, key) => treeGet(tree(store), key),
      entries: (store, prefix, from) => viewOf(trees).entries(store, prefix, from),
      set(store, key, value) {
        trees.set(store, treeSet(tree(store), key, value, version));
      },
      delete(store, key) {
        trees.set(store, treeDelete(tree(store), key, version));
      },
      fork: () => branchOf(trees, version),
      merge(child) {
        const takenBranch = open.get(child);
        if (takenBranch === undefined) throw new Error('a branch of another store cannot be merged');
        trees = new Map(takenBranch());
      },
    };
    open.set(branch, () => trees);
    return branch;
  };

  const keep = (height: bigint): Uint8Array => {
    if (versions.size === 0) earliest = height;
    versions.set(height, head);
    latest = height;
    return appHash;
  };

  return {
    get latestHeight() {
      return latest;
    },
    get earliestHeight() {
      return earliest;
    },
    get appHash() {
      return appHash;
    },
    branch: () => branchOf(head, Number(latest + 1n)),
    commit(height, branch) {
      const takenBranch = open.get(branch);
      if (takenBranch === undefined) throw new Error('a branch of another store cannot be committed');
      head = new Map(takenBranch());
      appHash = rootOfStores(head);
      return keep(height);
    },
    snapshot: () => ({ trees: head, appHash }),
    restore(height, snapshot) {
      head = snapshot.trees;
      appHash = snapshot.appHash;
      return keep(height);
    },
    at(height) {
      const trees = versions.get(height);
      return trees && { trees, ...viewOf(trees), prove: (store, key) => proveStoreKey(trees, store, key) };
    },
    prune(height) {
      const limit = height < latest ? height : latest;
      for (; earliest < limit; earliest += 1n) versions.delete(earliest);
    },
  };
}
