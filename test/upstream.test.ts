import { afterEach, describe, expect, it } from 'vitest';
import type { FallbackTransport } from '../src/chain/transports/fallback.ts';
import { createLimits, type Limits } from '../src/config/limits/limits.ts';
import { createUpstream } from '../src/start/starting.ts';
import { startChain, type TestChain } from './support/chain.ts';

const running: (() => Promise<void>)[] = [];

/** Timeout of polls, in ms: more than any machine needs. */
const longPoll = { timeout: 30_000 };

afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

async function start(nodes: number): Promise<TestChain> {
  const chain = await startChain({ bare: true, nodes });
  running.push(() => chain.devnet.close());
  return chain;
}

/** Creates the transport to the nodes of a chain, and waits until each has returned its status. */
async function over({ devnet }: TestChain, limits: Partial<Limits> = {}): Promise<FallbackTransport> {
  const upstream = createUpstream({ nodes: devnet.nodes.map(({ url }) => url), limits: createLimits(limits) });
  running.push(() => upstream.close());
  await expect.poll(() => upstream.nodes().every(({ latency }) => latency !== undefined), longPoll).toBe(true);
  return upstream;
}

const health = (upstream: FallbackTransport): readonly string[] => upstream.nodes().map((node) => node.health);

const asIs = (json: unknown): unknown => json;

/** Returns the outcome of a read: `answered`, or its error code. */
function read(upstream: FallbackTransport, signal?: AbortSignal): Promise<string> {
  return upstream.call('abci_info', {}, { decode: asIs, signal }).then(
    () => 'answered',
    (error: { code?: string }) => error.code ?? String(error),
  );
}

describe('the health of nodes', () => {
  it.each<[name: string, blocks: number, elapse: number, limits: Partial<Limits>, expected: string]>([
    ['two blocks', 2, 1_000, {}, 'HEALTHY'],
    ['two blocks of one', 2, 1_000, { 'upstream.lagBlocks': 1 }, 'LAGGING'],
    ['four blocks', 4, 1_000, {}, 'LAGGING'],
    ['four blocks of nine', 4, 1_000, { 'upstream.lagBlocks': 9 }, 'HEALTHY'],
    ['four blocks, where more than two is down', 4, 1_000, { 'upstream.downBlocks': 2 }, 'DOWN'],
    ['twenty seconds', 2, 10_000, {}, 'LAGGING'],
    ['twenty seconds of a minute', 2, 10_000, { 'upstream.lagTime': 60_000 }, 'HEALTHY'],
  ])('a node is behind by %s', async (_, blocks, elapse, limits, expected) => {
    const chain = await start(2);
    chain.node.freeze();
    for (let left = blocks; left > 0; left -= 1) await chain.devnet.commit({ elapse });
    const upstream = await over(chain, limits);
    await expect.poll(() => health(upstream), longPoll).toEqual([expected, 'HEALTHY']);
  });

  it.each([
    [{}, 5],
    [{ 'upstream.failures': 2 }, 2],
  ])('with %o a node is ejected after %i consecutive failures', async (limits, failures) => {
    const chain = await start(2);
    const upstream = await over(chain, limits);
    chain.node.faults.answer = 'garbage';
    for (let count = 1; count <= failures; count += 1) {
      expect(health(upstream)[0]).toBe('HEALTHY');
      expect(await read(upstream)).toBe('answered');
    }
    expect(health(upstream)).toEqual(['EJECTED', 'HEALTHY']);
  });
});

