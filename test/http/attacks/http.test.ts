import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { RequestLine } from '../../../src/server/observability/requestLog.ts';
import { runsAll } from '../../support/atRandom.ts';
import { overEvents } from '../../support/listeners.ts';
import { startStack } from '../../support/stack.ts';
import { answerOn, longPoll, open, startTarget, type Target } from './setup.ts';

let target: Target;
let url: string;

beforeAll(async () => {
  target = await startTarget({
    server: {
      allowedOrigins: ['https://app.example'],
      admin: { host: '127.0.0.1', port: 0 },
      limits: { 'http.headersTime': 300, 'http.requestTime': 600, 'rate.concurrent': 1_000 },
    },
  });
  url = `${target.stack.server.url}/graphql`;
});

afterEach(() => target.isWell());

afterAll(() => target.close());

const query = '{ head { height } }';
const json = { 'content-type': 'application/json' };
const request = (headers: readonly string[], body = '', line = 'POST /graphql HTTP/1.1'): string =>
  [line, 'host: localhost', ...headers, '', body].join('\r\n');

describe('bodies', () => {
  it('T6: a body of 50 MB is refused before it is sent, and one without a length as soon as it is too long', async () => {
    const before = process.memoryUsage().rss;
    const lying = await target.raw(request(['content-type: application/json', `content-length: ${50_000_000}`]));
    expect(lying.status).toBe(413);
    expect(JSON.parse(lying.body)).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT', limit: 'http.body', max: 1_500_000 } }],
    });

    const socket = await open(url);
    const answer = answerOn(socket);
    socket.write(request(['content-type: application/json', 'transfer-encoding: chunked']));
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    for (let sent = 0; sent < 50_000_000 && !socket.destroyed; sent += 0x10000)
      if (!socket.write(chunk))
        await Promise.race([once(socket, 'drain'), once(socket, 'close'), answer]).catch(() => undefined);
    expect((await answer).status).toBe(413);
    socket.destroy();
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  });

  it('T6, T49: contradicting lengths, and a length with a transfer encoding', async () => {
    for (const headers of [
      ['content-length: 1,2'],
      ['content-length: 5', 'content-length: 6'],
      ['content-length: 5', 'transfer-encoding: chunked'],
      ['content-length: -1'],
      ['transfer-encoding: chunked, identity'],
    ]) {
      const answer = await target.raw(
        request(['content-type: application/json', ...headers], '0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n'),
      );
      expect({ headers, status: answer.status }).toEqual({ headers, status: 400 });
      expect(answer.headers.get('connection')).toBe('close');
    }
  });
});

