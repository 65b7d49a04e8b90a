import { expect, it } from 'vitest';
import { bytesOf } from '../../packages/devnet/src/app/state/bytes.ts';
import { type CommittedState, createStore } from '../../packages/devnet/src/app/state/store.ts';
import { createPartialTree, type PartialTree, readStoreRoot } from '../../packages/verify/src/index.ts';
import { createLaterTree } from '../../packages/verify/src/treeChanges.ts';
import { changedRanges, type KeyRange } from '../../src/chain/ranges/keyRanges.ts';

const store = 'group';

const rootOf = (state: CommittedState): Uint8Array => readStoreRoot(state.prove(store, 'x')[1]!.data, store).root;

/** Reads what a read of the rows of an object reads: all of them, and the key after them. */
function read(tree: PartialTree, state: CommittedState, { start, end }: KeyRange): void {
  for (const key of [start, end!]) tree.insert(state.prove(store, key)[0]!.data);
  for (const { key } of state.entries(store, '', start)) {
    tree.insert(state.prove(store, key)[0]!.data);
    if (key >= end!) break;
  }
}

it('the first row of an object, or the removal of one, leaves the ranges of the objects beside it unchanged', async () => {
  const needless: string[] = [];
  // Trees of many shapes, whose objects have no row, one, or several.
  for (let shape = 0; shape < 24; shape += 1) {
    const objects = Array.from({ length: 6 }, (_, object) => ({ name: `4${object}`, rows: (shape + 2 * object) % 5 }));
    const versions = createStore([store, 'bank']);
    const genesis = versions.branch();
    for (let other = 0; other < 40 + shape; other += 1) genesis.set(store, `${other % 2 === 0 ? 3 : 5}${other}`, bytesOf('x'));
    for (const { name, rows } of objects)
      for (let row = 0; row < rows; row += 1) genesis.set(store, `${name}/${row}`, bytesOf('x'));
    versions.commit(0n, genesis);
    const snapshot = versions.snapshot();
    const state = versions.at(0n)!;
    const ranges = objects.map(({ name }) => ({ store, start: `${name}/`, end: `${name}0` }));
    for (const [index, { name, rows }] of objects.entries()) {
      const height = BigInt(2 * index + 1);
      versions.restore(height, snapshot);
      const earlier = createPartialTree(rootOf(state));
      for (const range of ranges) read(earlier, state, range);
      const branch = versions.branch();
      if (rows > 2) branch.delete(store, `${name}/0`);
      else branch.set(store, `${name}/9`, bytesOf('y'));
      versions.commit(height + 1n, branch);
      const next = versions.at(height + 1n)!;
      const later = createLaterTree(rootOf(next), earlier);
      const found = await changedRanges(ranges, {
        earlier,
        later,
        most: 200,
        async prove(key) {
          later.insert(next.prove(store, Buffer.from(key).toString('latin1'))[0]!.data);
        },
      });
      expect(found).toContainEqual({ store, start: `${name}/`, end: `${name}0` });
      for (const { start } of found) if (start !== `${name}/`) needless.push(`shape ${shape}, ${name}: ${start}`);
    }
  }
  expect(needless).toEqual([]);
});
