import { expect, it } from 'vitest';
import { bytesOf } from '../../packages/devnet/src/app/state/bytes.ts';
import { createStore } from '../../packages/devnet/src/app/state/store.ts';
import { createPartialTree, type PartialTree, readStoreRoot } from '../../packages/verify/src/index.ts';
import { isInner, type Node } from '../../packages/verify/src/partialTree.ts';
import { createLaterTree } from '../../packages/verify/src/treeChanges.ts';
import { runsAll, sizeOf } from '../support/atRandom.ts';
import { usedMemory } from '../support/memory.ts';

const store = 'group';
const keys = sizeOf({ full: 100_000, ci: 10_000 });

/** A key with the length of one of a vote: a table, an id, and an address. */
const keyOf = (index: number): string => `A${String(index).padStart(27, '0')}`;

function nodesIn(node: Node | undefined): number {
  if (node === undefined) return 0;
  return isInner(node) ? 1 + nodesIn(node.left) + nodesIn(node.right) : 1;
}

it.runIf(runsAll)('a node of a proven tree takes at most 200 bytes with its key and value, as it counts', async () => {
  const versions = createStore([store, 'bank']);
  const branch = versions.branch();
  for (let index = 0; index < keys; index += 1) branch.set(store, keyOf(index), bytesOf(`${index}`.padEnd(60, '.')));
  versions.commit(1n, branch);
  const state = versions.at(1n)!;
  const proofOf = (index: number): Uint8Array => state.prove(store, keyOf(index))[0]!.data;
  const { root } = readStoreRoot(state.prove(store, keyOf(0))[1]!.data, store);
  const grow = (): PartialTree => {
    const tree = createPartialTree(root);
    // Of three objects, the rows of two are read.
    for (let index = 0; index < keys; index += 1) if (Math.floor(index / 10) % 3 > 0) tree.insert(proofOf(index));
    return tree;
  };
  // The chain keeps what it has hashed.
  grow();
  const trees: PartialTree[] = [];
  const sizes: number[] = [];
  // Meanwhile, other work of the process allocates memory or frees it.
  for (let time = 0; time < 3; time += 1) {
    const before = await usedMemory();
    trees.push(grow());
    sizes.push((await usedMemory()) - before);
  }
  const used = sizes.toSorted((one, other) => one - other)[1]!;
  const tree = trees[0]!;
  const nodes = nodesIn(tree.top);
  console.log(`${nodes} nodes, ${(used / nodes).toFixed(0)} bytes each; counted: ${(tree.memory / nodes).toFixed(0)}`);
  expect(used / nodes).toBeLessThan(200);
  expect(tree.memory / used).toBeGreaterThan(0.85);
  expect(tree.memory / used).toBeLessThan(1.2);
});

it.runIf(runsAll)('a tree that is carried over blocks keeps no tree of an earlier block', async () => {
  const versions = createStore([store, 'bank']);
  /** Changes one key, and carries the tree to the block. */
  function next(height: number, earlier: PartialTree | undefined): PartialTree {
    const branch = versions.branch();
    for (let index = 0; index < (earlier === undefined ? 100 : 1); index += 1)
      branch.set(store, keyOf(index), bytesOf(`${height}`));
    versions.commit(BigInt(height), branch);
    const [proof, rootProof] = versions.at(BigInt(height))!.prove(store, keyOf(0));
    const { root } = readStoreRoot(rootProof!.data, store);
    const tree = earlier === undefined ? createPartialTree(root) : createLaterTree(root, earlier);
    tree.insert(proof!.data);
    return tree;
  }
  let tree = next(1, undefined);
  const earlierTrees: WeakRef<PartialTree>[] = [];
  for (let height = 2; height < 12; height += 1) {
    earlierTrees.push(new WeakRef(tree));
    tree = next(height, tree);
  }
  await usedMemory();
  expect(earlierTrees.filter((each) => each.deref() !== undefined)).toEqual([]);
  expect(tree.get(Buffer.from(keyOf(0)))).toEqual(bytesOf('11'));
});
