import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createIdleTimes } from '../../../src/server/connections.ts';
import { runsAll } from '../../support/atRandom.ts';
import { answerOn, startTarget, type Target } from '../attacks/setup.ts';

let target: Target | undefined;
const servers: Server[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
  await target?.close();
  target = undefined;
});

async function open(port: number): Promise<Socket> {
  const client = connect(port, '127.0.0.1').on('error', () => undefined);
  sockets.push(client);
  await once(client, 'connect');
  return client;
}

/** Starts a server whose connections are idle after 300 ms, and opens a connection to it. */
async function openToServer(): Promise<Socket> {
  target = await startTarget({
    server: { limits: { 'http.keepAlive': 300, 'request.freshness': 50, 'request.deadline': 100 } },
  });
  return open(Number(new URL(target.stack.server.url).port));
}

/** Accepts one connection with a timeout of 300 ms. */
async function accept() {
  const connections = new Map<unknown, { moved: number; since: number }>();
  const idleTimes = createIdleTimes(connections, 50);
  const server = createServer().listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const client = await open((server.address() as AddressInfo).port);
  const [socket]: Socket[] = await accepted;
  if (socket === undefined) throw new Error('no connection');
  sockets.push(socket.on('error', () => undefined));
  connections.set(socket, { moved: -1, since: 0 });
  socket.setTimeout(300);
  idleTimes.start(socket);
  return { socket, client, idleTimes };
}

it.runIf(runsAll)('an idle connection is closed after its time, but not before', async () => {
  const client = await openToServer();
  client.write('GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await once(client, 'data');
  const begun = performance.now();
  await once(client, 'close');
  expect(performance.now() - begun).toBeGreaterThanOrEqual(300);
});

it('a connection stays open while a request arrives slowly', async () => {
  const client = await openToServer();
  const body = JSON.stringify({ query: '{ head { height } }' });
  const head = `POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  client.write(`${head}\r\n`);
  const answered = answerOn(client);
  let sent = 0;
  // More than three times as long as an idle connection is kept.
  const sending = setInterval(() => {
    client.write(body.slice(sent, sent + 1));
    sent += 1;
    if (sent === body.length) clearInterval(sending);
  }, 40);
  expect((await answered).status).toBe(200);
  expect(sent).toBe(body.length);
});

it.runIf(runsAll)('a client that reads slowly is not idle, one that stops reading is', async () => {
  const { socket, client } = await accept();
  let isIdle = false;
  socket.once('timeout', () => {
    isIdle = true;
  });
  // Far more than the buffers of the system.
  socket.write(Buffer.alloc(60_000_000));
  let read = 0;
  client.on('data', (bytes) => {
    read += bytes.length;
    client.pause();
  });
  const begun = performance.now();
  await new Promise<void>((resolve) => {
    // For a second, three times the timeout, it reads a part of the bytes.
    const reading = setInterval(() => {
      if (performance.now() - begun < 1_000) return void client.resume();
      clearInterval(reading);
      resolve();
    }, 5);
  });
  expect([isIdle, read < 60_000_000]).toEqual([false, true]);
  await once(socket, 'timeout');
});

it('without a timeout, a connection is never idle; its time begins when it gets one', async () => {
  const { socket } = await accept();
  socket.setTimeout(0);
  let count = 0;
  socket.on('timeout', () => {
    count += 1;
  });
  const other = await accept();
  await once(other.socket, 'timeout');
  expect(count).toBe(0);
  const begun = performance.now();
  socket.setTimeout(100);
  await once(socket, 'timeout');
  expect(performance.now() - begun).toBeGreaterThanOrEqual(99);
});

it('a callback is called once, unless it is removed', async () => {
  const { socket } = await accept();
  let calls = 0;
  const call = (): void => {
    calls += 1;
  };
  socket.setTimeout(100, call);
  await once(socket, 'timeout');
  expect(calls).toBe(1);
  socket.setTimeout(100, call);
  socket.setTimeout(0, call);
  socket.setTimeout(100);
  await once(socket, 'timeout');
  expect(calls).toBe(1);
});

it('after `stop`, Node keeps the time', async () => {
  const { socket, idleTimes } = await accept();
  const { setTimeout: ours } = socket;
  idleTimes.stop(socket);
  expect([socket.setTimeout === ours, socket.timeout]).toEqual([false, 300]);
  await once(socket, 'timeout');
});
