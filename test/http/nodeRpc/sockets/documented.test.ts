import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDevnet, type Devnet } from '../../../../packages/devnet/src/devnet.ts';
import { type Conversation, converse } from '../../../devnet/node/conversation.ts';
import { createTinyApplication, tinyTx } from '../../../devnet/node/tinyApplication.ts';
import { type Stack, startStack } from '../../../support/stack.ts';

let devnet: Devnet;
let stack: Stack;
let conversation: Conversation;

beforeAll(async () => {
  devnet = await createDevnet({ application: createTinyApplication(), blockTime: 'manual' });
  await devnet.commit();
  stack = await startStack([devnet.nodes[0]!.url]);
  await stack.client.head.ready();
});

afterAll(async () => {
  await stack.close();
  await devnet.close();
});

afterEach(async () => {
  conversation.socket.close();
  await conversation.closed;
  expect(stack.masked).toEqual([]);
});

interface DocumentedMessage {
  readonly jsonrpc: string;
  readonly id: number;
  readonly result?: {
    readonly query?: string;
    readonly data?: { readonly type: string; readonly value: unknown };
  };
  readonly error: string;
}

const query = "tm.event='NewBlock'";

async function open(): Promise<void> {
  await expect.poll(() => stack.client.head.stats().isSubscribed).toBe(true);
  conversation = await converse(stack.server.url);
}

/** All messages up to the response to a new request. */
async function soFar(): Promise<DocumentedMessage[]> {
  await stack.client.head.waitFor(devnet.height, { milliseconds: 30_000 });
  const last = crypto.randomUUID();
  conversation.send({ id: last, method: 'health', params: {} });
  await conversation.next(({ id }) => id === last);
  return conversation.frames.map((frame) => JSON.parse(frame) as DocumentedMessage).filter(({ id }) => typeof id === 'number');
}

describe('the WebSocket in the documented dialect (docs/chain.md, "WebSocket of a node")', () => {
  it('Path: `/websocket`; Request shape: `jsonrpc`, `method`, `id`, `params` with `query`', async () => {
    await open();
    for (const [id, method] of ['subscribe', 'unsubscribe'].entries()) {
      conversation.send(JSON.stringify({ jsonrpc: '2.0', method, id, params: { query } }));
      await conversation.received(id + 1);
    }
    expect(conversation.frames).toEqual([
      '{"jsonrpc":"2.0","id":0,"result":{},"error":""}',
      '{"jsonrpc":"2.0","id":1,"result":{},"error":""}',
    ]);
  });

  it('JSONRPC envelope: the id is the request’s, exactly; `error` is empty on success and carries the error on failure', async () => {
    await open();
    conversation.send(`{"jsonrpc":"2.0","method":"subscribe","id":9007199254740993,"params":{"query":"${query}"}}`);
    conversation.send(`{"jsonrpc":"2.0","method":"subscribe","id":9223372036854775807,"params":{"query":"${query}"}}`);
    await conversation.received(2);
    await devnet.commit();
    const [taken, refused, event] = await conversation.received(3);
    expect(taken).toBe('{"jsonrpc":"2.0","id":9007199254740993,"result":{},"error":""}');
    expect(refused).toBe('{"jsonrpc":"2.0","id":9223372036854775807,"error":"already subscribed"}');
    expect(event).toMatch(/^\{"jsonrpc":"2.0","id":9007199254740993,"result":\{"query":.*\},"error":""\}$/);
  });

  it('argument encoding: the query as text, in an array, quoted, or as 0x and hexadecimal', async () => {
    await open();
    const hex = `0x${Buffer.from(query).toString('hex')}`;
    const ways = [{ query }, [query], { query: JSON.stringify(query) }, { query: hex }];
    for (const [id, params] of ways.entries()) {
      conversation.send({ id, method: 'subscribe', params });
      conversation.send({ id, method: 'unsubscribe', params: { query } });
    }
    const frames = await conversation.received(8);
    for (const frame of frames) expect(frame).toContain('"result":{},"error":""');
  });

  it.each([
    ['a query that is no text', { query: 5 }],
    ['params that are neither', 'query'],
    ['more than there is', [query, query]],
  ])('the documented WebSocket refuses %s', async (_, params) => {
    await open();
    conversation.send({ id: 1, method: 'subscribe', params });
    const [frame] = await conversation.received(1);
    const { id, error, result } = JSON.parse(frame!) as DocumentedMessage;
    expect([id, result]).toEqual([1, undefined]);
    expect(error).toMatch(/^`(query|params)` must /);
  });

  it('subscriptions are available only here', async () => {
    await open();
    for (const method of ['subscribe', 'unsubscribe']) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { query } });
      const posted = await fetch(stack.server.url, { method: 'POST', body });
      expect(await posted.json()).toEqual({ jsonrpc: '2.0', id: 1, error: 'Method not found' });
      expect((await fetch(`${stack.server.url}/${method}?query="${query}"`)).status).toBe(404);
    }
  });
});

