import { expect, it } from 'vitest';
import { createMemoryBudget } from '../../../src/chain/memory/memoryBudget.ts';
import { createPayload, createReplayCache, type EventBatch, type Payload } from '../../../src/graphql/subscriptions/payload.ts';
import { runsAll } from '../../support/atRandom.ts';
import { memoryOfShare, usedMemory } from '../../support/memory.ts';

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

it.runIf(runsAll)(
  'estimates the memory of payloads as JSON and as server-sent events, also while other small buffers are created',
  async () => {
    const memory = memoryOfShare('answers', 100_000_000);
    const { get } = createReplayCache(memory);
    const payloads: Payload[] = [];
    const before = await usedMemory();
    for (let height = 1n; height <= 5_000n; height += 1n) {
      const payload = createPayload(Buffer.from(`{"data":{"newBlock":{"height":"${height}","hash":"${'0'.repeat(64)}"}}}`));
      // Small buffers are slices of a pool. One slice keeps 8 kB of it in memory.
      Buffer.from('x'.repeat(2_000));
      await get('subscription', height, async () => batch(height, { payloads: [payload], bytes: payload.json.length }));
      payloads.push(payload);
    }
    const estimated = memory.stats()[0]!.bytes;
    const asJson = (await usedMemory()) - before;
    expect(estimated / asJson).toBeGreaterThan(0.9);
    expect(estimated / asJson).toBeLessThan(3);
    for (const payload of payloads) {
      expect(payload.sse.toString()).toContain('newBlock');
      Buffer.from('x'.repeat(2_000));
    }
    const asBoth = (await usedMemory()) - before;
    // Used after the measurement, so that they are not collected before it.
    expect([memory.stats()[0]?.bytes, payloads.length]).toEqual([estimated, 5_000]);
    expect(asBoth).toBeGreaterThan(asJson);
    expect(estimated / asBoth).toBeGreaterThan(0.9);
  },
);
