import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createLimits, type Limits } from '../../../src/config/limits/limits.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { createBacklogs } from '../../../src/server/rateLimits/backlogs.ts';
import { converse } from '../../devnet/node/conversation.ts';
import { runsAll, some, takeTurns } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { type Listener, transports } from '../../support/listeners.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { longPoll } from '../attacks/setup.ts';

let chain: TestChain;
let stack: Stack;
const listeners: Listener[] = [];

/** A subscription whose events have 320 kB in few long names. Each alias makes a different topic. */
const eight = Array.from({ length: 8 }, (_, at) => String(at));
const heavy = (alias: string): string =>
  `subscription { ${alias}: newBlock { height hash ${eight.map((at) => `h${at}: header { ...Long }`).join(' ')} } }
  fragment Long on Header { ${eight.map((at) => `${'x'.repeat(5_000)}${at}: height`).join(' ')} }`;

/** Limits of a single subscriber that are never reached. */
const wide = { 'subscription.events': 10_000, 'subscription.bytes': 1_000_000_000 };
const max = 4_000_000;

beforeEach(async () => {
  chain = await startChain({ bare: true });
});

afterEach(async () => {
  for (const listener of listeners.splice(0)) listener.drop();
  await stack.close();
  await chain.devnet.close();
  expect(stack.masked).toEqual([]);
});

async function start(limits: Partial<Limits>): Promise<void> {
  stack = await startStack([chain.node.url], {
    server: { limits: { ...wide, ...limits }, admin: { host: '127.0.0.1', port: 0 } },
  });
  await stack.client.head.ready();
}

async function commit(): Promise<void> {
  await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 20_000 });
}

const members = (count: number): Promise<void> =>
  expect.poll(() => stack.server.subscriptions().subscribers, longPoll).toBe(count);

describe.each(Object.entries(transports))('over %s', (_, over) => {
  const turn = takeTurns(Object.values(transports), over);

  it.runIf(turn()).each(some(['subscriptions.bytes', 'subscriptions.processBytes'] as const, 2))(
    '%s: the slowest of many unread streams is ended with the height to resume after; the streams that are read miss nothing',
    async (limit) => {
      await start({ [limit]: max });
      const reading = await over(stack.server.url, heavy('reads'));
      const unread = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((alias) => over(stack.server.url, heavy(alias))));
      listeners.push(reading, ...unread);
      await members(6);
      for (const listener of unread) listener.pause();
      let blocks = 0;
      let most = 0;
      while (stack.server.subscriptions().subscribers === 6) {
        if (++blocks > 100) throw new Error('nothing ended them');
        await commit();
        await reading.count(blocks);
        most = Math.max(most, stack.server.subscriptions().queued.bytes);
      }
      expect(most).toBeLessThanOrEqual(max);
      expect(stack.server.subscriptions().tooSlow).toBeGreaterThan(0);
      for (const listener of unread) listener.resume();
      const slow = await Promise.race(unread.map((listener) => listener.ended.then((ending) => ({ listener, ending }))));
      const last = slow.listener.answers.at(-1)!.extensions!.height;
      expect(slow.ending).toMatchObject({ errors: [{ extensions: { code: 'SLOW_CONSUMER', lastHeight: last, after: last } }] });
      expect(reading.answers).toHaveLength(blocks);
    },
  );

  it.runIf(turn())('an event that is queued for many streams of a caller counts once', async () => {
    await start({ 'subscriptions.bytes': max });
    const [reading, ...unread] = await Promise.all(Array.from({ length: 12 }, () => over(stack.server.url, heavy('a'))));
    listeners.push(reading!, ...unread);
    await members(12);
    for (const listener of unread) listener.pause();
    // The streams queue twice the limit together, but less than half of it in distinct events.
    for (let blocks = 1; stack.server.subscriptions().queued.bytes < 2 * max; blocks += 1) {
      if (blocks > 100) throw new Error('nothing waits');
      await commit();
      await reading!.count(blocks);
    }
    expect(stack.server.subscriptions()).toMatchObject({ subscribers: 12, tooSlow: 0 });
  });
});

