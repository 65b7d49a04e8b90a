import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createLimits, type Limits } from '../../../src/config/limits/limits.ts';
import { createRates } from '../../../src/server/rateLimits/rates.ts';
import { idleTimeoutOf } from '../../../src/server/requestChecks.ts';
import { post, send, type WireAnswer } from '../../support/wire.ts';
import { longPoll, startTarget, type Target } from '../attacks/setup.ts';

let target: Target | undefined;

async function start(limits: Partial<Limits>): Promise<Target> {
  target = await startTarget({ server: { limits } });
  return target;
}

afterEach(async () => {
  await target?.close();
  target = undefined;
});

const json = { 'content-type': 'application/json' };

function call(url: string, path: string, body: unknown): Promise<WireAnswer> {
  return send(`${url}${path}`, { method: 'POST', headers: json, body: JSON.stringify(body) });
}

it('graphql.validationErrors: a response has no more errors', async () => {
  const { stack } = await start({ 'graphql.validationErrors': 2 });
  expect((await stack.ask('{ a b c d }')).body.errors).toHaveLength(2);
});

it('request.freshness: a wait for a block ends after this time', async () => {
  const { stack } = await start({ 'request.freshness': 50 });
  const { body } = await stack.ask('{ head { height } }', {}, { 'x-min-height': '1000' });
  expect(body.errors).toMatchObject([
    { message: 'Block 1000 did not arrive within 50 ms.', extensions: { code: 'HEIGHT_NOT_YET_AVAILABLE', height: '1000' } },
  ]);
});

it('rate.counts: further counts wait until one is done', async () => {
  const caller = createRates(createLimits({ 'rate.counts': 1 })).of('a');
  const first = await caller.counting(undefined);
  let begun = false;
  const second = caller.counting(undefined).then((end) => {
    begun = true;
    return end;
  });
  await new Promise(setImmediate);
  expect(begun).toBe(false);
  first();
  (await second)();
});

it('rate.counts: over HTTP, the counts of a second operation begin when those of the first are done', async () => {
  const { stack, chain } = await start({ 'rate.counts': 1 });
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const read: string[] = [];
  chain.node.onCall = async ({ method, params }) => {
    const [, name] = /Query\/(Groups|GroupsByAdmin|GroupInfo)"/.exec(JSON.stringify([method, params])) ?? [];
    if (name === undefined) return;
    read.push(name);
    if (name === 'Groups') await held;
  };
  const first = stack.ask('{ groups { totalCount } }');
  await expect.poll(() => read, longPoll).toEqual(['Groups']);
  const second = stack.ask(`{ groupsByAdmin(admin: "${chain.accounts[0]!.address}") { totalCount } }`);
  // An operation that counts nothing does not wait.
  expect((await stack.ask('{ group(id: 1) { id } }')).body.errors).toBeUndefined();
  expect(read).toEqual(['Groups', 'GroupInfo']);
  release();
  expect([(await first).body.errors, (await second).body.errors]).toEqual([undefined, undefined]);
  expect(read).toEqual(['Groups', 'GroupInfo', 'GroupsByAdmin']);
});

it('http.connections: a connection above the limit is closed', async () => {
  const { stack } = await start({ 'http.connections': 3 });
  const { port } = new URL(stack.server.url);
  const open = () => connect(Number(port), '127.0.0.1').on('error', () => undefined);
  const sockets = [open(), open(), open()];
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const fourth = open();
  await once(fourth, 'close');
  expect(sockets.every((socket) => !socket.destroyed)).toBe(true);
  sockets[0]!.destroy();
  await expect
    .poll(
      () =>
        post(stack.server.url, '{ head { height } }').then(
          ({ status }) => status,
          () => 0,
        ),
      longPoll,
    )
    .toBe(200);
  for (const socket of sockets) socket.destroy();
});

it('http.keepAlive: responses contain the time', async () => {
  const { stack } = await start({ 'http.keepAlive': 7_000 });
  const answer = await fetch(`${stack.server.url}/livez`, { headers: { connection: 'keep-alive' } });
  expect(answer.headers.get('keep-alive')).toBe('timeout=7');
});

it('http.keepAlive: an idle connection is closed after this time, but not before two requests could complete', () => {
  expect(idleTimeoutOf(createLimits())).toBe(65_000);
  expect(idleTimeoutOf(createLimits({ 'http.keepAlive': 1_000 }))).toBe(40_000);
});

it('http.uri: a longer path is 414', async () => {
  const { stack } = await start({ 'http.uri': 100 });
  for (const [size, status] of [
    [90, 404],
    [110, 414],
  ] as const)
    expect((await send(`${stack.server.url}/${'x'.repeat(size)}`)).status).toBe(status);
});

it('http.body: a larger body is 413 at paths that accept transactions', async () => {
  const { stack } = await start({ 'http.body': 1_000 });
  const { url } = stack.server;
  expect((await post(url, `{ head { height } } #${'x'.repeat(1_000)}`)).status).toBe(413);
  expect((await post(url, '{ head { height } }')).status).toBe(200);
});

it('socket.id: a longer id closes the socket', async () => {
  const { stack } = await start({ 'socket.id': 10 });
  const socket = new WebSocket(`${stack.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  const ask = (id: string) => socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query: '{ head { height } }' } }));
  ask('x'.repeat(10));
  const [answer]: Buffer[] = await once(socket, 'message');
  expect(JSON.parse(String(answer)).type).toBe('next');
  ask('x'.repeat(11));
  expect((await once(socket, 'close'))[0]).toBe(4400);
});

it('rpc.batch: a longer batch is refused with the message of a node', async () => {
  const { stack } = await start({ 'rpc.batch': 2 });
  const health = (id: number) => ({ jsonrpc: '2.0', id, method: 'health', params: {} });
  expect(JSON.parse((await call(stack.server.url, '/comet', [1, 2].map(health))).body)).toHaveLength(2);
  const { body } = await call(stack.server.url, '/comet', [1, 2, 3].map(health));
  expect(JSON.parse(body)).toMatchObject({
    error: { code: -32600, data: 'batch request exceeds maximum (2) allowed number of requests' },
  });
});
