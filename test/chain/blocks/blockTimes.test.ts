import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChainError } from '../../../src/chain/base/errors.ts';
import { parseTime as timeOf, timeText } from '../../../src/chain/base/time.ts';
import { createBlockTimes } from '../../../src/chain/blocks/blockTimes.ts';
import { type Client, createClient } from '../../../src/chain/client.ts';
import { http } from '../../../src/chain/transports/http.ts';
import type { Transport } from '../../../src/chain/transports/transport.ts';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { runsAll, seed } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';

/**
 * The times of simulated blocks by height, in ms since 2020. Intervals are irregular: stretches of blocks have means from 1 to 60 s, and the
 * chain halts for up to a month.
 */
function simulatedTimes(count: number, random: () => number): Float64Array {
  const times = new Float64Array(count + 1);
  let time = Date.parse('2020-01-01T00:00:00Z');
  let mean = 5_000;
  for (let height = 1; height <= count; height += 1) {
    if (random() < 1e-5) mean = 1_000 * 60 ** random();
    time += 1 + Math.floor(2 * mean * random());
    if (random() < 1e-6) time += Math.floor(random() * 30 * 86_400_000);
    times[height] = time;
  }
  return times;
}

const nanosecondsOf = (milliseconds: number): bigint => BigInt(milliseconds) * 1_000_000n;

/** A node with these blocks, of which it has those from `base` on. Counts rounds: calls that are made before any of them is answered are one. */
function simulatedNode(times: Float64Array, base: number, template: JsonObject) {
  const counts = { rounds: 0, calls: 0, headers: 0 };
  let isOpen = false;
  const metaOf = (height: number): JsonObject => ({
    header: { ...template, height: `${height}`, time: timeText(nanosecondsOf(times[height]!)) },
  });
  function resultOf(method: string, params: JsonObject): JsonObject {
    if (method === 'header') return metaOf(Number(params.height));
    const [low, high] = [Number(params.minHeight), Number(params.maxHeight)];
    const heights = Array.from({ length: high - low + 1 }, (_, index) => high - index);
    counts.headers += heights.length;
    return { last_height: `${times.length - 1}`, block_metas: heights.map(metaOf) };
  }
  const call: Transport['call'] = async (method, params, { decode }) => {
    counts.calls += 1;
    if (!isOpen) counts.rounds += 1;
    isOpen = true;
    await new Promise(setImmediate);
    isOpen = false;
    const height = BigInt(String(params.height ?? params.minHeight));
    if (height < BigInt(base)) {
      throw new ChainError('HEIGHT_PRUNED', 'pruned', { height, earliestHeight: BigInt(base) });
    }
    return decode(resultOf(method, params));
  };
  const height = times.length - 1;
  const newest = {
    ...{ height: BigInt(height), time: timeText(nanosecondsOf(times[height]!)), hash: '', lastHash: '' },
    ...{ chainId: 'simulated', appHash: '', block: undefined },
  };
  const head = { current: () => newest, ready: async () => newest, onRewind: () => () => undefined, generation: () => 0 };
  return { counts, head, transport: { call } };
}

/** The last height whose time is not after `time`, by the times themselves. */
function heightOf(times: Float64Array, time: number): number {
  let [low, high] = [1, times.length];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (times[middle]! <= time) low = middle;
    else high = middle;
  }
  return low;
}

