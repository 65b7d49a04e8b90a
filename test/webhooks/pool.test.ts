import { expect, it } from 'vitest';
import { createPace } from '../../src/webhooks/pool.ts';

it('begins a thousand pieces of work in many turns of the event loop, in their order', async () => {
  const pace = createPace();
  let [turn, last] = [0, -1];
  const begun = new Map<number, number>();
  const count = (): void => {
    turn += 1;
    if (last < 999) setImmediate(count);
  };
  const work = Array.from({ length: 1_000 }, async (_, index) => {
    await pace();
    expect(index).toBe(last + 1);
    last = index;
    begun.set(turn, (begun.get(turn) ?? 0) + 1);
  });
  // What subscribers get in the turn of an event comes before all of it.
  expect(last).toBe(-1);
  setImmediate(count);
  await Promise.all(work);
  expect(begun.size).toBeGreaterThanOrEqual(250);
  expect(Math.max(...begun.values())).toBeLessThanOrEqual(4);
});
