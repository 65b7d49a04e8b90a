import { once } from 'node:events';
import { request as createRequest } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { pickHeight } from '../../../src/answers/pickHeight.ts';
import { createLimits } from '../../../src/config/limits/limits.ts';
import { Lifetime } from '../../../src/server/lifetime.ts';
import { post } from '../../support/wire.ts';
import { longPoll, startTarget, type Target } from '../attacks/setup.ts';

let target: Target;

afterEach(() => target.close());

/** Delays all responses of the node until the returned function is called. */
function holdNode(): () => void {
  let release: (value?: unknown) => void = () => undefined;
  target.chain.node.faults.gate = new Promise((resolve) => {
    release = resolve;
  });
  return release;
}

const calls = (method: string): number => target.chain.node.counters.byMethod[method] ?? 0;

it('equal requests without a height are executed concurrently', async () => {
  target = await startTarget();
  await target.stack.client.head.ready();
  const question = '{ status { nodeInfo { id } } }';
  await post(target.stack.server.url, question);
  target.chain.node.counters.reset();
  const release = holdNode();
  const asked = [1, 2, 3, 4, 5].map(() => post(target.stack.server.url, question));
  await expect.poll(() => calls('status'), longPoll).toBe(5);
  release();
  for (const { status, body } of await Promise.all(asked)) expect([status, JSON.parse(body).errors]).toEqual([200, undefined]);
});

it('a request whose caller disconnects completes for other callers that wait for it', async () => {
  target = await startTarget();
  await target.stack.client.head.ready();
  const { url } = target.stack.server;
  const question = '{ groups { nodes { metadata } } }';
  target.chain.node.counters.reset();
  const release = holdNode();
  const leader = createRequest(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    agent: false,
  });
  leader.on('error', () => undefined);
  const headers = { accept: '*/*', 'content-type': 'application/json' };
  leader.setHeader('accept', '*/*');
  leader.end(JSON.stringify({ query: question }));
  await expect.poll(() => calls('abci_query'), longPoll).toBe(1);
  const followers = [1, 2, 3].map(() => post(url, question, headers));
  // Both are written at once on separate connections, so that the server reads the followers before it sees the leader
  // disconnect.
  await post(url, '{ __typename }');
  leader.destroy();
  await post(url, '{ __typename }');
  release();
  const answers = await Promise.all(followers);
  expect(answers.map(({ headers: responseHeaders }) => responseHeaders['cache-status'])).toEqual(Array(3).fill('stele; hit'));
  expect(answers.every(({ body }) => JSON.parse(body).errors === undefined)).toBe(true);
});

it('a wait for a block ends when the caller disconnects', async () => {
  target = await startTarget();
  await target.stack.client.head.ready();
  const lifetime = new Lifetime();
  const named = { height: undefined, minHeight: '1000' };
  const picked = pickHeight(target.stack.client, named, createLimits({ 'request.freshness': 60_000 }), lifetime, {
    charge: () => undefined,
  });
  lifetime.cancel();
  expect(await picked).toMatchObject({ error: { message: 'The caller has disconnected.' } });
});

interface Sent {
  readonly id: string;
  readonly type: string;
  readonly payload?: unknown;
}

async function openSocket(): Promise<{ socket: WebSocket; send(message: object): void; next(id: string): Promise<Sent> }> {
  const socket = new WebSocket(`${target.stack.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const received: Sent[] = [];
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  socket.on('message', (data) => received.push(JSON.parse(String(data)) as Sent));
  return {
    socket,
    send: (message) => socket.send(JSON.stringify(message)),
    async next(id) {
      await expect.poll(() => received.some((message) => message.id === id), longPoll).toBe(true);
      return received.find((message) => message.id === id)!;
    },
  };
}

const waitingFor = (id: string, query = '{ head { height } }') => ({
  id,
  type: 'subscribe',
  payload: { query, extensions: { minHeight: '1000' } },
});

it('a wait for a block on a WebSocket holds a slot of rate.concurrent until it is completed or the socket closes', async () => {
  target = await startTarget({
    server: { limits: { 'rate.concurrent': 1, 'request.freshness': 60_000, 'request.deadline': 60_000 } },
  });
  await target.stack.client.head.ready();
  const { url } = target.stack.server;
  const first = await openSocket();
  const ask = async () => (await post(url, '{ head { height } }')).status;
  expect(await ask()).toBe(200);
  const ids: string[] = [];
  // The slot of a request is released shortly after its response. An operation that is refused until then is sent again.
  const wait = (): Promise<number> => {
    const id = `waiting ${ids.length}`;
    ids.push(id);
    first.send(waitingFor(id));
    return ask();
  };
  await expect.poll(wait, longPoll).toBe(429);
  for (const id of ids) first.send({ id, type: 'complete' });
  await expect.poll(ask, longPoll).toBe(200);
  await expect.poll(wait, longPoll).toBe(429);
  first.send({ id: 'c', type: 'subscribe', payload: { query: '{ head { height } }' } });
  expect(await first.next('c')).toMatchObject({ type: 'error', payload: [{ extensions: { code: 'RATE_LIMITED' } }] });
  first.socket.terminate();
  await expect.poll(ask, longPoll).toBe(200);
});

it('a mutation that is completed while it waits for a block is not executed', async () => {
  target = await startTarget({ server: { limits: { 'request.freshness': 60_000, 'rate.concurrent': 1 } } });
  await target.stack.client.head.ready();
  const { accounts } = target.chain;
  const tx = Buffer.from(target.chain.sign(accounts[0]!, [])).toString('base64');
  const { send } = await openSocket();
  const next = (target.chain.devnet.height + 1n).toString();
  const query = `mutation { broadcastTxSync(tx: "${tx}") { hash } }`;
  const ask = async () => (await post(target.stack.server.url, '{ head { height } }')).status;
  send({ id: 'a', type: 'subscribe', payload: { query, extensions: { minHeight: next } } });
  await expect.poll(ask, longPoll).toBe(429);
  send({ id: 'a', type: 'complete' });
  await expect.poll(ask, longPoll).toBe(200);
  await target.stack.client.head.waitFor(await target.chain.devnet.commit(), { milliseconds: 30_000 });
  expect(await ask()).toBe(200);
  expect(calls('broadcast_tx_sync')).toBe(0);
});
