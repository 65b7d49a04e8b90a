import { createHash } from 'node:crypto';
import { type Tree, treeDelete, treeEntries, treeGet, treeSet } from './tree.ts';

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

/** Uncommitted state: the writes of a block, a transaction or a message. */
export interface Branch extends StoreView {
  set(store: string, key: string, value: Uint8Array): void;
  delete(store: string, key: string): void;
  /** Creates a branch on top of this one, which can be discarded. */
  fork(): Branch;
  /** Merges the writes of `child`, a fork of this branch. This branch must not have been written to since the fork. */
  merge(child: Branch): void;
}

/** The committed state of a store and its hash. It is immutable, so several stores can continue from it. */
export interface Snapshot {
  readonly tree: Tree;
  readonly appHash: Uint8Array;
}

/** All stores by height. Versions are trees that share their nodes, so keeping many versions is cheap. */
export interface VersionedStore {
  /** The last committed height. -1n before the first commit. */
  readonly latestHeight: bigint;
  /** The oldest kept height. */
  readonly earliestHeight: bigint;
  /** The application hash at the last committed height. */
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
  at(height: bigint): StoreView | undefined;
  /** Deletes the states below `height`, except the newest. */
  prune(height: bigint): void;
}

function viewOf(tree: Tree): StoreView {
  return {
    get: (store, key) => treeGet(tree, `${store}/${key}`),
    *entries(store, prefix, from = '') {
      const start = `${store}/${prefix}`;
      const skip = store.length + 1;
      for (const node of treeEntries(tree, start + from)) {
        if (!node.key.startsWith(start)) return;
        yield { key: node.key.slice(skip), value: node.value };
      }
    },
  };
}

interface OpenBranch extends Branch {
  readonly root: () => Tree;
  readonly changes: ReadonlyMap<string, Uint8Array | null>;
}

/**
 * Creates an empty versioned store. `appHash` is a SHA-256 chain over the sorted changes of each block. It identifies the
 * history of the state, but is not the root of an IAVL tree and supports no proofs.
 */
export function createStore(): VersionedStore {
  const versions = new Map<bigint, Tree>();
  const open = new WeakMap<Branch, OpenBranch>();
  let latest = -1n;
  let earliest = 0n;
  let head: Tree = null;
  let appHash: Uint8Array = createHash('sha256').digest();

  const branchOf = (base: Tree): Branch => {
    let root = base;
    const changes = new Map<string, Uint8Array | null>();
    const branch: OpenBranch = {
      root: () => root,
      changes,
      get: (store, key) => treeGet(root, `${store}/${key}`),
      entries: (store, prefix, from) => viewOf(root).entries(store, prefix, from),
      set(store, key, value) {
        root = treeSet(root, `${store}/${key}`, value);
        changes.set(`${store}/${key}`, value);
      },
      delete(store, key) {
        root = treeDelete(root, `${store}/${key}`);
        changes.set(`${store}/${key}`, null);
      },
      fork: () => branchOf(root),
      merge(child) {
        const taken = open.get(child);
        if (taken === undefined) throw new Error('a branch of another store cannot be merged');
        root = taken.root();
        for (const [key, value] of taken.changes) changes.set(key, value);
      },
    };
    open.set(branch, branch);
    return branch;
  };

  const hashOf = (changes: ReadonlyMap<string, Uint8Array | null>): Uint8Array => {
    const hash = createHash('sha256').update(appHash);
    for (const key of [...changes.keys()].sort()) {
      const value = changes.get(key) ?? null;
      hash.update(`${key.length}:`).update(key, 'latin1');
      if (value === null) hash.update('-');
      else hash.update(`+${value.length}:`).update(value);
    }
    return hash.digest();
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
    branch: () => branchOf(head),
    commit(height, branch) {
      const taken = open.get(branch);
      if (taken === undefined) throw new Error('a branch of another store cannot be committed');
      head = taken.root();
      if (taken.changes.size > 0) appHash = hashOf(taken.changes);
      return keep(height);
    },
    snapshot: () => ({ tree: head, appHash }),
    restore(height, snapshot) {
      head = snapshot.tree;
      appHash = snapshot.appHash;
      return keep(height);
    },
    at(height) {
      const tree = versions.get(height);
      return tree === undefined ? undefined : viewOf(tree);
    },
    prune(height) {
      const limit = height < latest ? height : latest;
      for (; earliest < limit; earliest += 1n) versions.delete(earliest);
    },
  };
}
