import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDevnet, type Devnet } from '../../../packages/devnet/src/devnet.ts';
import type { DevnetNode } from '../../../packages/devnet/src/node/node.ts';
import { type Client, createClient } from '../../../src/chain/client.ts';
import { parseEventQuery } from '../../../src/chain/events/eventQuery.ts';
import { http } from '../../../src/chain/transports/http.ts';
import { createLimits } from '../../../src/config/limits/limits.ts';
import { createRates } from '../../../src/server/rateLimits/rates.ts';
import { createNodeEvents, type NodeEvents } from '../../../src/surfaces/nodeRpc/nodeEvents.ts';
import { createTinyApplication, tinyTx } from '../../devnet/node/tinyApplication.ts';

let devnet: Devnet;
let node: DevnetNode;
let client: Client;
let events: NodeEvents;
let sequence: number;
const reported: unknown[] = [];
const caller = createRates(createLimits()).of('a');

beforeEach(async () => {
  devnet = await createDevnet({ application: createTinyApplication(), blockTime: 'manual' });
  node = devnet.nodes[0]!;
  client = createClient({ transport: http(node.url) });
  reported.length = 0;
  events = createNodeEvents(client, (error) => reported.push(error));
  sequence = 0;
  await devnet.commit();
  await client.head.ready();
  await expect.poll(() => client.head.stats().isSubscribed).toBe(true);
});

afterEach(async () => {
  events.close();
  expect(reported).toEqual([]);
  await client.close();
  await devnet.close();
});

interface Received {
  readonly seen: string[];
  readonly cancelled: string[];
  stop(): void;
}

/** A subscriber that records the kind of each event, and its height if it has one. */
function listen(query: string): Received {
  const seen: string[] = [];
  const cancelled: string[] = [];
  const stop = events.subscribe(parseEventQuery(query), {
    caller,
    event(event) {
      const height = /"height":"(\d+)"/.exec(String(event.json()))?.[1];
      seen.push(`${event.kind} ${height}`);
    },
    cancel: (reason) => cancelled.push(reason),
  });
  return { seen, cancelled, stop };
}

const submit = (account: string): Promise<unknown> =>
  client.call('broadcast_tx_sync', { tx: Buffer.from(tinyTx(account, sequence++)).toString('base64') });

describe('events of the block log', () => {
  it("reach each subscriber whose query they match, in a node's order, from the head on", async () => {
    const all = listen("tm.event='NewBlock'");
    const header = listen("tm.event='NewBlockHeader'");
    const txs = listen("tm.event='Tx'");
    const both = listen('tx.height > 0');
    const every = listen('tm.event EXISTS');
    const never = listen("tm.event='Tx' AND tm.event='NewBlock'");
    await expect.poll(() => client.live.stats().running).toBe(11);
    await expect.poll(() => node.counters.byMethod.subscribe).toBe(12);
    await submit('carl');
    const height = await devnet.commit();
    await expect.poll(() => every.seen).toContain(`Tx ${height}`);
    expect(all.seen).toEqual([`NewBlock ${height}`]);
    expect(header.seen).toEqual([`NewBlockHeader ${height}`]);
    expect(txs.seen).toEqual([`Tx ${height}`]);
    expect(both.seen).toEqual([`Tx ${height}`]);
    expect(never.seen).toEqual([]);
    const ofBlock = every.seen.filter((name) => /^(NewBlock|Tx)/.test(name));
    expect(ofBlock).toEqual(['NewBlock', 'NewBlockHeader', 'NewBlockEvents', 'Tx'].map((kind) => `${kind} ${height}`));
    await expect.poll(() => every.seen.filter((name) => name.startsWith('Vote'))).toHaveLength(2);
    for (const { stop } of [all, header, txs, both, every, never]) stop();
    expect(events.stats()).toMatchObject({ subscribers: 0, queries: 0 });
    expect(client.live.stats().running).toBe(0);
    expect(client.blocks.stats().readers).toBe(0);
  });

  it('are evaluated once for equal queries', async () => {
    const texts = ["tm.event='NewBlock'", "tm.event = 'NewBlock'", "tm.event='Tx'"];
    const listeners = Array.from({ length: 300 }, (_, index) => listen(texts[index % 3]!));
    expect(events.stats()).toEqual({ subscribers: 300, queries: 2, evaluations: 0, tooSlow: 0 });
    for (let blocks = 0; blocks < 3; blocks += 1) await devnet.commit();
    await expect.poll(() => listeners[0]!.seen.length).toBe(3);
    expect(listeners.filter(({ seen }) => seen.length === 3)).toHaveLength(200);
    // No block contains a transaction, so that query is not evaluated.
    expect(events.stats().evaluations).toBe(3);
    expect(node.counters.byMethod.subscribe).toBe(1);
    expect(client.blocks.stats().readers).toBe(1);
  });

  it('are encoded once for all subscribers', async () => {
    const received: Buffer[] = [];
    const keep = (query: string): (() => void) =>
      events.subscribe(parseEventQuery(query), {
        caller,
        event: (event) => void received.push(event.json()),
        cancel: () => undefined,
      });
    keep("tm.event='NewBlock'");
    keep("tm.event CONTAINS 'NewBlock' AND tm.event='NewBlock'");
    await devnet.commit();
    await expect.poll(() => received.length).toBe(2);
    expect(received[0]).toBe(received[1]);
  });

  it('miss and repeat no block while the node disconnects repeatedly', async () => {
    const { seen } = listen("tm.event='NewBlockHeader'");
    const start = devnet.height;
    for (let round = 0; round < 5; round += 1) {
      await devnet.commit();
      await node.stop();
      for (let blocks = 0; blocks < 3; blocks += 1) await devnet.commit();
      await node.start();
    }
    await expect.poll(() => seen.length).toBe(20);
    expect(client.blocks.stats().filled).toBeGreaterThan(0);
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => `NewBlockHeader ${start + 1n + BigInt(index)}`));
  });

  it('begin above the head for a subscriber that arrives while older blocks are read', async () => {
    const early = listen("tm.event='NewBlockHeader'");
    const first = devnet.height + 1n;
    await node.stop();
    for (let blocks = 0; blocks < 3; blocks += 1) await devnet.commit();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    node.onCall = ({ method }) => (method.startsWith('block') ? held : undefined);
    await node.start();
    await client.head.waitFor(first + 2n, { milliseconds: 30_000 });
    const late = listen("tm.event='NewBlockHeader'");
    expect(early.seen).toEqual([]);
    release();
    await expect.poll(() => client.head.stats().isSubscribed).toBe(true);
    await devnet.commit();
    await expect.poll(() => late.seen).toEqual([`NewBlockHeader ${first + 3n}`]);
    expect(early.seen).toEqual([0n, 1n, 2n, 3n].map((index) => `NewBlockHeader ${first + index}`));
  });

  it('are cancelled if a block is missing, and continue for a new subscription', async () => {
    const gap = listen("tm.event='NewBlockHeader'");
    await node.stop();
    for (let blocks = 0; blocks < 5; blocks += 1) await devnet.commit();
    node.prune(devnet.height, { blocks: true });
    await node.start();
    await expect.poll(() => gap.cancelled.length).toBe(1);
    expect(gap.cancelled[0]).toMatch(/^Block \d+ is pruned/);
    expect(gap.seen).toEqual([]);
    const again = listen("tm.event='NewBlockHeader'");
    const height = await devnet.commit();
    await expect.poll(() => again.seen).toEqual([`NewBlockHeader ${height}`]);
    gap.stop();
    expect(events.stats()).toMatchObject({ subscribers: 1, queries: 1 });
  });
});
