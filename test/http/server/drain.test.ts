import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { runsAll, some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Listener, overEvents, overWebSocket } from '../../support/listeners.ts';
import { addressesOf, devnetToken, startProcess } from '../../support/process.ts';
import { startStack } from '../../support/stack.ts';

/** A running process of the server. */
interface Running {
  readonly url: string;
  readonly adminUrl: string;
  /** A token that it accepts. */
  readonly token: string;
  readonly child: ChildProcess;
  /** Its exit code and signal. */
  readonly ended: Promise<unknown[]>;
}

let chain: TestChain;
const children: ChildProcess[] = [];

beforeEach(async () => {
  chain = await startChain({ bare: true });
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await chain.devnet.close();
});

async function start(...flags: string[]): Promise<Running> {
  const child = await startProcess(['--port', '0', '--cache-dir', 'off', '--dev', '--node', chain.node.url, ...flags]);
  children.push(child);
  const ended = once(child, 'exit');
  const { url, adminUrl } = await addressesOf(child);
  return { url, adminUrl, token: await devnetToken(url), child, ended };
}

function ask({ url, token }: Running, query: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
}

/** Whether the port accepts connections. */
async function isOpen(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Delays the node's responses to `method` until the returned function is called. */
function hold(method: string): () => void {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  chain.node.onCall = (call) => (call.method === method ? held : undefined);
  return release;
}

const isCalled = (method: string): Promise<unknown> =>
  expect.poll(() => chain.node.counters.byMethod[method] ?? 0).toBeGreaterThan(0);

it.runIf(runsAll)(
  'finishes running requests and operations on a WebSocket, accepts no new ones, and exits with status 0',
  async () => {
    const running = await start();
    const { url, token, child, ended } = running;
    await ask(running, '{ head { height } }');
    // Idle connections do not delay the shutdown.
    const idle = connect(Number(new URL(url).port), '127.0.0.1');
    await once(idle, 'connect');
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const messages: Record<string, unknown>[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }));
    await once(socket, 'message');
    const release = hold('num_unconfirmed_txs');
    const query = '{ numUnconfirmedTransactions { total } }';
    socket.send(JSON.stringify({ type: 'subscribe', id: 'held', payload: { query } }));
    await isCalled('num_unconfirmed_txs');
    // The second request reads from the node as well.
    const answer = ask(running, query);
    await expect.poll(() => chain.node.counters.byMethod.num_unconfirmed_txs).toBe(2);
    const closed = once(socket, 'close');
    child.kill('SIGTERM');
    await expect.poll(() => isOpen(url)).toBe(false);
    socket.send(JSON.stringify({ type: 'subscribe', id: 'late', payload: { query } }));
    release();
    const response = await answer;
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    expect(await response.json()).toMatchObject({ data: { numUnconfirmedTransactions: { total: '0' } } });
    // The operation that was sent after the signal has no result.
    expect((await closed)[0]).toBe(1012);
    expect(messages.slice(1)).toMatchObject([
      { id: 'held', type: 'next', payload: { data: { numUnconfirmedTransactions: { total: '0' } } } },
      { id: 'held', type: 'complete' },
    ]);
    expect(await ended).toEqual([0, null]);
  },
);

const newBlock = 'subscription($after: Int64) { newBlock(after: $after) { height hash } }';

const heights = (listener: Listener): unknown[] => listener.answers.map(({ data }) => data?.newBlock?.height);

const streams = [
  ['WebSocket', overWebSocket],
  ['server-sent events', overEvents],
] as const;

it.each(some(streams, 2))(
  'ends a stream over %s with where to resume, and another server goes on without a gap',
  async (_, subscribe) => {
    const first = await start();
    const second = await startStack([chain.node.url]);
    const listener = await subscribe(first.url, newBlock, { after: '0' }, first.token);
    await listener.count(1);
    await chain.devnet.commit();
    await listener.count(2);
    first.child.kill('SIGTERM');
    const ending = await listener.ended;
    const interrupted = { code: 'SERVER_SHUTDOWN', lastHeight: '2', after: '2' };
    expect(ending).toMatchObject({ interrupted });
    expect(await first.ended).toEqual([0, null]);

    // Blocks while the subscriber is not connected.
    await chain.devnet.commit();
    await chain.devnet.commit();
    const resumed = await subscribe(second.server.url, newBlock, { after: interrupted.after });
    await resumed.count(2);
    await chain.devnet.commit();
    await resumed.count(3);
    expect([...heights(listener), ...heights(resumed)]).toEqual(['1', '2', '3', '4', '5']);
    await resumed.leave();
    await second.close();
  },
);

it.runIf(runsAll)('is not ready at once, and serves requests until the drain delay is over', async () => {
  const running = await start('--drain-delay', '20');
  const { url, adminUrl, child, ended } = running;
  const ready = async (): Promise<number> => (await fetch(`${url}/readyz`)).status;
  await expect.poll(ready).toBe(200);
  child.kill('SIGTERM');
  await expect.poll(ready).toBe(503);
  expect(await (await fetch(`${adminUrl}/readyz`)).json()).toEqual({
    ready: false,
    chain: 'moving',
    failed: ['SHUTTING_DOWN'],
    roots: expect.any(String),
    verification: 'VERIFIED',
  });
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  const response = await ask(running, '{ head { height } }');
  expect(await response.json()).toMatchObject({ data: { head: { height: '1' } } });
  // The response closes its connection, so that the client connects elsewhere.
  expect(response.headers.get('connection')).toBe('close');
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
});

it.runIf(runsAll)('exits at once on a second signal, whatever is running', async () => {
  const running = await start();
  const { url, child, ended } = running;
  const release = hold('num_unconfirmed_txs');
  const answer = ask(running, '{ numUnconfirmedTransactions { total } }').catch(() => 'broken');
  await isCalled('num_unconfirmed_txs');
  child.kill('SIGTERM');
  await expect.poll(() => isOpen(url)).toBe(false);
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(await answer).toBe('broken');
  release();
});

const ends = [
  ['closes running requests', 'shutdown.drain=200', 0],
  ['exits with running requests', 'shutdown.exit=200', 1],
] as const;

it.each(some(ends, 2))('%s after its limit, and prints the limit: %s', async (_, limit, code) => {
  const running = await start('--drain-delay', '0.1', '--limit', limit);
  const body = await (await ask(running, '{ limits { name value } }')).json();
  const [name, value] = limit.split('=');
  expect(body).toMatchObject({
    data: {
      limits: expect.arrayContaining([
        { name: 'shutdown.delay', value: '100' },
        { name, value },
      ]),
    },
  });
  const release = hold('num_unconfirmed_txs');
  const answer = ask(running, '{ numUnconfirmedTransactions { total } }').then(
    () => 'answered',
    () => 'broken',
  );
  await isCalled('num_unconfirmed_txs');
  running.child.kill('SIGTERM');
  expect(await running.ended).toEqual([code, null]);
  expect(await answer).toBe('broken');
  release();
});
