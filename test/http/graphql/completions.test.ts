import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { sendTogether } from '../../support/wire.ts';

let chain: TestChain;
let stack: Stack;
let socket: WebSocket;
const messages: { readonly id?: string; readonly type: string; readonly payload?: { readonly last?: boolean } }[] = [];

beforeEach(async () => {
  chain = await startChain({ bare: true, genesisTime: 1_700_000_000_000_000_000n });
  const limits = { 'socket.burst': 100_000, 'rate.burst': 100_000, 'rate.concurrent': 1_000, 'socket.subscriptions': 1_000 };
  stack = await startStack([chain.node.url], { server: { limits } });
  await stack.client.head.ready();
  messages.length = 0;
  socket = new WebSocket(`${stack.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
});

afterEach(async () => {
  socket.terminate();
  await stack.close();
  await chain.devnet.close();
});

const subscribe = (id: string, query = 'subscription { newBlock { height } }'): string =>
  JSON.stringify({ id, type: 'subscribe', payload: { query } });
const complete = (id: string): string => JSON.stringify({ id, type: 'complete' });
const ping = '{"type":"ping"}';

it.runIf(runsAll)('a subscription that is completed while it begins ends, whatever arrives in between', async () => {
  const steps = Array.from({ length: 120 }, (_, step) => step);
  sendTogether(
    socket,
    steps.flatMap((step) => [subscribe(`s${step}`), ...Array(step).fill(ping), complete(`s${step}`)]),
  );
  const last = '{"type":"ping","payload":{"last":true}}';
  sendTogether(socket, [subscribe('last'), last]);
  // The pong to the last ping: all messages were handled.
  await expect.poll(() => messages.some(({ payload }) => payload?.last === true), { interval: 2, timeout: 5_000 }).toBe(true);
  await expect.poll(() => stack.server.subscriptions().subscribers, { interval: 2 }).toBe(1);
  messages.length = 0;
  await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
  await expect.poll(() => messages.map(({ id }) => id)).toContain('last');
  expect(messages.filter(({ id }) => id !== 'last')).toEqual([]);
});

it('an id is free again when its subscription is completed, and in use before', async () => {
  socket.send(subscribe('a'));
  await expect.poll(() => stack.server.subscriptions().subscribers, { interval: 2 }).toBe(1);
  sendTogether(socket, [complete('a'), subscribe('a')]);
  // The second one may begin after a block is committed, which it then does not deliver.
  const delivered = async (): Promise<unknown[]> => {
    await chain.devnet.commit();
    return messages.filter(({ type }) => type === 'next');
  };
  await expect.poll(delivered).not.toEqual([]);
  await expect.poll(() => stack.server.subscriptions().subscribers, { interval: 2 }).toBe(1);
  socket.send(subscribe('a'));
  const [code] = await once(socket, 'close');
  expect(code).toBe(4409);
  await expect.poll(() => stack.server.subscriptions().subscribers, { interval: 2 }).toBe(0);
});
