/**
 * A persistent balanced tree as IAVL has it: entries are in the leaves, and an inner node separates its halves by a key. Nodes
 * are immutable and shared by every version of the tree that contains them, but for `hash`, which is computed on first use.
 * Keys are binary strings (one char a byte), so that their order is the order of the bytes.
 */
export type TreeNode = Leaf | Inner;

/** An entry. */
export interface Leaf {
  readonly isLeaf: true;
  readonly key: string;
  readonly value: Uint8Array;
  readonly height: 0;
  readonly size: 1;
  /** The height of the chain at which the entry was written. */
  readonly version: number;
  hash: Uint8Array | undefined;
}

/** A node with two halves. */
export interface Inner {
  readonly isLeaf: false;
  /** The smallest key of the right half. */
  readonly key: string;
  /** The smallest key of both halves. */
  readonly first: string;
  readonly left: TreeNode;
  readonly right: TreeNode;
  /** Steps to the deepest leaf. */
  readonly height: number;
  /** The number of entries. */
  readonly size: number;
  /** The height of the chain at which anything below this node was written last. */
  readonly version: number;
  hash: Uint8Array | undefined;
}

/** A version of a tree: its root; null if it is empty. Taking one is free, and it never changes. */
export type Tree = TreeNode | null;

function leafOf(key: string, value: Uint8Array, version: number): Leaf {
  return { isLeaf: true, key, value, height: 0, size: 1, version, hash: undefined };
}

function firstOf(node: TreeNode): string {
  return node.isLeaf ? node.key : node.first;
}

function join(left: TreeNode, right: TreeNode, version: number): Inner {
  return {
    isLeaf: false,
    key: firstOf(right),
    first: firstOf(left),
    left,
    right,
    height: 1 + Math.max(left.height, right.height),
    size: left.size + right.size,
    version,
    hash: undefined,
  };
}

/** Joins two halves whose heights differ by at most two, and rotates them into balance. */
function balance(left: TreeNode, right: TreeNode, version: number): Inner {
  const lean = left.height - right.height;
  if (lean > 1 && !left.isLeaf) {
    if (left.left.height >= left.right.height || left.right.isLeaf) {
      return join(left.left, join(left.right, right, version), version);
    }
    const middle = left.right;
    return join(join(left.left, middle.left, version), join(middle.right, right, version), version);
  }
  if (lean < -1 && !right.isLeaf) {
    if (right.right.height >= right.left.height || right.left.isLeaf) {
      return join(join(left, right.left, version), right.right, version);
    }
    const middle = right.left;
    return join(join(left, middle.left, version), join(middle.right, right.right, version), version);
  }
  return join(left, right, version);
}

/** The value at `key`; undefined if there is none. */
export function treeGet(tree: Tree, key: string): Uint8Array | undefined {
  if (tree === null) return undefined;
  let node = tree;
  while (!node.isLeaf) node = key < node.key ? node.left : node.right;
  return node.key === key ? node.value : undefined;
}

/**
 * The tree with `key` set to `value` at the chain's height `version`. The given tree stays as it is. Setting an equal value
 * makes new nodes too, as on the chain.
 */
export function treeSet(tree: Tree, key: string, value: Uint8Array, version: number): TreeNode {
  if (tree === null) return leafOf(key, value, version);
  if (!tree.isLeaf) {
    return key < tree.key
      ? balance(treeSet(tree.left, key, value, version), tree.right, version)
      : balance(tree.left, treeSet(tree.right, key, value, version), version);
  }
  const leaf = leafOf(key, value, version);
  if (key === tree.key) return leaf;
  return key < tree.key ? join(leaf, tree, version) : join(tree, leaf, version);
}

/** The tree without `key`; the same tree if it had none. */
export function treeDelete(tree: Tree, key: string, version: number): Tree {
  if (tree === null) return null;
  if (tree.isLeaf) return tree.key === key ? null : tree;
  if (key < tree.key) {
    const left = treeDelete(tree.left, key, version);
    if (left === tree.left) return tree;
    return left === null ? tree.right : balance(left, tree.right, version);
  }
  const right = treeDelete(tree.right, key, version);
  if (right === tree.right) return tree;
  return right === null ? tree.left : balance(tree.left, right, version);
}

/** Entries whose key is at or above `from`, in ascending order of the bytes. */
export function* treeEntries(tree: Tree, from: string): Generator<Leaf, void, undefined> {
  const path: TreeNode[] = tree === null ? [] : [tree];
  for (let node = path.pop(); node !== undefined; node = path.pop()) {
    if (!node.isLeaf) {
      path.push(node.right);
      if (from < node.key) path.push(node.left);
    } else if (node.key >= from) yield node;
  }
}

/** The last entry whose key is below `before`; undefined if there is none. */
export function treeEntryBefore(tree: Tree, before: string): Leaf | undefined {
  let node = tree;
  let nearest: TreeNode | undefined;
  while (node !== null && !node.isLeaf) {
    if (before <= node.key) node = node.left;
    else {
      nearest = node.left;
      node = node.right;
    }
  }
  if (node !== null && node.key < before) return node;
  while (nearest !== undefined && !nearest.isLeaf) nearest = nearest.right;
  return nearest;
}
