import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDevnet, type Devnet } from '../../../packages/devnet/src/devnet.ts';
import { type BlockLog, type BlockLogOptions, createBlockLog } from '../../../src/chain/blocks/blockLog.ts';
import type { CommittedBlock } from '../../../src/chain/blocks/committedBlock.ts';
import { createHead, type Head } from '../../../src/chain/blocks/head.ts';
import { fallback } from '../../../src/chain/transports/fallback.ts';
import { http } from '../../../src/chain/transports/http.ts';
import type { Transport } from '../../../src/chain/transports/transport.ts';
import type { JsonObject, JsonValue } from '../../../src/chain/wire/json.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';

let chain: TestChain;
const closing: { close(): Promise<void> | void }[] = [];

beforeEach(async () => {
  chain = await startChain();
  closing.push(chain.devnet);
});

afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
});

function logOver(
  transport: Transport,
  options: Partial<BlockLogOptions> & { silence?: number } = {},
): { log: BlockLog; head: Head } {
  const head = createHead({
    transport,
    pollInterval: 5,
    backoff: 2,
    longestBackoff: 10,
    ...(options.silence && { silence: options.silence }),
  });
  const log = createBlockLog({ head, transport, backoff: 2, ...options });
  closing.push(transport, head, log);
  return { log, head };
}

/** Commits this many blocks of `devnet`. */
async function grow(devnet: Devnet, blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block++) await devnet.commit();
}

/** The next `count` blocks of a stream. */
async function take(stream: AsyncIterator<CommittedBlock>, count: number): Promise<CommittedBlock[]> {
  const blocks: CommittedBlock[] = [];
  while (blocks.length < count) {
    const { done, value } = await stream.next();
    if (done) throw new Error(`over after ${blocks.length}`);
    blocks.push(value);
  }
  return blocks;
}

const heights = (blocks: readonly CommittedBlock[]): bigint[] => blocks.map(({ header }) => header.height);
const range = (from: bigint, to: bigint): bigint[] =>
  Array.from({ length: Number(to - from) + 1 }, (_, at) => from + BigInt(at));
const subscribed = (): Promise<void> =>
  expect.poll(() => chain.node.counters.byMethod.subscribe, { interval: 1 }).toBeGreaterThan(0);

