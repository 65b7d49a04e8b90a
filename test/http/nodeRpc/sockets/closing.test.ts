import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDevnet, type Devnet } from '../../../../packages/devnet/src/devnet.ts';
import type { DevnetNode } from '../../../../packages/devnet/src/node/node.ts';
import { type Conversation, converse, type Message } from '../../../devnet/node/conversation.ts';
import { createTinyApplication, tinyTx } from '../../../devnet/node/tinyApplication.ts';
import { readRecording } from '../../../recordings/recordings.ts';
import { runsAll } from '../../../support/atRandom.ts';
import { type Stack, startStack } from '../../../support/stack.ts';

let devnet: Devnet;
let node: DevnetNode;
let stack: Stack;

beforeEach(async () => {
  devnet = await createDevnet({ application: createTinyApplication(), blockTime: 'manual' });
  node = devnet.nodes[0]!;
  await devnet.commit();
  stack = await startStack([node.url]);
  await stack.client.head.ready();
  await expect.poll(() => stack.client.head.stats().isSubscribed).toBe(true);
});

afterEach(async () => {
  expect(stack.masked).toEqual([]);
  await stack.close();
  await devnet.close();
});

const talk = (base: string): Promise<Conversation> => converse(`${stack.server.url}${base}`);
const idOf = (frame: string): unknown => (JSON.parse(frame) as Message).id;
const newBlock = { method: 'subscribe', params: { query: "tm.event='NewBlock'" } };

/** Holds the node's responses to `method` until the returned function is called. */
function hold(method: string): () => void {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  node.onCall = (call) => (call.method === method ? held : undefined);
  return release;
}

describe('calls of one socket', () => {
  it('are executed in order, and events do not wait for them', async () => {
    const conversation = await talk('/comet');
    conversation.send({ id: 1, ...newBlock });
    await conversation.received(1);
    const release = hold('net_info');
    for (const [index, method] of ['net_info', 'health', 'nothing', 'unsubscribe_all'].entries())
      conversation.send({ id: 2 + index, method, params: {} });
    await expect.poll(() => node.counters.byMethod.net_info).toBe(1);
    await devnet.commit();
    await devnet.commit();
    expect((await conversation.received(3)).map(idOf)).toEqual([1, 1, 1]);
    release();
    expect((await conversation.received(7)).map(idOf)).toEqual([1, 1, 1, 2, 3, 4, 5]);
    // Ended subscriptions get no more events.
    await devnet.commit();
    await stack.client.head.waitFor(devnet.height, { milliseconds: 30_000 });
    conversation.send({ id: 'end', method: 'health', params: {} });
    expect((await conversation.received(8)).map(idOf).at(-1)).toBe('end');
  });

  it('end with the socket: their reads are aborted', async () => {
    const narrow = await startStack([node.url], { server: { limits: { 'rate.concurrent': 1 } } });
    const release = hold('net_info');
    const conversation = await converse(narrow.server.url);
    for (let id = 0; id < 40; id += 1) conversation.send({ id, method: 'net_info', params: {} });
    await expect.poll(() => node.counters.byMethod.net_info).toBe(1);
    const other = await converse(narrow.server.url);
    const asked = async (): Promise<string> => {
      other.send({ id: 1, method: 'health', params: {} });
      return (await other.received(other.frames.length + 1)).at(-1)!;
    };
    expect(await asked()).toContain('rate.concurrent');
    conversation.socket.close();
    await conversation.closed;
    await expect.poll(asked, { interval: 100 }).toBe('{"jsonrpc":"2.0","id":1,"result":{},"error":""}');
    expect(node.counters.byMethod.net_info).toBe(1);
    release();
    other.socket.close();
    await narrow.close();
  });

  it.runIf(runsAll)('the socket stops reading while too many wait, and none is lost', async () => {
    const narrow = await startStack([node.url], { server: { limits: { 'rpc.message': 1_000_000, 'socket.ping': 100 } } });
    const release = hold('net_info');
    const conversation = await converse(narrow.server.url);
    const ids = Array.from({ length: 30 }, (_, id) => id);
    for (const id of ids) {
      const [method, padding] = id === 0 ? ['net_info', ''] : ['health', 'x'.repeat(900_000)];
      conversation.send({ id, method, params: {}, padding });
    }
    await expect.poll(() => node.counters.byMethod.net_info).toBe(1);
    // For many pings, nothing is read from the client, because reading is paused.
    let pings = 0;
    conversation.socket.on('ping', () => (pings += 1));
    await expect.poll(() => pings).toBeGreaterThan(3);
    expect(conversation.socket.bufferedAmount).toBeGreaterThan(0);
    release();
    expect((await conversation.received(30)).map(idOf)).toEqual(ids);
    conversation.socket.close();
    await narrow.close();
  });
});

