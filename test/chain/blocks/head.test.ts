import { afterEach, describe, expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { createHead, type Head, type HeadBlock, type HeadOptions } from '../../../src/chain/blocks/head.ts';
import { fallback } from '../../../src/chain/transports/fallback.ts';
import { http } from '../../../src/chain/transports/http.ts';
import type { SubscriptionListener, Transport } from '../../../src/chain/transports/transport.ts';
import { recording } from '../../recordings/recording.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { freePort } from '../../support/ports.ts';
import { appHash, blockHash, createStubNode, newBlockEvent, type StubNode, status } from '../stubNode.ts';

const closing: { close(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
});

async function stub(facts: Partial<StubNode> & { port?: number } = {}): Promise<StubNode> {
  const node = await createStubNode(facts);
  closing.push(node);
  return node;
}

function headOver(transport: Transport, options: Partial<HeadOptions> = {}): Head {
  const head = createHead({ transport, pollInterval: 20, backoff: 5, ...options });
  closing.push(transport, head);
  return head;
}

/** Resolves once the head has the only subscription of the node. */
const subscribed = (node: StubNode): Promise<void> => expect.poll(() => node.subscribers.size, { interval: 5 }).toBe(1);

/** Sends a subscriber one event, for the block after the node's newest, and no further ones. */
function sendOld(socket: WebSocket, node: StubNode): void {
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, result: newBlockEvent(node, node.height + 1n) }));
}

/** The next block of the head that passes the filter. */
function next(head: Head, passes: (block: HeadBlock) => boolean = () => true): Promise<HeadBlock> {
  return new Promise((resolve) => {
    const stop = head.onBlock((block) => {
      if (!passes(block)) return;
      stop();
      resolve(block);
    });
  });
}

describe('the newest block', () => {
  test('comes from status first, then with its content from the subscription', async () => {
    const node = await stub();
    const head = headOver(http(node.url));
    expect(await head.ready()).toEqual({
      height: 100n,
      time: '2026-11-21T00:01:40.000Z',
      hash: blockHash(100n),
      lastHash: '',
      chainId: 'testing',
      appHash: appHash(100n),
      block: undefined,
    });
    await subscribed(node);
    const nextBlock = next(head);
    node.commit();
    const { block, ...facts } = await nextBlock;
    expect(facts).toEqual({
      height: 101n,
      time: '2026-11-21T00:01:41.000Z',
      hash: blockHash(101n),
      lastHash: blockHash(100n),
      chainId: 'testing',
      appHash: appHash(101n),
    });
    expect(block).toMatchObject({ block_id: { hash: blockHash(101n) }, block: { header: { height: '101' } } });
    expect(head.current()?.height).toBe(101n);
  });

  test('gets its content from an event that comes after status has named it', async () => {
    const node = await stub();
    const head = headOver(http(node.url));
    await head.ready();
    await subscribed(node);
    const contents: (bigint | undefined)[] = [];
    head.onContent(({ height, block }) => contents.push(block && height));
    // The subscription ends before the block, whose event comes over the next one.
    for (const socket of node.subscribers) socket.terminate();
    node.height += 1n;
    await head.waitFor(101n, { milliseconds: 60_000 });
    expect(head.current()).toMatchObject({ height: 101n, block: undefined });
    expect(contents).toEqual([]);
    await subscribed(node);
    for (const socket of node.subscribers)
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, result: newBlockEvent(node, 101n) }));
    await expect.poll(() => contents, { interval: 5 }).toEqual([101n]);
    expect(head.current()?.block).toBeDefined();
    expect(head.stats().duplicates).toBe(1);
  });

  test('equals the recorded blocks of a real node', async () => {
    const frames = recording<{ from: string; frame?: string }[]>('live-newblock').flatMap(({ from, frame }) =>
      from === 'node' && frame ? [frame] : [],
    );
    // Its status reports no block other than the recorded ones, which would contradict them.
    const node = await stub({ height: 10n });
    node.onSubscribe = (socket, id) => {
      for (const frame of frames) socket.send(JSON.stringify({ ...JSON.parse(frame), id }));
      return true;
    };
    const head = headOver(http(node.url));
    const seen: HeadBlock[] = [];
    head.onBlock((block) => seen.push(block));
    await head.waitFor(190n, { milliseconds: 30_000 });
    const chain =
      recording<{ height: string; block: { block: { header: { time: string } }; block_id: { hash: string } } }[]>('chain');
    const recorded = new Map(chain.map((row) => [String(row.height), row.block]));
    const events = seen.filter(({ block }) => block !== undefined);
    expect(events).toHaveLength(frames.filter((frame) => frame.includes('"query"')).length);
    for (const { height, time, hash } of events) {
      const row = recorded.get(height.toString())!;
      expect([time, hash]).toEqual([row.block.header.time, row.block_id.hash]);
    }
  });

  test('never goes down, and listeners get each height once', async () => {
    const node = await stub();
    const head = headOver(http(node.url));
    await head.ready();
    await subscribed(node);
    const heights: bigint[] = [];
    head.onBlock(({ height }) => heights.push(height));
    for (const height of [101n, 101n, 99n, 103n, 102n, 104n]) {
      for (const socket of node.subscribers)
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, result: newBlockEvent(node, height) }));
    }
    await head.waitFor(104n, { milliseconds: 30_000 });
    expect(heights).toEqual([101n, 103n, 104n]);
  });

  test('isolates listeners that throw, and does not call removed ones', async () => {
    const node = await stub();
    const head = headOver(http(node.url));
    await head.ready();
    await subscribed(node);
    head.onBlock(() => {
      throw new Error('mine');
    });
    const stopped = vi.fn();
    head.onBlock(stopped)();
    const nextBlock = next(head);
    node.commit();
    expect((await nextBlock).height).toBe(101n);
    expect(stopped).not.toHaveBeenCalled();
  });

  test('is undefined before the first block of a chain', async () => {
    const node = await stub({ height: 0n });
    const head = headOver(http(node.url));
    await expect(head.ready({ milliseconds: 100 })).rejects.toMatchObject({ code: 'NODE_TIMEOUT' });
    node.commit();
    expect((await head.ready()).height).toBe(1n);
  });
});