it.runIf(runsAll)(
  'a socket of the node RPC that does not read gets an error and is closed, before other sockets of its caller',
  async () => {
    await start({ 'subscriptions.bytes': 1_000_000 });
    const [sender, recipient] = [chain.accounts[0]!, chain.accounts[1]!];
    const amount = [{ denom: 'nhash', amount: '1' }];
    const transfer = any(MsgSendSchema, { fromAddress: sender.address, toAddress: recipient.address, amount });
    const fee = { amount: [{ denom: 'nhash', amount: 100_000_000_000n }], gas: 50_000_000n };
    const [slow, quick] = [await converse(`${stack.server.url}/comet`), await converse(`${stack.server.url}/comet`)];
    for (const conversation of [slow, quick]) {
      for (const kind of ['NewBlock', 'NewBlockHeader'])
        conversation.send({ id: kind, method: 'subscribe', params: { query: `tm.event='${kind}'` } });
      await conversation.received(2);
    }
    slow.socket.pause();
    for (let blocks = 1; stack.server.nodeEvents().subscribers === 4; blocks += 1) {
      if (blocks > 100) throw new Error('nothing ended it');
      // The event of such a block has 285 kB, so few blocks fill what the operating system buffers.
      const transfers = Array.from({ length: 200 }, () => transfer);
      await stack.client.broadcaster.sync(chain.sign(sender, transfers, { fee }));
      await commit();
      await quick.received(2 + 2 * blocks);
    }
    slow.socket.resume();
    const last = await slow.next(({ error }) => error !== undefined);
    expect(last.error).toMatchObject({ data: 'subscription was canceled (reason: slow client)' });
    expect(await slow.closed).toBe(1008);
    expect(quick.socket.readyState).toBe(WebSocket.OPEN);
    quick.socket.terminate();
  },
);

it('a socket whose client does not read its results is closed', async () => {
  await start({ 'subscriptions.bytes': max });
  const socket = new WebSocket(`${stack.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await new Promise((resolve) => socket.once('message', resolve));
  socket.pause();
  const query = heavy('a').replace('subscription', 'query').replace('newBlock', 'head');
  for (let id = 0; id < 49; id += 1) socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload: { query } }));
  // 16 MB of results. The operating system buffers a part of them.
  const metrics = async (): Promise<string> => (await fetch(`${stack.server.adminUrl}/metrics`)).text();
  await expect.poll(metrics, longPoll).toMatch(/^stele_websockets 0$/m);
  socket.resume();
  expect(await closed).toBe(1006);
});

it('the caller with the most bytes is cut, and only its own streams end', () => {
  const create = createBacklogs(createLimits({ 'subscriptions.bytes': 100, 'subscriptions.processBytes': 150 }));
  const [first, second] = [create(), create()];
  const ended: string[] = [];
  const place = (backlog: typeof first, name: string) => {
    const items: [object, number][] = [];
    const own = backlog.open({
      shed() {
        ended.push(name);
        for (const [item, bytes] of items.splice(0)) own.unqueue(item, bytes);
      },
      destroy: () => ended.push(`${name} destroyed`),
    });
    return {
      ...own,
      drop() {
        for (const [item, bytes] of items.splice(0)) own.unqueue(item, bytes);
      },
      queue(item: object, bytes: number) {
        items.push([item, bytes]);
        own.queue(item, bytes);
      },
    };
  };
  const [a, b, c] = [place(first, 'a'), place(first, 'b'), place(second, 'c')];
  const shared = {};
  a.queue(shared, 60);
  b.queue(shared, 60);
  b.queue({}, 30);
  expect(ended).toEqual([]);
  c.queue({}, 70);
  // 160 in total: the first caller has 90, and `b` the largest queue. `a` still holds the shared item.
  expect(ended).toEqual(['b']);
  a.queue({}, 50);
  expect(ended).toEqual(['b', 'a']);
  // The first caller has nothing queued: the bytes in a socket are released with its connection.
  const release = b.send({}, 90);
  expect(ended).toEqual(['b', 'a', 'b destroyed']);
  release();
  // A single event is within the limit of its caller, whatever its size.
  c.drop();
  a.queue({}, 1_000);
  expect(ended).toHaveLength(3);
});
