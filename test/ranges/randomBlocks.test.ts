import { describe, expect, it } from 'vitest';
import { createRandom } from '../../packages/devnet/src/app/runtime/random.ts';
import { bytesOf } from '../../packages/devnet/src/app/state/bytes.ts';
import { type CommittedState, createStore } from '../../packages/devnet/src/app/state/store.ts';
import { createPartialTree, type PartialTree, readStoreRoot } from '../../packages/verify/src/index.ts';
import { createLaterTree } from '../../packages/verify/src/treeChanges.ts';

import { changedRanges, type KeyRange } from '../../src/chain/ranges/keyRanges.ts';
import { seed, sizeOf } from '../support/atRandom.ts';

const store = 'group';
const keys = sizeOf({ full: 100_000, ci: 4_000, own: 2_000 });
const blocks = sizeOf({ full: 10_000, ci: 300, own: 100 });
const rangesAtOnce = 60;

const rootOf = (state: CommittedState): Uint8Array => readStoreRoot(state.prove(store, 'x')[1]!.data, store).root;

/** A key of an object: two letters name the kind, four digits the object, the rest a row of it. */
function keyOf(draw: number): string {
  const object = String(Math.floor(draw / 20) % (keys / 20)).padStart(6, '0');
  return `${draw % 3 === 0 ? '40' : '41'}${object}/${String(draw % 20).padStart(2, '0')}`;
}

/** The rows of a range, as text. */
function rowsOf(state: CommittedState, { start, end }: KeyRange): string {
  const rows: string[] = [];
  for (const { key, value } of state.entries(store, '', start)) {
    if (end !== undefined && key >= end) break;
    rows.push(`${key}=${Buffer.from(value).toString('hex')}`);
  }
  return rows.join();
}

describe(`over ${blocks} random blocks on a tree of ${keys} keys (seed ${seed})`, () => {
  it('no range that changed is called unchanged, and few that did not change are called changed', {
    timeout: 3_000_000,
  }, async () => {
    const random = createRandom(seed);
    const versions = createStore([store, 'bank']);
    const genesis = versions.branch();
    for (let count = 0; count < keys; count += 1) genesis.set(store, keyOf(count), bytesOf(`${count}`));
    versions.commit(0n, genesis);

    /** Reads what a read of the range reads: all its rows, and what is around it. */
    function prove(tree: PartialTree, state: CommittedState, { start, end }: KeyRange): void {
      const insert = (key: string): void => tree.insert(state.prove(store, key)[0]!.data);
      insert(start);
      if (end === `${start}\0`) return;
      for (const { key } of state.entries(store, '', start)) {
        insert(key);
        if (end !== undefined && key >= end) break;
      }
      insert(end ?? '\xff');
    }

    function draw(): KeyRange {
      const start = keyOf(random.below(keys));
      const kind = random.below(3);
      const prefix = start.slice(0, 9);
      // One key, the rows of an object, or no rows.
      return kind === 0
        ? { store, start, end: `${start}\0` }
        : kind === 1
          ? { store, start: prefix, end: `${prefix.slice(0, -1)}0` }
          : { store, start: `${start}x`, end: `${start}y` };
    }

    let state = versions.at(0n)!;
    let tree = createPartialTree(rootOf(state));
    let ranges: KeyRange[] = [];
    const counts = { compared: 0, changed: 0, falseUnchanged: 0, falseChanged: 0, proofs: 0 };
    for (let height = 1n; height <= BigInt(blocks); height += 1n) {
      while (ranges.length < rangesAtOnce) {
        const range = draw();
        prove(tree, state, range);
        ranges.push(range);
      }
      const branch = versions.branch();
      for (let writes = random.below(6) + 1; writes > 0; writes -= 1) {
        // Half of the writes are near a range that is followed.
        const near = ranges[random.below(ranges.length)]!.start.slice(0, 9);
        const key = random.below(2) === 0 ? `${near.padEnd(9, '/')}${random.below(20)}` : keyOf(random.below(keys));
        if (random.below(3) === 0) branch.delete(store, key);
        else branch.set(store, key, bytesOf(`${random.below(3)}`));
      }
      versions.commit(height, branch);
      versions.prune(height - 1n);
      const next = versions.at(height)!;
      const later = createLaterTree(rootOf(next), tree);
      const changedOnes = new Set(
        await changedRanges(ranges, {
          earlier: tree,
          later,
          most: 200,
          async prove(key) {
            counts.proofs += 1;
            later.insert(next.prove(store, Buffer.from(key).toString('latin1'))[0]!.data);
          },
        }),
      );
      for (const range of ranges) {
        const isChanged = rowsOf(state, range) !== rowsOf(next, range);
        counts.compared += 1;
        if (isChanged) counts.changed += 1;
        if (isChanged && !changedOnes.has(range)) counts.falseUnchanged += 1;
        if (!isChanged && changedOnes.has(range)) counts.falseChanged += 1;
      }
      // Some ranges are followed for long.
      ranges = ranges.filter((range) => !changedOnes.has(range) && random.below(40) > 0);
      [state, tree] = [next, later];
    }
    if (process.env.STELE_PRINT !== undefined) console.log(counts);
    expect(counts.falseUnchanged).toBe(0);
    expect(counts.changed).toBeGreaterThan(blocks / 10);
    expect(counts.falseChanged / (counts.compared - counts.changed)).toBeLessThan(0.02);
    // A block changes at most six keys.
    expect(counts.proofs / blocks).toBeLessThan(12);
  });
});
