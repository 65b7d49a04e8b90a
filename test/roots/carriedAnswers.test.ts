import { beforeAll, describe, expect, it } from 'vitest';
import { runsAll, seed, sizeOf } from '../support/atRandom.ts';
import { type Comparison, compareAnswers } from './comparison.ts';
import { moduleMethods, neverCarried, rootFields, unknownCases } from './operations.ts';

/** Every root field and method is read at every height, on build machines only: this takes half a minute. */
const blocks = sizeOf({ full: 2000, ci: 400 });

describe.runIf(runsAll)(`over ${blocks} blocks with random transactions of every module (seed ${seed})`, () => {
  let comparison: Comparison;

  beforeAll(async () => {
    comparison = await compareAnswers({ seed, blocks, share: 1 });
  }, 1_500_000);

  /** The numbers of all answers and of the carried answers to what `isOf` accepts. */
  function counted(isOf: (asked: string) => boolean): { all: number; carried: number } {
    let [all, carried] = [0, 0];
    for (const [name, counts] of comparison.asked) {
      if (!isOf(name)) continue;
      all += counts.all;
      carried += counts.carried;
    }
    return { all, carried };
  }

  it('every answer equals one that was read without any cache', () => {
    expect(comparison.differences.slice(0, 3)).toEqual([]);
  });

  it('every root field that is read at a height and 20 methods are read', () => {
    expect(unknownCases).toEqual([]);
    expect(moduleMethods).toHaveLength(20);
    const names = [...rootFields.map(({ name }) => name), ...moduleMethods.map((method) => `module ${method}`)];
    for (const name of names) expect(comparison.asked.get(name)?.all ?? 0, name).toBeGreaterThanOrEqual(blocks);
  });

  it('a good share of the answers is carried, over GraphQL, REST and the aggregates', () => {
    const fields = counted((name) => !name.startsWith('/') && !neverCarried.has(name));
    const surfaces = [/^\/v1\//, /^\/rest\//, /^\/(cosmos|provenance)\//].map((path) => counted((name) => path.test(name)));
    expect(fields.carried / fields.all).toBeGreaterThan(0.5);
    // Each path is read at one height of eight, so most of them change between two reads.
    for (const { all, carried } of surfaces) expect(carried / all).toBeGreaterThan(0.05);
    for (const { name } of rootFields) {
      const { carried } = comparison.asked.get(name)!;
      expect(carried > 0, name).toBe(!neverCarried.has(name));
    }
  });

  it('the transactions change every module of the devnet', () => {
    const types = [...comparison.messages.keys()];
    const modules = new Set(types.map((type) => type.split('.').at(-3)));
    expect([...modules].sort()).toEqual(['attribute', 'bank', 'feegrant', 'group', 'marker', 'metadata', 'name', 'wasm']);
    // Which types succeed depends on the times between the blocks, which are drawn with everything else.
    expect(types.length).toBeGreaterThan(30);
  });
});
