import { expect, it } from 'vitest';
import { createMemoryBudget } from '../../../src/chain/memory/memoryBudget.ts';
import type { EventBatch } from '../../../src/graphql/subscriptions/payload.ts';
import { createReplayCache } from '../../../src/graphql/subscriptions/replayCache.ts';
import { memoryOfShare } from '../../support/memory.ts';

const batch = (height: bigint, over: Partial<EventBatch> = {}): EventBatch => ({
  height,
  payloads: [],
  bytes: 0,
  last: false,
  failed: false,
  ...over,
});

/** Creates event batches, and records for which heights. */
function createExecution(over: Partial<EventBatch> = {}) {
  const executed: bigint[] = [];
  return {
    executed,
    execute: (height: bigint) => async () => {
      executed.push(height);
      return batch(height, over);
    },
  };
}

it('executes each height of a subscription once, also for concurrent requests', async () => {
  const { get } = createReplayCache(createMemoryBudget());
  const { executed, execute } = createExecution();
  const all = await Promise.all([
    get('a', 1n, execute(1n)),
    get('a', 1n, execute(1n)),
    get('b', 1n, execute(1n)),
    get('a', 2n, execute(2n)),
  ]);
  expect(all[0]).toBe(all[1]);
  expect(await get('a', 1n, execute(1n))).toBe(all[0]);
  expect(executed).toEqual([1n, 1n, 2n]);
});

it('does not cache failures, and does not share a failure between concurrent requests', async () => {
  const { get, size } = createReplayCache(createMemoryBudget());
  const { executed, execute } = createExecution({ failed: true });
  const [one, other] = await Promise.all([get('a', 1n, execute(1n)), get('a', 1n, execute(1n))]);
  expect(one).not.toBe(other);
  expect(executed).toEqual([1n, 1n]);
  expect(size()).toBe(0);
  const failing = (): Promise<EventBatch> => Promise.reject(new Error('no'));
  const { execute: succeeding } = createExecution();
  const [rejected, fine] = await Promise.allSettled([get('a', 2n, failing), get('a', 2n, succeeding(2n))]);
  expect([rejected.status, fine.status]).toEqual(['rejected', 'fulfilled']);
});

it('evicts the oldest batches to stay within its memory limit, and can be cleared', async () => {
  const memory = memoryOfShare('answers', 30_000);
  const { get, size, clear } = createReplayCache(memory);
  for (let height = 1n; height <= 6n; height += 1n) await get('a', height, createExecution({ bytes: 3_000 }).execute(height));
  const { executed, execute } = createExecution();
  await get('a', 6n, execute(6n));
  await get('a', 1n, execute(1n));
  expect(executed).toEqual([1n]);
  expect(memory.stats()).toMatchObject([{ share: 'answers', cache: 'events' }]);
  expect(memory.stats()[0]!.bytes).toBeLessThanOrEqual(memory.share('answers'));
  clear();
  expect(size()).toBe(0);
});