describe('a stream', () => {
  it('yields older blocks, then new ones from the single upstream subscription', async () => {
    await grow(chain.devnet, 30);
    const { log } = logOver(http(chain.node.url));
    const stream = log.from(0n);
    const past = await take(stream, 31);
    await subscribed();
    chain.node.counters.reset();
    const next = stream.next();
    await chain.devnet.commit();
    const present = await next;
    expect(heights([...past, present.value as CommittedBlock])).toEqual(range(1n, 32n));
    expect(chain.node.counters.calls).toBe(0);
    const again = await take(log.from(0n), 32);
    expect(again).toEqual([...past, present.value]);
    expect(chain.node.counters.calls).toBe(0);
    expect(log.at(32n)).toBe(present.value);
  });

  it('reads ahead at most one wave, and each block once for all readers', async () => {
    await grow(chain.devnet, 60);
    const { log, head } = logOver(http(chain.node.url), { wave: 4 });
    await head.ready();
    const streams = Array.from({ length: 20 }, () => log.from(10n));
    await Promise.all(streams.map((stream) => take(stream, 1)));
    await expect.poll(() => log.at(14n), { interval: 1 }).toBeDefined();
    expect(chain.node.counters.byMethod).toMatchObject({ block: 4, block_results: 4 });
    await Promise.all(streams.map(async (stream) => expect(heights(await take(stream, 20))).toEqual(range(12n, 31n))));
    expect(chain.node.counters.byMethod.block).toBeLessThanOrEqual(24);
  });

  it('reads the next half of a wave before the last one is used up', async () => {
    await grow(chain.devnet, 30);
    const { log, head } = logOver(http(chain.node.url), { wave: 4 });
    await head.ready();
    const stream = log.from(10n);
    await take(stream, 2);
    await expect.poll(() => log.at(14n), { interval: 1 }).toBeDefined();
    expect(chain.node.counters.byMethod).toMatchObject({ block: 4, block_results: 4 });
    await take(stream, 1);
    await expect.poll(() => log.at(16n), { interval: 1 }).toBeDefined();
    expect(chain.node.counters.byMethod).toMatchObject({ block: 6, block_results: 6 });
    const reads = chain.node.counters.log.filter(({ method }) => method === 'block');
    expect(new Set(reads.slice(4).map(({ batch }) => batch)).size).toBe(1);
  });

  it('fills a gap of fifty heights without reading stored blocks again', async () => {
    const { log, head } = logOver(http(chain.node.url));
    const stream = log.from(1n);
    await subscribed();
    await chain.devnet.commit();
    expect(heights(await take(stream, 1))).toEqual([2n]);
    chain.node.faults.silentSockets = true;
    await grow(chain.devnet, 50);
    chain.node.faults.silentSockets = false;
    await chain.devnet.commit();
    expect((await head.waitFor(53n, { milliseconds: 30_000 })).block).toBeDefined();
    expect(heights(await take(stream, 51))).toEqual(range(3n, 53n));
  });

  it('continues through a restart of the node and a halt of the chain', async () => {
    const { log } = logOver(http(chain.node.url));
    const stream = log.from(1n);
    const next = stream.next();
    await subscribed();
    for (let round = 0; round < 3; round++) {
      await chain.node.stop();
      await grow(chain.devnet, 3);
      await chain.node.start();
    }
    const [rest, first] = [await take(stream, 8), (await next).value as CommittedBlock];
    expect(heights([first, ...rest])).toEqual(range(2n, 10n));
    const halted = stream.next();
    await expect.poll(() => chain.node.sockets, { interval: 1 }).toBe(1);
    chain.node.counters.reset();
    chain.node.closeSockets();
    await subscribed();
    await chain.devnet.commit();
    expect((await halted).value.header.height).toBe(11n);
  });

  it('waits for a height above the head', async () => {
    const { log, head } = logOver(http(chain.node.url));
    const next = log.from(3n).next();
    await head.ready();
    await grow(chain.devnet, 4);
    expect((await next).value.header.height).toBe(4n);
  });

  it('ends with HEIGHT_PRUNED if no node has the next block', async () => {
    await grow(chain.devnet, 10);
    chain.node.prune(5n, { blocks: true });
    const { log } = logOver(http(chain.node.url));
    const stream = log.from(2n);
    await expect(stream.next()).rejects.toMatchObject({ code: 'HEIGHT_PRUNED', facts: { height: 3n, earliestHeight: 5n } });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it('ends at once on return, abort and close', async () => {
    const { log, head } = logOver(http(chain.node.url));
    await head.ready();
    const left = log.from(1n);
    const pending = left.next();
    await left.return!();
    expect(await pending).toEqual({ done: true, value: undefined });
    const leaving = new AbortController();
    const aborted = log.from(1n, { signal: leaving.signal }).next();
    leaving.abort(new Error('gone'));
    await expect(aborted).rejects.toThrow('gone');
    await expect(log.from(1n, { signal: leaving.signal }).next()).rejects.toThrow('gone');
    const stays = log.from(1n).next();
    log.close();
    await expect(stays).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
    await expect(log.from(1n).next()).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
  });
});

describe('a node that returns invalid data', () => {
  const nonsense = (call: { method: string }, result: JsonValue): JsonValue =>
    call.method === 'block_results' ? { ...(result as JsonObject), height: '1' } : result;

  it('is skipped in favour of another', async () => {
    const { devnet } = await startChain({ nodes: 2 });
    closing.push(devnet);
    await grow(devnet, 9);
    const [liar, honest] = devnet.nodes;
    liar!.faults.forge = nonsense;
    const { log } = logOver(fallback([http(liar!.url), http(honest!.url)]));
    expect(heights(await take(log.from(1n), 9))).toEqual(range(2n, 10n));
    expect(liar!.counters.byMethod.block_results).toBeGreaterThan(0);
  });

  it('reports its error in the end if it is alone, and works again once it recovers', async () => {
    await grow(chain.devnet, 2);
    const { log } = logOver(http(chain.node.url));
    const stream = log.from(0n);
    expect(heights(await take(stream, 3))).toEqual([1n, 2n, 3n]);
    chain.node.faults.forge = nonsense;
    chain.node.faults.silentSockets = true;
    await grow(chain.devnet, 2);
    chain.node.faults.silentSockets = false;
    await chain.devnet.commit();
    await expect(stream.next()).rejects.toMatchObject({ code: 'NODE_INVALID_RESPONSE' });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    chain.node.heal();
    expect(heights(await take(log.from(3n), 3))).toEqual([4n, 5n, 6n]);
  });
});

describe('nodes that contradict each other', () => {
  /** Makes another chain with the same id. */
  async function fork(blocks: number): Promise<Devnet> {
    const devnet = await createDevnet({ blockTime: 'manual', seed: 'another validator' });
    closing.push(devnet);
    await grow(devnet, blocks);
    return devnet;
  }

  it.runIf(runsAll)('keep a stream on its first chain while a node of that chain is available', async () => {
    const other = await fork(7);
    await other.nodes[0]!.stop();
    const [wrong, right] = [http(other.nodes[0]!.url), http(chain.node.url)];
    const transport = fallback([wrong, right], { probeInterval: 0 });
    const { log, head } = logOver(transport);
    await grow(chain.devnet, 3);
    const stream = log.from(0n);
    const before = await take(stream, 4);
    await expect.poll(() => chain.node.sockets, { interval: 1 }).toBe(1);
    chain.node.faults.silentSockets = true;
    await other.nodes[0]!.start();
    await expect.poll(() => transport.nodes()[0]!.health, { interval: 5 }).not.toBe('DOWN');
    await grow(chain.devnet, 15);
    chain.node.faults.silentSockets = false;
    await chain.devnet.commit();
    await head.waitFor(20n, { milliseconds: 30_000 });
    other.nodes[0]!.counters.reset();
    const blocks = [...before, ...(await take(stream, 16))];
    // A node that contradicts the accepted chain is called to check whether it still does, but never for a block.
    expect(other.nodes[0]!.counters.byMethod.block_results).toBeUndefined();
    for (const { header, blockId } of blocks) {
      const params = { height: header.height.toString() };
      const own = await right.call('block', params, { decode: (json) => json });
      expect(own).toMatchObject({ block_id: { hash: blockId.hash } });
      expect(log.at(header.height)?.blockId.hash ?? blockId.hash).toBe(blockId.hash);
    }
  });

  it.runIf(runsAll)(
    'keep the blocks that one node reported alone when a node of another chain with a lower height starts',
    async () => {
      const other = await fork(7);
      const [stranger] = other.nodes;
      await stranger!.stop();
      await grow(chain.devnet, 19);
      const transport = fallback([http(stranger!.url), http(chain.node.url)], { probeInterval: 0 });
      const { log, head } = logOver(transport);
      const stream = log.from(0n);
      await take(stream, 20);
      await stranger!.start();
      stranger!.counters.reset();
      await expect.poll(() => stranger!.counters.byMethod.status ?? 0, { interval: 1 }).toBeGreaterThan(3);
      expect(head.current()?.height).toBe(20n);
      await chain.devnet.commit();
      expect(heights(await take(stream, 1))).toEqual([21n]);
    },
  );

  it.runIf(runsAll)('are never mixed: the stream waits for the node of its chain', async () => {
    const other = await fork(6);
    const transport = fallback([http(chain.node.url), http(other.nodes[0]!.url)], { probeInterval: 0 });
    const { log } = logOver(transport);
    await grow(chain.devnet, 3);
    const stream = log.from(0n);
    const blocks = await take(stream, 4);
    chain.node.closeSockets();
    await chain.node.stop();
    const next = stream.next();
    await expect.poll(() => transport.nodes()[0]!.health, { interval: 5 }).toMatch(/DOWN|EJECTED/);
    other.nodes[0]!.counters.reset();
    await grow(other, 6);
    await expect.poll(() => other.nodes[0]!.counters.byMethod.status ?? 0).toBeGreaterThan(2);
    await chain.node.start();
    await grow(chain.devnet, 6);
    const fifth = await next;
    blocks.push(fifth.value!, ...(await take(stream, 5)));
    expect(heights(blocks)).toEqual(range(1n, 10n));
    for (const [index, { header }] of blocks.entries()) {
      if (index > 0) expect(header.lastBlockId.hash).toBe(blocks[index - 1]!.blockId.hash);
    }
  });
});