describe('first lines', () => {
  it('a path over 8 KiB is 414 and headers over 16 KiB are 431, from the parser and from the router', async () => {
    for (const [size, status] of [
      [8_100, 404],
      [8_200, 414],
      [30_000, 414],
      [100_000, 414],
    ] as const)
      expect((await target.raw(request([], '', `GET /${'x'.repeat(size)} HTTP/1.1`))).status).toBe(status);
    for (const size of [17_000, 30_000, 100_000]) {
      const answer = await target.raw(request([`x-large: ${'x'.repeat(size)}`], '', 'GET /nope HTTP/1.1'));
      expect(answer.status).toBe(431);
      expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ extensions: { limit: 'http.headers', max: 16_384 } }] });
    }
  });

  it('T49: slow headers, a missing body and an idle connection: 408, and the connection is closed', async () => {
    const slow = await open(url);
    const answered = answerOn(slow);
    slow.write('POST /graphql HTTP/1.1\r\nx-slow: ');
    const bytes = setInterval(() => slow.write('x'), 50);
    const missing = target.raw(request(['content-type: application/json', 'content-length: 100'], '{'));
    const idle = await Promise.all(Array.from({ length: 200 }, () => open(url)));
    await target.isWell();
    expect((await answered).status).toBe(408);
    clearInterval(bytes);
    slow.destroy();
    expect((await missing).status).toBe(408);
    await Promise.all(idle.map(async (socket) => expect((await answerOn(socket)).status).toBe(408)));
  });

  it.runIf(runsAll)('T49: the same timeouts apply on the port for operators', async () => {
    const { adminUrl = '' } = target.stack.server;
    const requests = [
      'GET /metrics HTTP/1.1\r\nx-slow: ',
      'POST /metrics HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n',
      '',
    ];
    await Promise.all(
      requests.map(async (bytes) => {
        const socket = await open(adminUrl);
        const closed = once(socket, 'close');
        socket.on('error', () => undefined).resume();
        socket.write(bytes);
        await closed;
      }),
    );
    expect((await fetch(`${adminUrl}/metrics`)).status).toBe(200);
  });

  it('bytes that are not HTTP are 400', async () => {
    for (const bytes of [
      '\0\0\0\0',
      'GET\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ])
      expect((await target.raw(bytes)).status).toBe(400);
  });

  it('T49: a request without a host, or with two, is 400', async () => {
    for (const host of ['', 'host: localhost\r\nHOST: elsewhere\r\n']) {
      for (const line of ['GET /graphql', 'GET /block', 'GET /v1/balances/x', 'GET /docs', 'GET /comet/websocket']) {
        const upgrade = line.endsWith('websocket') ? 'connection: upgrade\r\nupgrade: websocket\r\n' : '';
        const answer = await target.raw(`${line} HTTP/1.1\r\n${host}${upgrade}\r\n`);
        expect({ host, line, status: answer.status, body: answer.body }).toMatchObject({
          status: 400,
          body: expect.stringContaining('Malformed HTTP request'),
        });
      }
    }
    expect((await target.raw('GET /health HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  it('ignores expectations other than `100-continue`', async () => {
    const answer = await target.raw(request(['expect: the-unexpected'], '', 'GET /health HTTP/1.1'));
    expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('"result":{}')]);
  });

  it('T52: a request id that could split the response or the log is replaced, and an operation name of 10 kB is cut', async () => {
    for (const id of ['a b', 'x'.repeat(65), 'a\tb', 'é']) {
      const answer = await target.raw(
        request([`x-request-id: ${id}`, 'connection: close'], '', `GET /graphql?query=${encodeURIComponent(query)} HTTP/1.1`),
      );
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{1,64}$/);
      expect(answer.headers.get('x-request-id')).not.toBe(id);
    }
    const split = await target.raw(request(['x-request-id: a\r x-evil: 1'], '', 'GET /graphql HTTP/1.1'));
    expect(split.status).toBe(400);
    const body = JSON.stringify({ query: `query ${'N'.repeat(10_000)} ${query}`, operationName: 'N'.repeat(10_000) });
    expect((await fetch(url, { method: 'POST', headers: json, body })).status).toBe(200);
  });
});