describe('waiting', () => {
  test('waitFor resolves at once or with the block, or rejects with HEIGHT_NOT_YET_AVAILABLE and the newest height', async () => {
    const node = await stub();
    const head = headOver(http(node.url));
    await head.ready();
    await subscribed(node);
    expect((await head.waitFor(100n, { milliseconds: 0 })).height).toBe(100n);
    const later = head.waitFor(102n, { milliseconds: 30_000 });
    node.commit();
    node.commit();
    expect((await later).height).toBe(102n);
    await expect(head.waitFor(103n, { milliseconds: 10 })).rejects.toMatchObject({
      code: 'HEIGHT_NOT_YET_AVAILABLE',
      facts: { height: 103n, latestHeight: 102n },
    });
    await expect(head.waitFor(103n, { milliseconds: 30_000, signal: AbortSignal.abort(new Error('left')) })).rejects.toThrow(
      'left',
    );
    const controller = new AbortController();
    const aborted = head.waitFor(103n, { milliseconds: 30_000, signal: controller.signal });
    controller.abort(new Error('left too'));
    await expect(aborted).rejects.toThrow('left too');
  });

  test('ready rejects with the error of the node, and attempts continue', async () => {
    const port = await freePort();
    const head = headOver(http(`http://127.0.0.1:${port}`));
    await expect(head.ready({ milliseconds: 100 })).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
    expect(head.current()).toBeUndefined();
    await stub({ port });
    expect((await head.ready()).height).toBe(100n);
  });

  test('close ends waits, the subscription and status calls', async () => {
    const node = await stub();
    const head = headOver(http(node.url));
    await head.ready();
    await subscribed(node);
    const waiting = head.waitFor(500n, { milliseconds: 60_000 });
    head.close();
    await expect(waiting).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
    await expect(head.waitFor(500n, { milliseconds: 60_000 })).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
    await expect.poll(() => node.subscribers.size).toBe(0);
    expect(node.subscriptions).toBe(1);
  });
});

