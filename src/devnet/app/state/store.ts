import { createHash } from 'node:crypto';
import { type Tree, treeDelete, treeEntries, treeGet, treeSet } from './tree.ts';

/** One entry of a store. Keys are binary strings: one char a byte (see `bytes.ts`). */
export interface StoreEntry {
  readonly key: string;
  readonly value: Uint8Array;
}

/** The state of all stores as it was at one moment. It never changes. */
export interface StoreView {
  /** undefined when there is nothing under `key`. */
  get(store: string, key: string): Uint8Array | undefined;
  /** Entries of `store` whose key starts with `prefix`, ascending by bytes, from `prefix + from` on (from the first when absent). */
  entries(store: string, prefix: string, from?: string): Iterable<StoreEntry>;
}

/** State that is being written: what a block, a transaction or a message does until it stands. */
export interface Branch extends StoreView {
  set(store: string, key: string, value: Uint8Array): void;
  delete(store: string, key: string): void;
  /** A branch of its own on top of this one: throwing it away leaves nothing behind. */
  fork(): Branch;
  /** Takes over what `child`, a fork of this branch, has written. This one must not have been written to since the fork. */
  merge(child: Branch): void;
}

/** All stores by height. A version is the root of a tree whose nodes are shared, so keeping many of them is cheap. */
export interface VersionedStore {
  /** The height last committed; -1n before the first commit. */
  readonly latestHeight: bigint;
  /** The oldest height kept. */
  readonly earliestHeight: bigint;
  /** The application's hash at the height last committed. */
  readonly appHash: Uint8Array;
  /** A branch on top of the newest state. */
  branch(): Branch;
  /** Makes what `branch` holds the state of `height`. */
  commit(height: bigint, branch: Branch): Uint8Array;
  /** The state at `height`; undefined when it is not (or no more, or not yet) there. */
  at(height: bigint): StoreView | undefined;
  /** Forgets the states below `height`; the newest stays in any case. */
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
 * Makes an empty versioned store. `appHash` is a SHA-256 chain over each block's sorted changes: it differs whenever the history of
 * the state differs, but it is not the root of an IAVL tree and proves nothing.
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
      if (versions.size === 0) earliest = height;
      versions.set(height, head);
      latest = height;
      return appHash;
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
