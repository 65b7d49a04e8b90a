/**
 * A node of a persistent balanced (AVL) search tree. It is immutable and shared between versions. `null` is the empty tree.
 * Keys are binary strings, so that their order is byte order.
 */
export interface TreeNode {
  readonly key: string;
  readonly value: Uint8Array;
  readonly left: Tree;
  readonly right: Tree;
  readonly depth: number;
}

/** A version of a tree: its root, which never changes. */
export type Tree = TreeNode | null;

function depthOf(tree: Tree): number {
  return tree === null ? 0 : tree.depth;
}

function join(left: Tree, key: string, value: Uint8Array, right: Tree): TreeNode {
  return { key, value, left, right, depth: 1 + Math.max(depthOf(left), depthOf(right)) };
}

function balance(left: Tree, key: string, value: Uint8Array, right: Tree): TreeNode {
  const lean = depthOf(left) - depthOf(right);
  if (lean > 1 && left !== null) {
    if (depthOf(left.left) >= depthOf(left.right) || left.right === null) {
      return join(left.left, left.key, left.value, join(left.right, key, value, right));
    }
    const middle = left.right;
    return join(
      join(left.left, left.key, left.value, middle.left),
      middle.key,
      middle.value,
      join(middle.right, key, value, right),
    );
  }
  if (lean < -1 && right !== null) {
    if (depthOf(right.right) >= depthOf(right.left) || right.left === null) {
      return join(join(left, key, value, right.left), right.key, right.value, right.right);
    }
    const middle = right.left;
    return join(
      join(left, key, value, middle.left),
      middle.key,
      middle.value,
      join(middle.right, right.key, right.value, right.right),
    );
  }
  return join(left, key, value, right);
}

/** Returns the value of `key`. undefined if there is none. */
export function treeGet(tree: Tree, key: string): Uint8Array | undefined {
  let node = tree;
  while (node !== null) {
    if (key === node.key) return node.value;
    node = key < node.key ? node.left : node.right;
  }
  return undefined;
}

/** Returns the tree with `key` set to `value`. The given tree does not change. */
export function treeSet(tree: Tree, key: string, value: Uint8Array): TreeNode {
  if (tree === null) return join(null, key, value, null);
  if (key === tree.key) return join(tree.left, key, value, tree.right);
  return key < tree.key
    ? balance(treeSet(tree.left, key, value), tree.key, tree.value, tree.right)
    : balance(tree.left, tree.key, tree.value, treeSet(tree.right, key, value));
}

/** Returns the tree without `key`, or the same tree if it has no such key. */
export function treeDelete(tree: Tree, key: string): Tree {
  if (tree === null) return null;
  if (key < tree.key) {
    const left = treeDelete(tree.left, key);
    return left === tree.left ? tree : balance(left, tree.key, tree.value, tree.right);
  }
  if (key > tree.key) {
    const right = treeDelete(tree.right, key);
    return right === tree.right ? tree : balance(tree.left, tree.key, tree.value, right);
  }
  if (tree.left === null) return tree.right;
  if (tree.right === null) return tree.left;
  let next: TreeNode = tree.right;
  while (next.left !== null) next = next.left;
  return balance(tree.left, next.key, next.value, treeDelete(tree.right, next.key));
}

/** Yields the entries whose key is at or above `from`, in ascending byte order. */
export function* treeEntries(tree: Tree, from: string): Generator<TreeNode, void, undefined> {
  const path: TreeNode[] = [];
  const descend = (start: Tree): void => {
    let node = start;
    while (node !== null) {
      if (node.key < from) node = node.right;
      else {
        path.push(node);
        node = node.left;
      }
    }
  };
  descend(tree);
  for (let node = path.pop(); node !== undefined; node = path.pop()) {
    yield node;
    descend(node.right);
  }
}