describe('a block between a status and the opening of a subscription', () => {
  /** Lets the test confirm each subscription of the node. */
  function confirming(node: StubNode): { readonly waiting: (() => void)[] } {
    const waiting: (() => void)[] = [];
    node.onSubscribe = (socket, id) => {
      waiting.push(() => {
        node.subscribers.add(socket);
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
      });
      return true;
    };
    return { waiting };
  }

  test.each(['http', 'fallback'] as const)('is read once the first subscription is open, in one call: %s', async (kind) => {
    const node = await stub();
    const { waiting } = confirming(node);
    const head = headOver(kind === 'http' ? http(node.url) : fallback([http(node.url)]), { pollInterval: 60_000 });
    await head.ready();
    await expect.poll(() => waiting.length, { interval: 5 }).toBe(1);
    const before = node.calls('status').length;
    node.commit();
    waiting[0]!();
    expect(await head.waitFor(101n, { milliseconds: 10_000 })).toMatchObject({ height: 101n, block: undefined });
    node.commit();
    expect((await head.waitFor(102n, { milliseconds: 10_000 })).block).toBeDefined();
    expect(node.calls('status')).toHaveLength(before + 1);
  });

  test('is read after a subscription has reopened while a status was under way', async () => {
    const node = await stub();
    const head = headOver(http(node.url), { pollInterval: 60_000 });
    await head.ready();
    await expect.poll(() => node.calls('status').length, { interval: 5 }).toBe(2);
    const { waiting } = confirming(node);
    // The node responds to the next call late, with the block that was its newest at the call.
    let respond = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      respond = resolve;
    });
    node.methods.status = async () => {
      delete node.methods.status;
      const old = status(node);
      await late;
      return old;
    };
    for (const socket of node.subscribers) socket.terminate();
    await expect.poll(() => waiting.length, { interval: 5 }).toBe(1);
    await expect.poll(() => node.methods.status, { interval: 5 }).toBeUndefined();
    node.commit();
    waiting[0]!();
    await expect.poll(() => head.stats().isSubscribed, { interval: 5 }).toBe(true);
    const before = node.calls('status').length;
    respond();
    expect((await head.waitFor(101n, { milliseconds: 10_000 })).block).toBeUndefined();
    expect(node.calls('status')).toHaveLength(before + 1);
  });

  test('needs no status if an event opens the subscription', async () => {
    const node = await stub();
    node.onSubscribe = (socket, id) => {
      node.height += 1n;
      node.subscribers.add(socket);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: newBlockEvent(node, node.height) }));
      return true;
    };
    const head = headOver(http(node.url), { pollInterval: 60_000 });
    expect((await head.waitFor(101n, { milliseconds: 10_000 })).height).toBe(101n);
    const nextBlock = next(head);
    await subscribed(node);
    node.commit();
    await nextBlock;
    expect(node.calls('status')).toHaveLength(1);
  });

  test('is read again at the interval if the status after the opening fails', async () => {
    const node = await stub();
    const { waiting } = confirming(node);
    const head = headOver(http(node.url));
    await head.ready();
    await expect.poll(() => waiting.length, { interval: 5 }).toBe(1);
    let failures = 0;
    node.misbehave = (_, response) => {
      failures += 1;
      response.statusCode = 500;
      response.end();
      return true;
    };
    await expect.poll(() => failures).toBeGreaterThan(0);
    node.commit();
    waiting[0]!();
    await expect.poll(() => head.stats().isSubscribed).toBe(true);
    const before = failures;
    await expect.poll(() => failures).toBeGreaterThan(before);
    node.misbehave = undefined;
    expect((await head.waitFor(101n, { milliseconds: 10_000 })).block).toBeUndefined();
    expect(head.stats().subscriptions).toBe(1);
  });
});