describe('events in the documented dialect (docs/chain.md, "Event data")', () => {
  it("Query shape: `tm.event='NewBlock'` delivers a message for each new block", async () => {
    await open();
    conversation.send({ id: 3, method: 'subscribe', params: { query } });
    await conversation.received(1);
    const heights: string[] = [];
    for (let blocks = 0; blocks < 3; blocks += 1) heights.push(String(await devnet.commit()));
    const [, ...events] = await soFar();
    expect(events.map(({ id, result, error }) => [id, result?.query, result?.data?.type, error])).toEqual(
      heights.map(() => [3, query, 'tendermint/event/NewBlock', '']),
    );
    const values = events.map(({ result }) => result!.data!.value as { block: { header: { height: string } } });
    expect(values.map(({ block }) => block.header.height)).toEqual(heights);
  });

  it('are delivered only after `subscribe`, and `unsubscribe` ends a subscription', async () => {
    await open();
    await devnet.commit();
    expect(await soFar()).toEqual([]);
    conversation.send({ id: 1, method: 'subscribe', params: { query } });
    await conversation.received(2);
    await devnet.commit();
    expect((await soFar()).map(({ id }) => id)).toEqual([1, 1]);
    conversation.send({ id: 2, method: 'unsubscribe', params: { query } });
    await conversation.next(({ id }) => id === 2);
    await devnet.commit();
    expect((await soFar()).map(({ id }) => id)).toEqual([1, 1, 2]);
  });

  it('subscribing to the result of a transaction confirms its inclusion in a block, whatever its code', async () => {
    await open();
    conversation.send({ id: 1, method: 'subscribe', params: { query: "tm.event='Tx'" } });
    await conversation.received(1);
    for (const account of ['carl', 'dora']) {
      const tx = Buffer.from(tinyTx(account, 0)).toString('base64');
      conversation.send({ id: 2, method: 'broadcast_tx_sync', params: { tx } });
    }
    await conversation.received(3);
    const height = await devnet.commit();
    const events = (await soFar()).filter(({ result }) => result?.query !== undefined);
    const values = events.map(({ result }) => result!.data!.value as { TxResult: { height: string; index?: number } });
    expect(values.map(({ TxResult }) => [TxResult.height, TxResult.index])).toEqual([
      [String(height), undefined],
      [String(height), 1],
    ]);
  });

  it('other kinds are delivered as well', async () => {
    await open();
    const kinds = ['NewBlockHeader', 'NewBlockEvents', 'Vote', 'NewRoundStep'];
    for (const [id, kind] of kinds.entries()) {
      conversation.send({ id, method: 'subscribe', params: { query: `tm.event='${kind}'` } });
    }
    await conversation.received(4);
    const { live } = stack.client;
    await expect.poll(() => devnet.nodes[0]!.counters.byMethod.subscribe).toBe(1 + live.stats().opened);
    await devnet.commit();
    for (const id of kinds.keys())
      await conversation.next((message) => message.id === id && message.result?.query !== undefined);
  });
});