describe('retries of a read', () => {
  const asked = ({ devnet }: TestChain): number[] => devnet.nodes.map(({ counters }) => counters.byMethod.abci_info ?? 0);

  it.each<[limits: Partial<Limits>, outcome: string, calls: number[]]>([
    [{}, 'NODE_INVALID_RESPONSE', [1, 1, 1, 0]],
    [{ 'upstream.retries': 1 }, 'NODE_INVALID_RESPONSE', [1, 1, 0, 0]],
    [{ 'upstream.retries': 0 }, 'NODE_INVALID_RESPONSE', [1, 0, 0, 0]],
    [{ 'upstream.retries': 3 }, 'answered', [1, 1, 1, 1]],
  ])('on other nodes with %o', async (limits, outcome, calls) => {
    const chain = await start(4);
    const upstream = await over(chain, limits);
    for (const node of chain.devnet.nodes.slice(0, 3)) node.faults.answer = 'garbage';
    expect(await read(upstream)).toBe(outcome);
    expect(asked(chain)).toEqual(calls);
  });

  it.each<[limits: Partial<Limits>, calls: number]>([
    [{}, 3],
    [{ 'upstream.retryBudget': 0 }, 1],
  ])('on a failed node with %o', async (limits, calls) => {
    const chain = await start(1);
    const upstream = await over(chain, limits);
    chain.node.faults.answer = 'reset';
    expect(await read(upstream)).toBe('NODE_UNREACHABLE');
    expect(asked(chain)).toEqual([calls]);
  });

  it('on a failed node within the retry budget: ten, and one for every ten calls', async () => {
    const chain = await start(1);
    const upstream = await over(chain);
    chain.node.faults.answer = 'reset';
    for (let count = 0; count < 20; count += 1) await read(upstream);
    // 20 first attempts, a budget of 10, and 1 or 2 that the attempts add.
    const [calls] = asked(chain);
    expect(calls).toBeGreaterThanOrEqual(30);
    expect(calls).toBeLessThanOrEqual(32);
  });

  it('after a wait that grows with its limit', async () => {
    const chain = await start(1);
    const upstream = await over(chain, { 'upstream.retryWait': 2 ** 30 });
    chain.node.faults.answer = 'reset';
    const leaving = new AbortController();
    const outcome = read(upstream, leaving.signal);
    await expect.poll(() => upstream.nodes()[0]!.consecutiveFailures, longPoll).toBe(1);
    leaving.abort({ code: 'LEFT' });
    expect(await outcome).toBe('LEFT');
    expect(asked(chain)).toEqual([1]);
  });
});

describe('the limits of a call to a node', () => {
  const status = (upstream: FallbackTransport): Promise<unknown> =>
    upstream.call('status', {}, { decode: asIs }).catch((error: unknown) => error);

  it('upstream.attempt: its time', async () => {
    const chain = await start(1);
    const upstream = await over(chain, { 'upstream.attempt': 200 });
    chain.node.faults.answer = 'never';
    expect(await status(upstream)).toMatchObject({
      code: 'NODE_TIMEOUT',
      facts: { milliseconds: expect.toSatisfy((ms: number) => ms <= 200) },
    });
  });

  it('upstream.answer: the size of its response', async () => {
    const chain = await start(1);
    const upstream = await over(chain, { 'upstream.answer': 2_000 });
    chain.node.faults.forge = (_, result) => ({ ...(result as object), padding: 'x'.repeat(3_000) });
    expect(await status(upstream)).toMatchObject({
      code: 'NODE_INVALID_RESPONSE',
      message: "The node's response is larger than 2000 bytes.",
    });
  });

  it('upstream.batch: the number of calls in a batch', async () => {
    const chain = await start(1);
    const upstream = await over(chain, { 'upstream.batch': 2 });
    chain.node.counters.reset();
    await Promise.all([1, 2, 3, 4].map(() => read(upstream)));
    expect([chain.node.counters.batches, chain.node.counters.calls]).toEqual([2, 4]);
  });

  it('upstream.ejection: the time for which a failed node is not used', async () => {
    const chain = await start(2);
    const upstream = await over(chain, { 'upstream.ejection': 60_000, 'upstream.failures': 1 });
    chain.node.faults.answer = 'garbage';
    const before = Date.now();
    await read(upstream);
    const until = upstream.nodes()[0]!.ejectedUntil;
    expect(until).toBeGreaterThan(before + 59_000);
    expect(until).toBeLessThan(Date.now() + 61_000);
  });
});