describe('a subscription that ends', () => {
  test('is reopened, with status in between: no block is missed, and there are never two', async () => {
    const node = await stub();
    const head = headOver(http(node.url));
    await head.ready();
    for (let round = 0; round < 5; round++) {
      await subscribed(node);
      for (const socket of node.subscribers) socket.terminate();
      const nextBlock = next(head, ({ height }) => height === node.height);
      await expect.poll(() => node.subscribers.size, { interval: 1 }).toBe(0);
      node.commit();
      expect((await nextBlock).height).toBe(101n + BigInt(round));
    }
    expect(node.mostSubscribers).toBe(1);
  });

  test('is replaced by status calls while the node refuses a new one', async () => {
    const node = await stub();
    const inner = http(node.url);
    let opened: () => void;
    const open = new Promise<void>((resolve) => {
      opened = resolve;
    });
    // `status` responds only after the subscription is open, so that it has ended before the fault begins.
    const transport: Transport = {
      call: async (...call) => open.then(() => inner.call(...call)),
      subscribe: (query, listener) => inner.subscribe(query, { ...listener, open: () => [listener.open?.(), opened()] }),
      close: inner.close,
    };
    const head = headOver(transport, { longestBackoff: 20 });
    await head.ready();
    node.onSubscribe = (socket) => {
      socket.terminate();
      return true;
    };
    for (const socket of node.subscribers) socket.terminate();
    await expect.poll(() => node.subscriptions).toBeGreaterThan(3);
    const nextBlock = next(head);
    node.commit();
    expect(await nextBlock).toMatchObject({ height: 101n, block: undefined });
  });

  test('ends after an event that cannot be decoded', async () => {
    const node = await stub();
    const head = headOver(http(node.url));
    await head.ready();
    await subscribed(node);
    for (const socket of node.subscribers)
      socket.send(
        JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          result: { query: 'x', data: { type: 'tendermint/event/NewBlock', value: {} } },
        }),
      );
    await expect.poll(() => node.subscriptions).toBe(2);
    const nextBlock = next(head);
    await subscribed(node);
    node.commit();
    expect((await nextBlock).height).toBe(101n);
  });
});

describe('a silent subscription', () => {
  /** Wraps a transport to count subscriptions: all, and the most at once. */
  function counting(inner: Transport): { transport: Transport; begun: () => number; most: () => number } {
    let begun = 0;
    let now = 0;
    let most = 0;
    const subscribe = (query: string, listener: SubscriptionListener): ReturnType<Transport['subscribe']> => {
      begun += 1;
      now += 1;
      most = Math.max(most, now);
      return inner.subscribe(query, {
        ...listener,
        end(error) {
          now -= 1;
          listener.end(error);
        },
      });
    };
    return { transport: { call: inner.call, subscribe, close: inner.close }, begun: () => begun, most: () => most };
  }

  test('is replaced if the chain has new blocks', async () => {
    const node = await stub();
    const { transport, begun, most } = counting(http(node.url));
    const head = headOver(transport, { silence: 60 });
    await head.ready();
    // The second call follows the opening.
    await expect.poll(() => node.calls('status').length, { interval: 5 }).toBeGreaterThanOrEqual(2);
    node.height = 105n;
    expect((await next(head)).height).toBe(105n);
    await expect.poll(() => begun()).toBeGreaterThanOrEqual(2);
    expect(most()).toBe(1);
  });

  test('stays open while the chain has stalled', async () => {
    const node = await stub();
    const { transport, begun } = counting(http(node.url));
    const head = headOver(transport, { silence: 40 });
    await head.ready();
    await subscribed(node);
    await expect.poll(() => node.calls('status').length).toBeGreaterThan(4);
    expect(begun()).toBe(1);
    const nextBlock = next(head);
    node.commit();
    expect((await nextBlock).block).toBeDefined();
  });

  test('moves to another node if there is one', async () => {
    const [stuck, live] = [await stub(), await stub()];
    const head = headOver(fallback([http(stuck.url), http(live.url)], { probeInterval: 0 }), { silence: 60 });
    await head.ready();
    await subscribed(stuck);
    live.height = 110n;
    await expect.poll(() => live.subscribers.size).toBe(1);
    const nextBlock = next(head, ({ block }) => block !== undefined);
    live.commit();
    expect((await nextBlock).height).toBe(111n);
    expect(stuck.subscribers.size).toBe(0);
  });
});

