import { expect, it } from 'vitest';
import { createSeenNames } from '../../../src/chain/memory/memoryBudget.ts';

const named = (count: number): string[] => Array.from({ length: count }, (_, index) => `c\nread\nPOST\n/graphql\n${index}`);

it('a name is seen from the second time on', () => {
  const seen = createSeenNames();
  // The reads of 2,000 boards.
  const names = named(12_000);
  expect(names.filter((name) => seen.note(name))).toEqual([]);
  expect(names.filter((name) => seen.note(name)).length).toBe(12_000);
  expect(createSeenNames().note(names[0]!)).toBe(false);
});

it('old names are forgotten, and none is taken for another', () => {
  const seen = createSeenNames();
  expect(named(400_000).filter((name) => seen.note(name))).toEqual([]);
  const again = named(1_000).filter((name) => seen.note(name));
  expect(again.length).toBeLessThan(100);
  expect([seen.note(''), seen.note('')]).toEqual([false, true]);
});
