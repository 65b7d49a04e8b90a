import { expect, it } from 'vitest';
import { createMemoryBudget } from '../../../src/chain/memory/memoryBudget.ts';
import type { EventBatch } from '../../../src/graphql/subscriptions/payload.ts';
import { createReplayCache } from '../../../src/graphql/subscriptions/replayCache.ts';
import { memoryOfShare } from '../../support/memory.ts';

const told = (height: bigint, over: Partial<EventBatch> = {}): EventBatch => ({
  height,
  payloads: [],
  bytes: 0,
  last: false,
  failed: false,
  ...over,
});

/** Makes what is told, and counts how often. */
function maker(over: Partial<EventBatch> = {}) {
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
  const { get: ask } = createReplayCache(createMemoryBudget());
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
  const { get: ask, size } = createReplayCache(createMemoryBudget());
  const { made, make } = maker({ failed: true });
  const [one, other] = await Promise.all([ask('a', 1n, make(1n)), ask('a', 1n, make(1n))]);
  expect(one).not.toBe(other);
  expect(made).toEqual([1n, 1n]);
  expect(size()).toBe(0);
  const failing = (): Promise<EventBatch> => Promise.reject(new Error('no'));
  const { make: better } = maker();
  const [rejected, fine] = await Promise.allSettled([ask('a', 2n, failing), ask('a', 2n, better(2n))]);
  expect([rejected.status, fine.status]).toEqual(['rejected', 'fulfilled']);
});

it('is bounded by bytes, the oldest going first, and can be cleared', async () => {
  const memory = memoryOfShare('answers', 30_000);
  const { get: ask, size, clear } = createReplayCache(memory);
  for (let height = 1n; height <= 6n; height += 1n) await ask('a', height, maker({ bytes: 3_000 }).make(height));
  const { made, make } = maker();
  await ask('a', 6n, make(6n));
  await ask('a', 1n, make(1n));
  expect(made).toEqual([1n]);
  expect(memory.stats()).toMatchObject([{ share: 'answers', cache: 'events' }]);
  expect(memory.stats()[0]!.bytes).toBeLessThanOrEqual(memory.share('answers'));
  clear();
  expect(size()).toBe(0);
});
