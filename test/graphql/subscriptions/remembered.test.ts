import { expect, it } from 'vitest';
import type { Told } from '../../../src/graphql/subscriptions/payload.ts';
import { createRemembered } from '../../../src/graphql/subscriptions/remembered.ts';

const told = (height: bigint, over: Partial<Told> = {}): Told => ({
  height,
  payloads: [],
  bytes: 0,
  last: false,
  failed: false,
  ...over,
});

/** Makes what is told, and counts how often. */
function maker(over: Partial<Told> = {}) {
  const made: bigint[] = [];
  return {
    made,
    make: (height: bigint) => async () => {
      made.push(height);
      return told(height, over);
    },
  };
}

it('makes each height of a subscription once, also for those who ask at the same time', async () => {
  const { told: ask } = createRemembered();
  const { made, make } = maker();
  const all = await Promise.all([
    ask('a', 1n, make(1n)),
    ask('a', 1n, make(1n)),
    ask('b', 1n, make(1n)),
    ask('a', 2n, make(2n)),
  ]);
  expect(all[0]).toBe(all[1]);
  expect(await ask('a', 1n, make(1n))).toBe(all[0]);
  expect(made).toEqual([1n, 1n, 2n]);
});

it('keeps no failure, and gives nobody one that was made for another', async () => {
  const { told: ask, size } = createRemembered();
  const { made, make } = maker({ failed: true });
  const [one, other] = await Promise.all([ask('a', 1n, make(1n)), ask('a', 1n, make(1n))]);
  expect(one).not.toBe(other);
  expect(made).toEqual([1n, 1n]);
  expect(size()).toBe(0);
  const failing = (): Promise<Told> => Promise.reject(new Error('no'));
  const { make: better } = maker();
  const [rejected, fine] = await Promise.allSettled([ask('a', 2n, failing), ask('a', 2n, better(2n))]);
  expect([rejected.status, fine.status]).toEqual(['rejected', 'fulfilled']);
});

it('is bounded by heights and by bytes, the oldest going first, and can be cleared', async () => {
  const byCount = createRemembered({ maxHeights: 2 });
  for (const height of [1n, 2n, 3n]) await byCount.told('a', height, maker().make(height));
  const { made, make } = maker();
  await byCount.told('a', 3n, make(3n));
  await byCount.told('a', 1n, make(1n));
  expect(made).toEqual([1n]);
  const byBytes = createRemembered({ maxBytes: 5_000 });
  for (const height of [1n, 2n, 3n]) await byBytes.told('a', height, maker({ bytes: 2_000 }).make(height));
  expect(byBytes.size()).toBe(2);
  byBytes.clear();
  expect(byBytes.size()).toBe(0);
});
