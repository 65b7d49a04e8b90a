import { describe, expect, it } from 'vitest';
import { chunkOf, createProgress, gapsOf, piecesOf } from '../../src/archive/recording/backfill.ts';
import type { RecordedRange } from '../../src/archive/store/ranges.ts';

const range = (base: bigint, to: bigint): RecordedRange => ({ base, to, baseHash: `${base}`, toHash: `${to}` });
const covering = (...ranges: readonly RecordedRange[]) => ({ ranges, generation: 0n });

describe('gaps of the coverage', () => {
  it('lie between ranges, newest first, and below the lowest one only if a height is given', () => {
    const coverage = covering(range(100n, 150n), range(200n, 210n), range(300n, 300n));
    const between = [
      { base: 210n, end: 300n, continues: true },
      { base: 150n, end: 200n, continues: true },
    ];
    expect(gapsOf(coverage, undefined)).toEqual(between);
    expect(gapsOf(coverage, 40n)).toEqual([...between, { base: 39n, end: 100n, continues: false }]);
    expect(gapsOf(coverage, 101n)).toEqual(between);
    expect(gapsOf(covering(), 1n)).toEqual([]);
  });

  it('never need the state before the first block', () => {
    expect(gapsOf(covering(range(5n, 9n)), 1n)).toEqual([{ base: 1n, end: 5n, continues: false }]);
  });

  it('are filled in from the newest part, which continues the lower range only when it reaches it', () => {
    const gap = { base: 100n, end: 250n, continues: true };
    expect(chunkOf(gap, 100n)).toEqual({ base: 150n, end: 250n, continues: false });
    expect(chunkOf(gap, 150n)).toEqual(gap);
  });

  it('are divided into pieces that are filled in at the same time, but not where the state at their bases may be missing', () => {
    const basesOf = (base: bigint, end: bigint, continues: boolean) =>
      piecesOf({ base, end, continues }, 2_000n, 4).map((piece) => piece.base);
    expect(basesOf(0n, 20_000n, false)).toEqual([18_000n, 16_000n, 14_000n, 12_000n]);
    expect(basesOf(0n, 1_000n, false)).toEqual([750n, 500n, 250n, 0n]);
    expect(basesOf(0n, 300n, false)).toEqual([0n]);
    expect(basesOf(0n, 1_000n, true)).toEqual([0n]);
    expect(piecesOf({ base: 0n, end: 3_000n, continues: true }, 2_000n, 4)).toEqual([
      { base: 1_000n, end: 3_000n, continues: false },
      { base: 0n, end: 1_000n, continues: true },
    ]);
  });
});

describe('the rate of the backfill', () => {
  it('is that of the last ten seconds', () => {
    let now = 5_000;
    const progress = createProgress(() => now);
    expect(progress.rate()).toBe(0);
    for (let block = 0; block < 50; block++) progress.count();
    expect(progress.rate()).toBe(50);
    for (let second = 0; second < 30; second++) {
      now += 1_000;
      for (let block = 0; block < 20; block++) progress.count();
    }
    expect(progress.rate()).toBeCloseTo(20, 0);
    now += 60_000;
    expect(progress.rate()).toBe(0);
  });
});