describe('responses', () => {
  it.runIf(runsAll)(
    'that the client does not read delay the next calls: none is lost, and none is executed early',
    async () => {
      for (const account of ['carl', 'dora']) {
        const tx = Buffer.from(tinyTx(account, 0, 'x'.repeat(400_000))).toString('base64');
        await stack.client.call('broadcast_tx_sync', { tx });
      }
      const conversation = await talk('/comet');
      conversation.socket.pause();
      const ids = Array.from({ length: 30 }, (_, id) => id);
      for (const id of ids) conversation.send({ id, method: 'unconfirmed_txs', params: {} });
      const calls = (): number => node.counters.byMethod.unconfirmed_txs ?? 0;
      // 1 MB each, which fills the buffers of the operating system quickly.
      await expect.poll(calls).toBeGreaterThan(0);
      const other = await talk('/comet');
      for (const id of ids) {
        other.send({ id, method: 'health', params: {} });
        await other.received(id + 1);
      }
      expect(calls()).toBeLessThan(20);
      conversation.socket.resume();
      const frames = await conversation.received(30);
      expect(frames.map(idOf)).toEqual(ids);
      expect(new Set(frames.map((frame) => frame.length)).size).toBeLessThan(3);
      expect(calls()).toBe(30);
      conversation.socket.close();
      other.socket.close();
    },
  );

  it('are counted in the metrics by surface and code', async () => {
    const lines: object[] = [];
    const logged = await startStack([node.url], {
      server: { limits: { 'rate.broadcasts': 1 }, log: { request: (line) => lines.push(line), dropped: () => 0 } },
    });
    const tx = Buffer.from(tinyTx('carl', 0)).toString('base64');
    for (const [base, surface] of [
      ['/comet', 'comet'],
      ['', 'rpc'],
    ] as const) {
      const conversation = await converse(`${logged.server.url}${base}`);
      conversation.send({ id: 1, ...newBlock });
      conversation.send({ id: 2, method: 'secret', params: {} });
      conversation.send({ id: 3, method: 'broadcast_tx_sync', params: { tx } });
      conversation.send({ id: 4, method: 'broadcast_tx_sync', params: { tx } });
      await conversation.received(4);
      const records = lines.splice(0) as { surface: string; operation?: string; code: string }[];
      const [first, ...others] = records.map((line) => [line.surface, line.operation, line.code]);
      expect(first).toEqual([surface, 'subscribe', 'OK']);
      expect(others[0]).toEqual([surface, undefined, 'BAD_USER_INPUT']);
      expect(others.at(-1)).toEqual([surface, 'broadcast_tx_sync', 'RATE_LIMITED']);
      conversation.socket.close();
      await conversation.closed;
    }
    await logged.close();
  });
});

describe('blocks', () => {
  it('T42, T43: no block is missed or repeated while the node drops its sockets and restarts', async () => {
    const conversations = [await talk('/comet'), await talk('')];
    for (const conversation of conversations) {
      conversation.send({ id: 1, ...newBlock });
      await conversation.received(1);
    }
    const first = devnet.height + 1n;
    for (let round = 0; round < 4; round += 1) {
      node.closeSockets();
      for (let blocks = 0; blocks < 3; blocks += 1) await devnet.commit();
      await node.stop();
      for (let blocks = 0; blocks < 3; blocks += 1) await devnet.commit();
      await node.start();
    }
    for (const conversation of conversations) {
      const frames = await conversation.received(1 + 24);
      const heights = frames.slice(1).map((frame) => {
        const { block } = (JSON.parse(frame) as Message).result!.data!.value as { block: { header: { height: string } } };
        return BigInt(block.header.height);
      });
      expect(heights).toEqual(Array.from({ length: 24 }, (_, index) => first + BigInt(index)));
    }
  });

  it('a subscription that cannot continue without a gap is cancelled, and the client can subscribe again', async () => {
    const conversation = await talk('/comet');
    conversation.send({ id: 9, ...newBlock });
    await conversation.received(1);
    await node.stop();
    for (let blocks = 0; blocks < 5; blocks += 1) await devnet.commit();
    node.prune(devnet.height, { blocks: true });
    await node.start();
    const { id, error } = await conversation.next((message) => message.error !== undefined);
    expect([id, error!.code]).toEqual([9, -32000]);
    expect(error!.data).toMatch(
      /^subscription was canceled \(reason: Block \d+ is pruned\. The oldest available block is \d+\.\)$/,
    );
    conversation.send({ id: 10, ...newBlock });
    await conversation.next((message) => message.id === 10);
    await devnet.commit();
    await conversation.next((message) => message.id === 10 && message.result?.query !== undefined);
  });

  it('are sent from the first block on if no node was available at the start', async () => {
    const url = node.url;
    await node.stop();
    const early = await startStack([url]);
    const conversation = await converse(`${early.server.url}/comet`);
    conversation.send({ id: 1, ...newBlock });
    expect(await conversation.received(1)).toEqual(['{"jsonrpc":"2.0","id":1,"result":{}}']);
    await node.start();
    await early.client.head.ready();
    const height = await devnet.commit();
    const { result } = await conversation.next((message) => message.result?.query !== undefined);
    expect(JSON.stringify(result!.data!.value.block)).toContain(`"height":"${height}"`);
    await early.close();
  });
});

