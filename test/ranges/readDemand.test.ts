import { describe, expect, it } from 'vitest';
import { createReadDemand } from '../../src/chain/ranges/readDemand.ts';
import type { NamedRead } from '../../src/chain/roots/followedReads.ts';

const store = 'group';

/** The reads of an operation. */
const readsOf = (operation: string, count: number): readonly NamedRead[] =>
  Array.from({ length: count }, (_, index) => ({ name: `${operation}/${index}`, stores: [store, 'upgrade'] }));

describe('what is asked of a store', () => {
  it('is followed from as many reads and executions on as a walk usually costs, and never for two reads', () => {
    for (const [count, isFollowed] of [
      [2, false],
      [6, false],
      [9, true],
      [600, true],
    ] as const) {
      const demand = createReadDemand();
      for (let height = 1n; height < 20n; height += 1n) {
        for (const read of readsOf('board', count)) demand.note(read, true);
        demand.noteAnswer(readsOf('board', count), height, height + 1n, false);
        demand.changed(store, height);
      }
      expect(demand.saving(store) !== undefined).toBe(isFollowed);
      // A store that never changes costs nothing.
      expect(demand.saving('upgrade')).toBeDefined();
    }
  });

  it('counts the executions of answers that share a read, once for each change', () => {
    const demand = createReadDemand();
    const [shared] = readsOf('shared', 1);
    for (let change = 10n; change < 200n; change += 10n) {
      demand.note(shared!, true);
      // Each of 20 answers is asked for at each block.
      for (let height = change; height < change + 10n; height += 1n)
        for (let answer = 0; answer < 20; answer += 1) demand.noteAnswer([shared!], height - 1n, height, false);
      demand.changed(store, change + 10n);
    }
    // Before the first change, nothing is known to be executed because of it.
    expect(demand.saving(store)).toBeGreaterThan(15);
    expect(demand.saving(store)).toBeLessThanOrEqual(21);
  });

  it('is followed no more if it is asked for rarely', () => {
    const demand = createReadDemand();
    const reads = readsOf('boards', 120);
    for (const read of reads) demand.note(read, true);
    demand.changed(store, 1n);
    let changes = 1n;
    for (; demand.saving(store) !== undefined; changes += 1n) {
      demand.walked(store, 5);
      demand.noteAnswer(reads.slice(0, 2), changes, changes + 1n, true);
      demand.changed(store, changes + 1n);
    }
    expect(changes).toBeGreaterThan(5n);
    expect(changes).toBeLessThan(20n);
  });

  it('is followed no more if most of it is made again in spite of it', () => {
    const demand = createReadDemand();
    const reads = readsOf('boards', 30);
    let changes = 0n;
    do {
      for (const [index, read] of reads.entries()) demand.note(read, index < 28);
      demand.changed(store, changes + 1n);
      demand.walked(store, 5);
      changes += 1n;
    } while (demand.saving(store) !== undefined && changes < 50n);
    expect(changes).toBeLessThan(20n);
    // What was measured long ago is tried again.
    for (; demand.saving(store) === undefined; changes += 1n) {
      for (const read of reads) demand.note(read, true);
      demand.changed(store, changes + 1n);
    }
    expect(changes).toBeLessThan(100n);
  });
});