describe('a subscription that other nodes have overtaken', () => {
  test.each(['silent', 'lagging'] as const)('ends long before the watchdog: %s', async (trouble) => {
    const [behind, ahead] = [await stub(), await stub()];
    const transport = fallback([http(behind.url), http(ahead.url)], { probeInterval: 100 });
    const head = headOver(transport, { silence: 60_000 });
    await head.ready();
    await subscribed(behind);
    const moving = setInterval(() => {
      ahead.commit();
      if (trouble === 'lagging') for (const socket of behind.subscribers) sendOld(socket, behind);
    }, 10);
    closing.push({ close: () => clearInterval(moving) });
    await expect.poll(() => ahead.subscribers.size).toBe(1);
    expect((await next(head, ({ block }) => block !== undefined)).height).toBeGreaterThan(101n);
    expect(behind.subscribers.size).toBe(0);
    expect(behind.subscriptions).toBe(1);
  });

  test.runIf(runsAll)('stays open while every node has stalled, and while it is level with the others', async () => {
    const [one, other] = [await stub(), await stub()];
    const head = headOver(fallback([http(one.url), http(other.url)], { probeInterval: 50 }), { silence: 60_000 });
    await head.ready();
    await subscribed(one);
    const probes = async (count: number) => {
      const before = other.calls('status').length;
      await expect.poll(() => other.calls('status').length).toBeGreaterThan(before + count);
    };
    await probes(3);
    for (let round = 0; round < 3; round++) {
      other.commit();
      one.commit();
      await probes(2);
    }
    expect([one.subscriptions, other.subscriptions]).toEqual([1, 0]);
  });
});

test('rejects a node that changes its chain', async () => {
  const node = await stub();
  const head = headOver(http(node.url));
  await head.ready();
  await subscribed(node);
  node.chainId = 'other';
  const listener = vi.fn();
  head.onBlock(listener);
  node.commit();
  await expect.poll(() => node.subscriptions).toBeGreaterThan(1);
  expect(head.current()).toMatchObject({ height: 100n, chainId: 'testing' });
  expect(listener).not.toHaveBeenCalled();
});

test('rejects a next block that does not follow the newest, and another block at its height, and leaves the node', async () => {
  const node = await stub();
  const head = headOver(http(node.url));
  await head.ready();
  for (const change of ['last_block_id', 'block_id'] as const) {
    await subscribed(node);
    const listener = vi.fn();
    const stop = head.onBlock(listener);
    const { height } = head.current()!;
    const text = JSON.stringify(newBlockEvent(node, change === 'block_id' ? height : height + 1n));
    const other = text.replace(new RegExp(`"${change}":{"hash":"[^"]*"`), `"${change}":{"hash":"${'F'.repeat(64)}"`);
    expect(other).not.toBe(text);
    for (const socket of node.subscribers) socket.send(`{"jsonrpc":"2.0","id":1,"result":${other}}`);
    const begun = node.subscriptions;
    await expect.poll(() => node.subscriptions, { interval: 1 }).toBeGreaterThan(begun);
    expect(listener).not.toHaveBeenCalled();
    expect(head.current()!.height).toBe(height);
    stop();
  }
  await subscribed(node);
  const nextBlock = next(head);
  node.commit();
  expect((await nextBlock).height).toBe(101n);
});

describe('a height that does not arrive', () => {
  const short = { milliseconds: 300 };

  async function running(): Promise<{ readonly chain: TestChain; readonly head: Head }> {
    const chain = await startChain({ bare: true, blockTime: 50 });
    closing.push(chain.devnet);
    return { chain, head: headOver(http(chain.node.url)) };
  }

  test('is one of a chain before this one, if this one has its newest blocks and goes on', async () => {
    const { head } = await running();
    const { height } = await head.ready();
    const begun = performance.now();
    await expect(head.waitFor(height + 1_000n, short)).rejects.toMatchObject({ code: 'CHAIN_RESET' });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(299);
  });

  test.runIf(runsAll)(
    'is not, if the node lags behind it, if the chain halts, or if it is one of the next blocks',
    async () => {
      const { chain, head } = await running();
      const missing = { code: 'HEIGHT_NOT_YET_AVAILABLE' };
      await head.waitFor(2n, { milliseconds: 5_000 });
      chain.devnet.halt();
      const { height } = await head.waitFor(chain.devnet.height, { milliseconds: 5_000 });
      await expect(head.waitFor(height + 1_000n, short)).rejects.toMatchObject(missing);
      await expect(head.waitFor(height + 1n, short)).rejects.toMatchObject(missing);

      const lagging = await running();
      lagging.chain.node.lag(40);
      await expect.poll(() => lagging.chain.devnet.height, { interval: 10 }).toBeGreaterThan(60n);
      await lagging.head.waitFor(2n, { milliseconds: 5_000 });
      await expect(lagging.head.waitFor(lagging.chain.devnet.height + 10n, short)).rejects.toMatchObject(missing);
    },
  );
});