describe('shutdown', () => {
  const recorded = readRecording('node-stops').findLast(({ frame }) => frame !== undefined)!.frame!;

  it.each(['/comet', ''])(
    'at %s/websocket: subscriptions are cancelled as by a stopping node, running calls get responses, then 1012',
    async (base) => {
      const conversation = await talk(base);
      conversation.send({ id: 1, ...newBlock });
      await conversation.received(1);
      const release = hold('net_info');
      conversation.send({ id: 2, method: 'net_info', params: {} });
      conversation.send({ id: 3, method: 'health', params: {} });
      await expect.poll(() => node.counters.byMethod.net_info).toBe(1);
      const quiet = await talk(base);
      const drained = stack.server.drain({ delay: 0, limit: 20_000 });
      expect(await quiet.closed).toBe(1012);
      const [, cancelled] = await conversation.received(2);
      const reason = 'subscription was canceled (reason: CometBFT exited)';
      if (base === '') expect(JSON.parse(cancelled!)).toEqual({ jsonrpc: '2.0', id: 1, error: reason });
      else expect(cancelled).toBe(recorded);
      release();
      const frames = await conversation.received(4);
      expect(idOf(frames[2]!)).toBe(2);
      expect((JSON.parse(frames[2]!) as Message).result).toBeDefined();
      expect(frames[3]).toContain('The server is shutting down.');
      expect(await conversation.closed).toBe(1012);
      await drained;
    },
  );

  it('can close every socket immediately', async () => {
    const release = hold('net_info');
    const conversations = [await talk('/comet'), await talk('')];
    for (const conversation of conversations) conversation.send({ id: 2, method: 'net_info', params: {} });
    // Both wait for one response.
    await expect.poll(() => node.counters.byMethod.net_info).toBe(1);
    const closed = Promise.all(conversations.map((conversation) => conversation.closed));
    await stack.server.close();
    expect(await closed).toEqual([1012, 1012]);
    release();
  });
});

describe('upstream cost', () => {
  it.runIf(runsAll)(
    '1,000 clients with mixed queries: one upstream subscription, and one evaluation of each query for each block',
    async () => {
      const queries = [
        "tm.event='NewBlock'",
        "tm.event='NewBlockHeader'",
        "tm.event='Tx'",
        "tm.event='Tx' AND message.module='group'",
        "tm.event='NewBlockEvents'",
      ];
      const sockets = await Promise.all(Array.from({ length: 1_000 }, () => talk('')));
      for (const [index, conversation] of sockets.entries()) {
        conversation.send({ id: 1, method: 'subscribe', params: { query: queries[index % 5] } });
        // The first query, written differently.
        conversation.send({ id: 2, method: 'subscribe', params: { query: "tm.event  =  'NewBlock' AND tm.event EXISTS" } });
      }
      await Promise.all(sockets.map((conversation) => conversation.received(2)));
      expect(stack.server.nodeEvents()).toEqual({ subscribers: 2_000, queries: 6, evaluations: 0, tooSlow: 0 });
      const before = { ...node.counters.byMethod };
      for (let blocks = 1; blocks <= 3; blocks += 1) {
        await devnet.commit();
        await Promise.all(
          sockets.map((conversation, index) => conversation.received(2 + blocks * ([2, 3].includes(index % 5) ? 1 : 2))),
        );
      }
      // No block contains a transaction, so the two queries for transactions are not evaluated.
      expect(stack.server.nodeEvents().evaluations).toBe(3 * 4);
      expect(node.counters.byMethod.subscribe).toBe(1);
      expect(node.sockets).toBe(1);
      const { status: _, ...asked } = node.counters.byMethod;
      const { status: __, ...earlier } = before;
      expect(asked).toEqual(earlier);
      for (const { socket } of sockets) socket.terminate();
      await expect.poll(() => stack.server.nodeEvents().subscribers).toBe(0);
    },
  );

  it('a kind of event that no block contains has one upstream subscription while there is a listener', async () => {
    const sockets = await Promise.all(Array.from({ length: 50 }, () => talk('/comet')));
    for (const conversation of sockets) conversation.send({ id: 1, method: 'subscribe', params: { query: "tm.event='Vote'" } });
    await Promise.all(sockets.map((conversation) => conversation.received(1)));
    await expect.poll(() => node.counters.byMethod.subscribe).toBe(2);
    await devnet.commit();
    await Promise.all(sockets.map((conversation) => conversation.received(3)));
    const [first, ...others] = sockets.map(({ frames }) => frames.slice(1).join());
    for (const other of others) expect(other).toBe(first);
    for (const { socket } of sockets) socket.close();
    await expect.poll(() => node.sockets).toBe(1);
    await Promise.all(sockets.map(({ socket }) => (socket.readyState === socket.CLOSED ? undefined : once(socket, 'close'))));
  });
});
