import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { longPoll, startTarget, type Target } from '../attacks/setup.ts';

type Options = NonNullable<Parameters<typeof startTarget>[0]>;

let target: Target | undefined;
const cleanUps: (() => void)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
  await target?.close();
  target = undefined;
});

async function start(options: Options = {}): Promise<{ readonly target: Target; readonly url: string; readonly port: number }> {
  target = await startTarget(options);
  await target.stack.client.head.ready();
  const { url } = target.stack.server;
  return { target, url, port: Number(new URL(url).port) };
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
  cleanUps.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Delays calls of a method at the node until the returned function is called. */
function hold({ chain }: Target, method: string): () => void {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  chain.node.onCall = (call) => (call.method === method ? held : undefined);
  return release;
}

/** Counts events of the HTTP server at a port: requests that are parsed, or responses that are written. */
function count(port: number, event: 'request.start' | 'response.finish'): () => number {
  const name = `http.server.${event}`;
  let counted = 0;
  const listener = (message: unknown): void => {
    const { server } = message as { readonly server: HttpServer };
    const address = server.address();
    if (address !== null && typeof address === 'object' && address.port === port) counted += 1;
  };
  subscribe(name, listener);
  cleanUps.push(() => unsubscribe(name, listener));
  return () => counted;
}

const get = (path: string, ...headers: readonly string[]): string =>
  [`GET ${path} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n');

const slow = '/comet/num_unconfirmed_txs';

const statuses = (text: string): readonly number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

const readyz = (url: string): Promise<number> => fetch(`${url}/readyz`).then(({ status }) => status);

it('few requests are parsed while an earlier one of their connection is handled, and all get responses in order', async () => {
  const { target: running, port, url } = await start();
  const release = hold(running, 'num_unconfirmed_txs');
  const parsed = count(port, 'request.start');
  const socket = await open(port);
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  // The first chunk that the server reads contains all of them.
  const waiting = 1_000;
  socket.write(get(slow) + get('/livez').repeat(waiting) + get('/docs', 'connection: close'));
  await expect.poll(() => running.chain.node.counters.byMethod.num_unconfirmed_txs ?? 0, longPoll).toBe(1);
  for (let time = 0; time < 10; time += 1) expect(await readyz(url)).toBe(200);
  expect(parsed()).toBeLessThan(30);
  release();
  await once(socket, 'close');
  expect(statuses(text)).toEqual(Array.from({ length: waiting + 2 }, () => 200));
  expect(text).toContain('"total":"0"');
  expect(text.slice(text.lastIndexOf('HTTP/1.1'))).toContain('text/html');
});

it('30 connections with 1,500 requests each stay open, and use the memory of few requests', async () => {
  const { target: running, port, url } = await start();
  const release = hold(running, 'num_unconfirmed_txs');
  const parsed = count(port, 'request.start');
  const all = await Promise.all(Array.from({ length: 30 }, () => open(port)));
  const closed = all.map((socket) => once(socket.resume(), 'close'));
  const bytes = Buffer.from(get(slow) + get('/collection.json').repeat(1_500));
  for (const socket of all) socket.write(bytes);
  await expect.poll(parsed, longPoll).toBeGreaterThan(30 * 3);
  for (let time = 0; time < 10; time += 1) expect(await readyz(url)).toBe(200);
  expect(parsed()).toBeLessThan(30 * 20);
  expect(all.map((socket) => socket.destroyed)).not.toContain(true);
  release();
  for (const socket of all) socket.destroy();
  await Promise.all(closed);
});

it('many requests on one connection do not delay a request on another', async () => {
  const { port, url } = await start();
  await readyz(url);
  const socket = await open(port);
  const other = await open(port);
  const finished = count(port, 'response.finish');
  socket.resume().write(get('/nowhere').repeat(1_500));
  other.write(get('/livez'));
  await once(other, 'data');
  expect(finished()).toBeLessThan(700);
});

it('http.pipelined counts unparsed bytes as well', async () => {
  const { target: running, port } = await start({ server: { limits: { 'http.pipelined': 100_000 } } });
  const release = hold(running, 'num_unconfirmed_txs');
  const bytes =
    get(slow) + get('/livez', `x-long: ${'x'.repeat(4_000)}`) + get('/livez', `x-long: ${'x'.repeat(10_000)}`).repeat(5);
  const first = await open(port);
  let text = '';
  first.on('data', (chunk) => {
    text += String(chunk);
  });
  first.write(bytes);
  await expect.poll(() => running.chain.node.counters.byMethod.num_unconfirmed_txs ?? 0, longPoll).toBe(1);
  const second = await open(port);
  const closed = once(second, 'close');
  second.resume().write(bytes);
  await closed;
  release();
  await expect.poll(() => statuses(text), longPoll).toEqual(Array.from({ length: 7 }, () => 200));
  // The memory is released.
  const third = await open(port);
  text = '';
  third.on('data', (chunk) => {
    text += String(chunk);
  });
  third.write(bytes);
  await expect.poll(() => statuses(text), longPoll).toEqual(Array.from({ length: 7 }, () => 200));
});

it('http.pipelined: a closed connection releases its memory', async () => {
  const { target: running, port } = await start({ server: { limits: { 'http.pipelined': 100_000 } } });
  const release = hold(running, 'num_unconfirmed_txs');
  const parsed = count(port, 'request.start');
  const long = get('/livez', `x-long: ${'x'.repeat(10_000)}`).repeat(5);
  for (let time = 0; time < 3; time += 1) {
    const before = parsed();
    const socket = await open(port);
    socket.write(get(slow) + get('/livez').repeat(3) + long);
    await expect.poll(parsed, longPoll).toBeGreaterThan(before + 3);
    socket.destroy();
  }
  // A waiting connection is not read, so the server sees its end when it sends a response.
  release();
  async function answers(): Promise<number> {
    const socket = await open(port);
    socket.write(get('/livez') + long + get('/livez', 'connection: close'));
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return statuses(text).length;
  }
  await expect.poll(() => answers().catch(() => 0), longPoll).toBe(7);
});

it('a body is passed on unchanged, whatever it contains at the ends of pieces', async () => {
  const { target: running } = await start();
  const blank = '\r\n\r\n'.repeat(20_000);
  const query = `{ limits { name } } #${'x'.repeat(5_000)}`;
  const body = `${blank}{"query":${JSON.stringify(query)},${blank}"variables":{}}`;
  const posted = await running.raw(
    `POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  expect(posted.status).toBe(200);
  expect(posted.body).toContain('http.pipelined');
});

it('a WebSocket gets all bytes after its upgrade in order', async () => {
  const { port } = await start();
  const socket = await open(port);
  /** Returns a text frame of a client with a mask of zero. */
  const frame = (text: string): Buffer => {
    const head = Buffer.from([0x81, 0xfe, 0, 0, 0, 0, 0, 0]);
    head.writeUInt16BE(text.length, 2);
    return Buffer.concat([head, Buffer.from(text)]);
  };
  const upgrade = get(
    '/comet/websocket',
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  );
  const blank = '\r\n\r\n'.repeat(1_000);
  const call = (id: string): Buffer => frame(`{"jsonrpc":"2.0","id":"${id}",${blank}"method":"health","params":{}}`);
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  socket.write(Buffer.concat([Buffer.from(upgrade), call('a'), call('b'), call('c')]));
  await expect.poll(() => [...text.matchAll(/"id":"(.)"/g)].map(([, id]) => id), longPoll).toEqual(['a', 'b', 'c']);
  expect(text).toMatch(/^HTTP\/1\.1 101 /);
});

it('requests that waited on the connection of a trusted proxy count towards their clients', async () => {
  const { port } = await start({ server: { trustedProxies: ['127.0.0.1'], limits: { 'rate.public': 1 } } });
  const socket = await open(port);
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  const clients = ['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.3'];
  socket.write(clients.map((client) => get('/docs/start.js', `x-forwarded-for: ${client}`)).join(''));
  await expect.poll(() => statuses(text), longPoll).toEqual([200, 200, 429, 200]);
});

it('a drain finishes the current request, and does not wait for later ones on its connection', async () => {
  const { target: running, port } = await start();
  const release = hold(running, 'num_unconfirmed_txs');
  const socket = await open(port);
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  const closed = once(socket, 'close');
  socket.write(get(slow) + get('/livez').repeat(1_500));
  await expect.poll(() => running.chain.node.counters.byMethod.num_unconfirmed_txs ?? 0, longPoll).toBe(1);
  const begun = performance.now();
  const drained = running.stack.server.drain({ delay: 0, limit: 30_000 });
  release();
  await drained;
  await closed;
  expect(performance.now() - begun).toBeLessThan(1_500);
  expect(statuses(text)).toEqual([200]);
  expect(text.toLowerCase()).toContain('connection: close');
});

it('the begin of a body stays as it is while other connections are read', async () => {
  const { port } = await start();
  const [socket, other] = [await open(port), await open(port)];
  let [text, otherText] = ['', ''];
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  other.on('data', (chunk) => {
    otherText += String(chunk);
  });
  const body = JSON.stringify({ query: '{ __typename }', operationName: null, variables: { filler: 'x'.repeat(2_000) } });
  const head = [
    'POST /graphql HTTP/1.1',
    'host: localhost',
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 1_000)}`);
  other.write(get('/livez', `x-filler: ${'y'.repeat(3_000)}`));
  await expect.poll(() => statuses(otherText)).toEqual([200]);
  socket.write(body.slice(1_000));
  await expect.poll(() => text).toContain('"__typename":"Query"');
});