/** Numbers from 0 to 1 that are the same for every run with a seed (xorshift32). */
function randomNumbers(from: number): () => number {
  let state = from | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

let chain: TestChain;
let client: Client;
let template: JsonObject;

beforeAll(async () => {
  chain = await startChain();
  for (let count = 0; count < 45; count += 1) await chain.devnet.commit();
  client = createClient({ transport: http(chain.node.url) });
  await client.head.ready();
  template = ((await client.call('header', { height: '1' })) as { header: JsonObject }).header;
});
afterAll(async () => {
  await client.close();
  await chain.devnet.close();
});

describe('the block of a time', () => {
  it('is the last one that is not after it, at every time of a chain', async () => {
    const newest = client.head.current()!.height;
    const times: bigint[] = [];
    for (let height = 1n; height <= newest; height += 1n) times.push(timeOf((await client.block(height)).header.time));
    for (const [index, time] of times.entries()) {
      expect(await client.heightAt(time)).toBe(BigInt(index + 1));
      if (index > 0) expect(await client.heightAt(time - 1n)).toBe(BigInt(index));
    }
  });

  it('takes calls once: none for times between blocks whose times are known', async () => {
    const other = createClient({ transport: http(chain.node.url) });
    await other.head.ready();
    const time = timeOf((await client.block(20n)).header.time);
    const asked = (): number => chain.node.counters.log.filter(({ method }) => /^(header|blockchain)$/.test(method)).length;
    const before = asked();
    const all = await Promise.all(Array.from({ length: 10 }, () => other.heightAt(time)));
    expect([new Set(all), asked() - before]).toEqual([new Set([20n]), 4]);
    const charged: number[] = [];
    expect(await other.heightAt(time + 1n, { charge: (calls) => charged.push(calls) })).toBe(20n);
    expect([asked() - before, charged]).toEqual([4, []]);
    await other.close();
  });

  it('after the newest or before the first block is an error with the time of that block', async () => {
    const { height, time } = client.head.current()!;
    await expect(client.heightAt(timeOf(time) + 1n)).rejects.toMatchObject({
      code: 'HEIGHT_NOT_YET_AVAILABLE',
      facts: { latestHeight: height, latestTime: timeText(timeOf(time)) },
    });
    expect(await client.heightAt(timeOf(time))).toBe(height);
    const first = timeText(timeOf((await client.block(1n)).header.time));
    await expect(client.heightAt(timeOf(first) - 1n)).rejects.toMatchObject({
      code: 'HEIGHT_PRUNED',
      message: `No node has a block as early as ${timeText(timeOf(first) - 1n)}. The first block is 1, of ${first}.`,
      facts: { earliestHeight: 1n, earliestTime: first },
    });
  });
});

describe('a long chain with irregular intervals', () => {
  // BLOCKS=10000000 TIMES=10000 is the full size.
  const blocks = Number(process.env.BLOCKS ?? 300_000);
  const searches = Number(process.env.TIMES ?? 300);
  const random = randomNumbers(seed);

  it.runIf(runsAll)(
    'needs at most three rounds of calls for a time, cold, and none warm',
    async () => {
      const times = simulatedTimes(blocks, random);
      const [first, last] = [times[1]!, times[blocks]!];
      const most = { rounds: 0, calls: 0, headers: 0 };
      let sum = 0;
      for (let search = 0; search < searches; search += 1) {
        const { counts, head, transport } = simulatedNode(times, 1, template);
        const { heightAt } = createBlockTimes({ head, transport });
        const time = Math.floor(first + random() * (last - first));
        expect(Number(await heightAt(nanosecondsOf(time)))).toBe(heightOf(times, time));
        for (const name of ['rounds', 'calls', 'headers'] as const) most[name] = Math.max(most[name], counts[name]);
        sum += counts.calls;
        const before = counts.calls;
        expect(Number(await heightAt(nanosecondsOf(time)))).toBe(heightOf(times, time));
        expect(counts.calls).toBe(before);
      }
      expect(most.rounds).toBeLessThanOrEqual(3);
      console.log(
        `${blocks} blocks, ${searches} times: at most ${JSON.stringify(most)}, ${(sum / searches).toFixed(0)} calls on average`,
      );
    },
    600_000,
  );

  it('whose nodes have pruned old blocks gives those that they have, and the oldest for others', async () => {
    const times = simulatedTimes(50_000, random);
    const base = 31_234;
    const { head, transport } = simulatedNode(times, base, template);
    const { heightAt } = createBlockTimes({ head, transport });
    for (const height of [base, base + 1, 40_000, 49_999, 50_000])
      expect(Number(await heightAt(nanosecondsOf(times[height]!)))).toBe(height);
    await expect(heightAt(nanosecondsOf(times[base]!) - 1n)).rejects.toMatchObject({
      code: 'HEIGHT_PRUNED',
      facts: { earliestHeight: BigInt(base), earliestTime: timeText(nanosecondsOf(times[base]!)) },
    });
  });

  it('of a node whose times do not ascend is refused, and searched again later', async () => {
    const times = simulatedTimes(5_000, random);
    const right = times[2_500]!;
    const { head, transport } = simulatedNode(times, 1, template);
    const { heightAt } = createBlockTimes({ head, transport });
    times[2_500] = times[4_000]!;
    await expect(heightAt(nanosecondsOf(times[2_600]!))).rejects.toMatchObject({ code: 'NODE_INVALID_RESPONSE' });
    times[2_500] = right;
    expect(await heightAt(nanosecondsOf(times[2_600]!))).toBe(2_600n);
  });

  it('is not searched for a caller who has left', async () => {
    const { counts, head, transport } = simulatedNode(simulatedTimes(1_000, random), 1, template);
    const { heightAt } = createBlockTimes({ head, transport });
    const leaving = new AbortController();
    leaving.abort(new Error('left'));
    await expect(heightAt(timeOf('2020-01-01T00:10:00Z'), { signal: leaving.signal })).rejects.toThrow('left');
    expect(counts.calls).toBe(0);
  });
});
