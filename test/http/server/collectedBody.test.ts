import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CollectedRequest, readBody } from '../../../src/server/messages/body.ts';
import { listen } from '../../../src/server/messages/listen.ts';

let server: Server;
let client: Socket;
/** The requests and what their body was, or why there is none. */
let seen: { readonly request: IncomingMessage; readonly body: Promise<string> }[];
let received: string;

beforeEach(async () => {
  seen = [];
  received = '';
  server = createServer({ IncomingMessage: CollectedRequest, keepAliveTimeout: 60_000 }, (request, response) => {
    const body = readBody(request, 100_000).then(String);
    seen.push({ request, body });
    body.then(
      (text) => response.end(`<${text.length}>`),
      () => undefined,
    );
  });
  const url = await listen(server, { host: '127.0.0.1', port: 0, audience: 'public' });
  client = connect(Number(new URL(url).port), '127.0.0.1');
  client.setNoDelay(true).on('data', (chunk) => {
    received += String(chunk);
  });
  await once(client, 'connect');
});

afterEach(async () => {
  client.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const head = (headers: string): string => `POST / HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`;
const answered = async (count: number): Promise<void> =>
  expect
    .poll(() => received.match(/<\d+>|\r\n\d\r\n/g)?.length ?? 0, { timeout: 5_000, interval: 5 })
    .toBeGreaterThanOrEqual(count);

it('bodies in one piece, in several, empty and in chunks of HTTP are read whole, on one connection', async () => {
  client.write(`${head('Content-Length: 5')}hello`);
  await answered(1);
  client.write(`${head('Content-Length: 6')}ab`);
  await expect.poll(() => seen.length, { interval: 5 }).toBe(2);
  client.write('cd');
  client.write('ef');
  await answered(2);
  client.write(head('Content-Length: 0'));
  await answered(3);
  client.write(`${head('Transfer-Encoding: chunked')}3\r\nxyz\r\n0\r\n\r\n`);
  await answered(4);
  client.write(`${head('Content-Length: 90000')}${'x'.repeat(90_000)}`);
  await answered(5);
  expect(await Promise.all(seen.map(({ body }) => body))).toEqual(['hello', 'abcdef', '', 'xyz', 'x'.repeat(90_000)]);
  // Node lets go of a request that has ended.
  expect(seen.map(({ request }) => request.readableEnded)).toEqual([true, true, true, true, true]);
  expect(seen.map(({ request }) => request instanceof CollectedRequest && request.isCollected)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

it('a body of a connection that breaks rejects, and the request is aborted', async () => {
  client.write(`${head('Content-Length: 6')}ab`);
  await expect.poll(() => seen.length, { interval: 5 }).toBe(1);
  client.destroy();
  await expect(seen[0]!.body).rejects.toThrow('the connection broke');
  expect(seen[0]!.request.complete).toBe(false);
  expect(seen[0]!.request.destroyed).toBe(true);
});