describe('unread responses', () => {
  it('are dropped after the idle timeout, which does not apply to streams', async () => {
    const lines: RequestLine[] = [];
    const stack = await startStack([target.chain.node.url], {
      server: {
        limits: { 'http.keepAlive': 300, 'request.freshness': 50, 'request.deadline': 100 },
        log: { request: (line) => void lines.push(line), dropped: () => 0 },
      },
    });
    const stream = await overEvents(stack.server.url, 'subscription { newBlock { height } }');
    const socket = await open(stack.server.url);
    socket.pause().on('error', () => undefined);
    // More than the buffers of the system.
    socket.write('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(20));
    await expect.poll(() => lines.some(({ surface, code }) => surface === 'docs' && code === 'CANCELLED'), longPoll).toBe(true);
    await target.chain.devnet.commit();
    await stream.count(1);
    await stream.leave();
    socket.destroy();
    await stack.close();
  });
});

describe('an upgrade to another protocol', () => {
  const asking = ['connection: Upgrade, HTTP2-Settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAAP__'];
  const body = JSON.stringify({ query });
  const posted = request([...asking, 'content-type: application/json', `content-length: ${body.length}`], body);

  it.runIf(runsAll)('is ignored, and the request gets its response', async () => {
    const served = expect.stringContaining('"head":{"height"');
    expect(await target.raw(posted)).toMatchObject({ status: 200, body: served });
    for (const path of ['/health', '/comet/health', '/livez', '/openapi/node.json', '/schema.graphql'])
      expect((await target.raw(request(asking, '', `GET ${path} HTTP/1.1`))).status).toBe(200);
    // One byte at a time.
    const socket = await open(url);
    const answer = answerOn(socket);
    for (const byte of posted) if (!socket.write(byte)) await once(socket, 'drain');
    expect(await answer).toMatchObject({ status: 200, body: served });
    socket.destroy();
  });

  it('with WebSocket as one choice is ignored as well', async () => {
    const either = ['connection: Upgrade', 'upgrade: h2c, websocket', 'content-type: application/json'];
    expect((await target.raw(request([...either, `content-length: ${body.length}`], body))).status).toBe(200);
  });

  it.each([
    ['/graphql', { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] }],
    ['/comet/websocket', { error: { code: -32600, message: 'Invalid Request' } }],
    ['/websocket', { error: expect.stringContaining('Sec-WebSocket-Version') }],
  ])('to WebSocket needs a valid handshake: %s returns the error', async (path, message) => {
    const upgrade = ['connection: Upgrade', 'upgrade: websocket', 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='];
    const head = request([...upgrade, 'sec-websocket-version: 12'], '', `GET ${path} HTTP/1.1`);
    const answer = await target.raw(head);
    expect([answer.status, answer.headers.get('sec-websocket-version'), answer.headers.get('connection')]).toEqual([
      400,
      '13',
      'close',
    ]);
    expect(JSON.parse(answer.body)).toMatchObject(message);
  });

  it('may be requested repeatedly on one connection', async () => {
    const socket = await open(url);
    for (let asked = 0; asked < 50; asked += 1) {
      socket.write(posted);
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      expect(String(chunk)).toMatch(/^HTTP\/1\.1 200 /);
    }
    socket.destroy();
  });

  it('must wait for the responses to earlier requests', async () => {
    const socket = await open(url);
    const closed = once(socket, 'close');
    socket.on('error', () => undefined).resume();
    socket.write(`${request(['content-length: 5'], 'abcde')}${posted}${posted}`);
    await closed;
  });

  it('has the same limits', async () => {
    const socket = await open(url);
    const answer = answerOn(socket);
    socket.write(request([...asking, 'content-type: application/json', 'content-length: 100'], '{'));
    expect((await answer).status).toBe(408);
    socket.destroy();
    const large = await target.raw(request([...asking, 'content-type: application/json', 'content-length: 50000000']));
    expect(large.status).toBe(413);
  });
});

describe('browsers', () => {
  const get = `${'?query='}${encodeURIComponent(query)}`;

  it('T10: a mutation by GET is 405; forms, multipart and text are 415; a page of another site is 403', async () => {
    const mutation = await fetch(`${url}?query=${encodeURIComponent('mutation { broadcastTxSync(tx: "0x00") { hash } }')}`);
    expect(mutation.status).toBe(405);
    const check = await fetch(`${url}?query=${encodeURIComponent('{ checkTx(tx: "0x00") { code } }')}`);
    expect(check.status).toBe(405);
    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      'application/graphql',
      '',
    ])
      expect((await target.raw(request([`content-type: ${type}`, 'content-length: 2'], '{}'))).status).toBe(415);
    expect((await target.raw(request(['content-length: 2'], '{}'))).status).toBe(415);

    const forged: readonly Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ];
    for (const headers of forged) {
      const answer = await fetch(`${url}${get}`, { headers });
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
      const form = { ...headers, 'content-type': 'text/plain' };
      expect((await fetch(url, { method: 'POST', headers: form, body: JSON.stringify({ query }) })).status).toBe(403);
    }
    // Requests after a preflight, and requests from the server's own page, are accepted.
    for (const headers of [
      { ...forged[0], authorization: 'Bearer x' },
      { origin: new URL(url).origin },
      { 'sec-fetch-site': 'same-origin' },
    ])
      expect((await fetch(`${url}${get}`, { headers })).status).toBe(200);
  });

  it('T11: only a listed origin gets CORS headers, and passes a preflight', async () => {
    const preflight = (origin: string): Promise<Response> =>
      fetch(url, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      });
    const listed = await preflight('https://app.example');
    expect(listed.status).toBe(204);
    expect(listed.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(listed.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
    expect(listed.headers.get('access-control-allow-credentials')).toBeNull();
    const body = JSON.stringify({ query });
    const read = await fetch(url, { method: 'POST', headers: { ...json, origin: 'https://app.example' }, body });
    expect(read.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(read.headers.get('vary')).toContain('Origin');
    for (const origin of ['null', 'https://evil.example', 'https://app.example.evil.example', 'http://app.example']) {
      for (const answer of [await preflight(origin), await fetch(url, { method: 'POST', headers: { ...json, origin }, body })])
        expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('T11: a WebSocket from a foreign page is refused at the upgrade', async () => {
    const status = async (origin: string | undefined): Promise<number | 'open'> => {
      const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', origin === undefined ? {} : { origin });
      socket.on('error', () => undefined);
      const [how] = await Promise.race([
        once(socket, 'open').then(() => ['open'] as const),
        once(socket, 'unexpected-response').then(([, response]) => [(response as { statusCode: number }).statusCode] as const),
      ]);
      socket.terminate();
      return how;
    };
    for (const origin of ['null', 'https://evil.example']) expect(await status(origin)).toBe(403);
    for (const origin of [undefined, 'https://app.example', new URL(url).origin]) expect(await status(origin)).toBe('open');
  });
});
