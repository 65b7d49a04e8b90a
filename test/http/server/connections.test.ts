import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createAuth } from '../../../src/start/authSetup.ts';
import { runsAll } from '../../support/atRandom.ts';
import { post } from '../../support/wire.ts';
import { answerOn, longPoll, startTarget, type Target } from '../attacks/setup.ts';

type Options = NonNullable<Parameters<typeof startTarget>[0]>;

let target: Target | undefined;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await target?.close();
  target = undefined;
});

/** Starts a server that requires tokens. */
async function start(
  options: Options = {},
): Promise<{ readonly target: Target; readonly url: string; readonly token: string }> {
  const config = { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 600 } as const;
  const { auth, issuer, devnetToken } = await createAuth(config, {
    address: () => 'http://localhost:4000',
    report: (error) => expect.fail(String(error)),
  });
  target = await startTarget({ ...options, server: { auth, issuer, ...options.server } });
  return { target, url: target.stack.server.url, token: (await devnetToken?.()) ?? '' };
}

/**
 * Opens a connection that is closed after the test, optionally from another loopback address. With `allowHalfOpen`, it stays
 * open on this side.
 */
async function openFrom(url: string, localAddress = '127.0.0.1', allowHalfOpen = false): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress, allowHalfOpen });
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

const upgrade = (path: string, ...headers: readonly string[]): string =>
  [
    `GET ${path} HTTP/1.1`,
    'host: localhost',
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
    '',
    '',
  ].join('\r\n');

const get = (path: string, ...headers: readonly string[]): string =>
  [`GET ${path} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n');

/** Reads the status of the next response on a connection, which stays open. */
async function statusOn(socket: Socket): Promise<number> {
  const [first] = (await once(socket, 'data')) as [Buffer];
  return Number(String(first).split(' ', 2)[1]);
}

const isServed = (url: string): Promise<boolean> =>
  fetch(`${url}/livez`, { headers: { connection: 'close' } }).then(
    ({ status }) => status === 200,
    () => false,
  );

describe('a refused upgrade with bytes after its headers', () => {
  const refusals: Readonly<Record<string, readonly [status: number, request: string]>> = {
    'without a host': [400, upgrade('/graphql').replace('host: localhost\r\n', '')],
    'with a long path': [414, upgrade(`/graphql?${'x'.repeat(9_000)}`)],
    'of another origin': [403, upgrade('/graphql', 'origin: https://evil.example')],
    'without a token': [401, upgrade('/websocket')],
    'with a token that does not verify': [401, upgrade('/graphql', 'authorization: Bearer x')],
    'at an unknown path': [401, upgrade('/nowhere')],
    'with an incomplete handshake': [400, upgrade('/graphql').replace('sec-websocket-version: 13', 'sec-websocket-version: 1')],
  };

  /** Whether the server serves the maximum number of connections at once. */
  async function areAllFree(url: string): Promise<boolean> {
    const all = await Promise.all(Array.from({ length: 14 }, () => openFrom(url)));
    const served = all.map((socket) => {
      const answered = Promise.race([statusOn(socket), once(socket, 'close').then(() => 0)]).catch(() => 0);
      socket.write(get('/livez'));
      return answered;
    });
    const statuses = await Promise.all(served);
    await Promise.all(all.map((socket) => (socket.destroyed ? undefined : once(socket.destroy(), 'close'))));
    return statuses.every((status) => status === 200);
  }

  it.runIf(runsAll)('releases its connection, whether or not the client closes it', async () => {
    const { url } = await start({ server: { limits: { 'http.connections': 14 } } });
    await Promise.all(
      Object.entries(refusals).flatMap(([how, [status, request]]) =>
        [true, false].map(async (ends) => {
          const socket = await openFrom(url, undefined, true);
          const answered = statusOn(socket);
          socket.write(`${request}${'x'.repeat(1_000)}`);
          expect([how, await answered]).toEqual([how, status]);
          if (ends) socket.end();
        }),
      ),
    );
    await expect.poll(() => areAllFree(url), longPoll).toBe(true);
  });

  it.runIf(runsAll)('is read for a bounded number of bytes', async () => {
    const { url } = await start();
    const socket = await openFrom(url, undefined, true);
    let isClosed = false;
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => {
        isClosed = true;
        resolve();
      });
    });
    socket.resume().write(upgrade('/websocket'));
    let written = 0;
    while (!isClosed && written < 200_000_000) {
      written += 100_000;
      if (!socket.write(Buffer.alloc(100_000)))
        await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
    }
    // The bytes that the server reads, and those in buffers on the way.
    expect(written).toBeLessThan(50_000_000);
  });

  it.runIf(runsAll)('does not delay a drain', async () => {
    const { url, target: running } = await start();
    const socket = await openFrom(url, undefined, true);
    const answered = statusOn(socket);
    socket.write(`${upgrade('/websocket')}bytes`);
    expect(await answered).toBe(401);
    const begun = performance.now();
    await running.stack.server.drain({ delay: 0, limit: 30_000 });
    // Before the timeout of a refused connection that the client keeps open.
    expect(performance.now() - begun).toBeLessThan(1_500);
  });
});

describe('requests in one write', () => {
  /** Delays calls of a method at the node until the returned function is called. */
  function hold({ chain }: Target, method: string): () => void {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    chain.node.onCall = (call) => (call.method === method ? held : undefined);
    return release;
  }

  const calls = ({ chain }: Target, method: string): number => chain.node.counters.byMethod[method] ?? 0;

  it.runIf(runsAll)('all get responses in their order', async () => {
    const { url } = await start();
    const socket = await openFrom(url);
    const count = 1_500;
    socket.write(Array.from({ length: count }, (_, index) => get('/livez', `x-request-id: ${index}`)).join(''));
    socket.write(get('/nowhere', 'connection: close'));
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text.match(/^HTTP\/1\.1 (\d+)/gm)?.map((line) => line.slice(-3))).toEqual([
      ...Array.from({ length: count }, () => '200'),
      '401',
    ]);
  });

  it('with invalid bytes after them get responses, and the connection is closed', async () => {
    const { url } = await start();
    const socket = await openFrom(url);
    socket.write(`${get('/livez')}{ "garbage": true }\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text.match(/^HTTP\/1\.1 (\d+)/gm)).toEqual(['HTTP/1.1 200']);
    const slow = await openFrom(url);
    slow.write(`DELETE /graphql HTTP/1.1\r\nhost: localhost\r\n\r\n{ "garbage": true }\r\n\r\n`);
    text = '';
    for await (const chunk of slow) text += String(chunk);
    expect(text.match(/^HTTP\/1\.1 (\d+)/gm)).toEqual(['HTTP/1.1 401']);
  });

  it('run one after another', async () => {
    const { url, target: running, token } = await start();
    const bearer = `authorization: Bearer ${token}`;
    const release = hold(running, 'num_unconfirmed_txs');
    const socket = await openFrom(url);
    socket.write(get('/comet/num_unconfirmed_txs', bearer) + get('/comet/unconfirmed_txs', bearer));
    await expect.poll(() => calls(running, 'num_unconfirmed_txs'), longPoll).toBe(1);
    // The same request on another connection, sent later.
    expect((await fetch(`${url}/comet/unconfirmed_txs`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
    expect(calls(running, 'unconfirmed_txs')).toBe(1);
    release();
    await expect.poll(() => calls(running, 'unconfirmed_txs'), longPoll).toBe(2);
  });

  it('release their slots of rate.concurrent when the client disconnects', async () => {
    const {
      url,
      target: running,
      token,
    } = await start({ server: { limits: { 'rate.concurrent': 2, 'request.deadline': 500 } } });
    const release = hold(running, 'num_unconfirmed_txs');
    for (const times of [1, 2]) {
      const socket = await openFrom(url);
      socket.write(get('/comet/num_unconfirmed_txs', `authorization: Bearer ${token}`).repeat(2));
      await expect.poll(() => calls(running, 'num_unconfirmed_txs'), longPoll).toBe(times);
      socket.destroy();
      const status = async (): Promise<number> =>
        (await post(url, '{ head { height } }', { authorization: `Bearer ${token}` })).status;
      await expect.poll(status, longPoll).toBe(200);
    }
    release();
  });

  it.runIf(runsAll)('whose responses are not read use neither memory nor time', async () => {
    const { url } = await start();
    expect((await fetch(`${url}/collection.json`)).status).toBe(200);
    const before = { cpu: process.cpuUsage(), memory: process.memoryUsage() };
    const unread = await Promise.all(Array.from({ length: 8 }, () => openFrom(url)));
    for (const socket of unread) socket.pause().write(get('/collection.json').repeat(1_500));
    for (let time = 0; time < 5; time += 1) expect((await fetch(`${url}/collection.json`)).status).toBe(200);
    const { user, system } = process.cpuUsage(before.cpu);
    const { heapUsed, external } = process.memoryUsage();
    expect((user + system) / 1e6).toBeLessThan(5);
    expect(heapUsed + external - before.memory.heapUsed - before.memory.external).toBeLessThan(150_000_000);
  });

  it.runIf(runsAll)('are not read while the response to an earlier one is unsent', async () => {
    const { url, target: running, token } = await start();
    const release = hold(running, 'num_unconfirmed_txs');
    const socket = await openFrom(url);
    socket.resume().write(get('/comet/num_unconfirmed_txs', `authorization: Bearer ${token}`));
    socket.write(get('/livez').repeat(500_000));
    for (let time = 0; time < 100; time += 1) expect(await isServed(url)).toBe(true);
    expect(socket.writableLength).toBeGreaterThan(0);
    release();
  });

  it('http.pipelined: waiting requests use no more memory, or their connection is closed', async () => {
    const { url } = await start({ server: { limits: { 'http.pipelined': 100_000 } } });
    const socket = await openFrom(url);
    const closed = once(socket, 'close');
    socket.resume().write(get('/livez').repeat(1_000));
    await closed;
    const few = await openFrom(url);
    few.write(get('/livez').repeat(10) + get('/livez', 'connection: close'));
    let text = '';
    for await (const chunk of few) text += String(chunk);
    expect(text.match(/^HTTP\/1\.1 200 /gm)).toHaveLength(11);
  });

  it('cannot become a WebSocket while an earlier one has no response', async () => {
    const { url, target: running, token } = await start();
    const release = hold(running, 'num_unconfirmed_txs');
    const socket = await openFrom(url);
    const closed = once(socket, 'close');
    const bearer = `authorization: Bearer ${token}`;
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.write(get('/comet/num_unconfirmed_txs', bearer) + upgrade('/graphql', bearer));
    await closed;
    release();
    expect(text).toBe('');
  });
});

describe('http.connectionsPerAddress', () => {
  it('a connection above the limit is closed, and another address is not affected', async () => {
    const { url } = await start({ server: { limits: { 'http.connectionsPerAddress': 3 } } });
    const three = await Promise.all([1, 2, 3].map(() => openFrom(url)));
    expect(await isServed(url)).toBe(false);
    const other = await openFrom(url, '127.0.0.2');
    other.write(get('/livez'));
    expect((await answerOn(other)).status).toBe(200);
    three[0]!.destroy();
    await expect.poll(() => isServed(url), longPoll).toBe(true);
  });

  it('the connections of an address include WebSockets', async () => {
    const { url } = await start({ server: { limits: { 'http.connectionsPerAddress': 2, 'socket.init': 60_000 } } });
    const two = [1, 2].map(() => new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws'));
    await Promise.all(two.map((socket) => once(socket, 'open')));
    expect(await isServed(url)).toBe(false);
    for (const socket of two) socket.terminate();
    await expect.poll(() => isServed(url), longPoll).toBe(true);
  });
});

describe('behind a trusted proxy', () => {
  const through = (client: string): string => `x-forwarded-for: 6.6.6.6, ${client}`;
  const trustedProxies = ['127.0.0.1'];

  async function answer(url: string, request: string, from?: string): Promise<number> {
    const socket = await openFrom(url, from);
    const answered = answerOn(socket);
    socket.write(request);
    const { status } = await answered;
    socket.destroy();
    return status;
  }

  it('failed authentications and requests without a token count towards the client', async () => {
    const { url } = await start({ server: { trustedProxies, limits: { 'rate.failedAuthentications': 1, 'rate.public': 1 } } });
    for (const [request, good, tooMany] of [
      [(client: string) => get('/health', 'authorization: Bearer x', through(client)), 401, 429],
      [(client: string) => get('/docs/start.js', through(client)), 200, 429],
    ] as const) {
      expect(await answer(url, request('192.0.2.1'))).toBe(good);
      expect(await answer(url, request('192.0.2.1'))).toBe(tooMany);
      expect(await answer(url, request('192.0.2.2'))).toBe(good);
      // A peer that is not trusted cannot name another client.
      expect(await answer(url, request('192.0.2.3'), '127.0.0.2')).toBe(good);
      expect(await answer(url, request('192.0.2.4'), '127.0.0.2')).toBe(tooMany);
    }
  });

  it('running requests and WebSockets count as connections of their client', async () => {
    const { url, token } = await start({
      server: { trustedProxies, limits: { 'http.connectionsPerAddress': 2, 'socket.init': 60_000 } },
    });
    const ws = (client: string): WebSocket =>
      new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
        headers: { 'x-forwarded-for': client },
      });
    const two = [ws('2001:db8::1'), ws('2001:db8::ffff:0:0:1')];
    await Promise.all(two.map((socket) => once(socket, 'open')));
    const third = ws('2001:db8:0:0:5::');
    const [, refused] = await once(
      third.on('error', () => undefined),
      'unexpected-response',
    );
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
    const request = (client: string): string => get('/health', `authorization: Bearer ${token}`, `x-forwarded-for: ${client}`);
    expect(await answer(url, request('2001:db8::2'))).toBe(429);
    expect(await answer(url, request('2001:db8:0:1::2'))).toBe(200);
    // The connections of the proxy itself are not counted.
    await Promise.all([1, 2, 3, 4].map(() => openFrom(url)));
    expect(await isServed(url)).toBe(true);
    for (const socket of two) socket.terminate();
    await expect.poll(() => answer(url, request('2001:db8::2')), longPoll).toBe(200);
  });
});

/** A text message of a client in one frame (RFC 6455, 5.2), with the mask 0, of at most 125 bytes. */
const frame = (text: string): Buffer => Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);

it('a message that comes with the upgrade is read, whatever other connections receive meanwhile', async () => {
  const { url, token } = await start();
  const first = Buffer.concat([
    Buffer.from(upgrade('/websocket', `authorization: Bearer ${token}`)),
    frame('{"jsonrpc":"2.0","id":1,"method":"health"}'),
  ]);
  const clients = await Promise.all(Array.from({ length: 20 }, () => openFrom(url)));
  const others = await Promise.all(Array.from({ length: 20 }, () => openFrom(url)));
  const received = clients.map((client) => {
    let text = '';
    client.on('data', (chunk) => {
      text += String(chunk);
    });
    return () => text;
  });
  for (const [index, client] of clients.entries()) {
    client.write(first);
    others[index]?.write(get('/livez', `x-filler: ${'x'.repeat(first.length)}`));
  }
  for (const text of received) await expect.poll(text, longPoll).toContain('"id":1');
});
