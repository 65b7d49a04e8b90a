import { once } from 'node:events';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createLog, type Log } from '../../../src/server/observability/log.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { overEvents, overWebSocket } from '../../support/listeners.ts';
import { addressesOf, startProcess } from '../../support/process.ts';
import { type Stack, type StackOptions, startStack } from '../../support/stack.ts';

const running: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

type Line = Readonly<Record<string, unknown>>;

/** A log whose lines are read at once. */
function readLog(level = 'info'): { readonly log: Log; readonly lines: Line[] } {
  const lines: Line[] = [];
  const out = new Writable({
    write(chunk, _, done) {
      const text = String(chunk);
      expect(text).toMatch(/^[^\n]*\n$/);
      lines.push(JSON.parse(text) as Line);
      done();
    },
  });
  return { log: createLog({ level, out }), lines };
}

async function over(chain: TestChain, options: StackOptions = {}): Promise<Stack> {
  running.push(() => chain.devnet.close());
  const stack = await startStack([chain.node.url], options);
  running.push(() => stack.close());
  await stack.client.head.ready();
  return stack;
}

const query = '{ head { height } }';

describe('a log line', () => {
  it('contains the operation and the outcome of each request', async () => {
    const { log, lines } = readLog();
    const stack = await over(await startChain({ bare: true }), { server: { log } });
    await stack.ask('query Newest { head { height } }', {}, { 'x-request-id': 'one' });
    await stack.ask('query Newest { head { height } }', {}, { 'x-request-id': 'again' });
    await stack.ask('query Wrong { nope }', {}, { 'x-request-id': 'two' });
    await stack.ask('query Late { at(height: 99) { head { height } } }', {}, { 'x-request-id': 'three' });
    await fetch(`${stack.server.url}/nothing`, { headers: { 'x-request-id': 'four' } });
    await expect.poll(() => lines.length).toBe(5);
    const common = { level: 'info', msg: 'request', ms: expect.any(Number), time: expect.stringMatching(/^20.*Z$/) };
    expect(lines).toEqual([
      { ...common, requestId: 'one', surface: 'graphql', cost: 1, operation: 'Newest', code: 'OK', status: 200 },
      { ...common, requestId: 'again', surface: 'graphql', cost: 1, operation: 'Newest', code: 'OK', status: 200 },
      {
        ...common,
        requestId: 'two',
        surface: 'graphql',
        cost: 1,
        operation: 'Wrong',
        code: 'GRAPHQL_VALIDATION_FAILED',
        status: 200,
      },
      {
        ...common,
        requestId: 'three',
        surface: 'graphql',
        cost: 2,
        operation: 'Late',
        code: 'HEIGHT_NOT_YET_AVAILABLE',
        status: 200,
      },
      { ...common, requestId: 'four', surface: 'none', code: 'BAD_USER_INPUT', status: 404 },
    ]);
  });

  it('is written for a stream when it ends, over both transports', async () => {
    const { log, lines } = readLog();
    const stack = await over(await startChain({ bare: true }), { server: { log } });
    const { url } = stack.server;
    const stream = 'subscription Blocks { newBlock(after: 0) { height } }';
    const events = await overEvents(url, stream);
    await events.count(1);
    await events.leave();
    await expect.poll(() => lines.length).toBe(1);
    const socket = await overWebSocket(url, stream);
    await socket.count(1);
    await stack.server.close();
    await expect.poll(() => lines.length).toBe(2);
    expect(lines).toMatchObject([
      { surface: 'graphql-sse', operation: 'Blocks', code: 'OK', status: 200 },
      {
        surface: 'graphql-ws',
        operation: 'Blocks',
        code: 'SERVER_SHUTDOWN',
        requestId: expect.stringMatching(/^[\w-]{36}-1$/),
      },
    ]);
  });

  it('is written for each operation on a WebSocket, with the id of the socket', async () => {
    const { log, lines } = readLog();
    const stack = await over(await startChain({ bare: true }), { server: { log } });
    const socket = new WebSocket(`${stack.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      headers: { 'x-request-id': 'mine' },
    });
    const [[upgraded]] = await Promise.all([once(socket, 'upgrade'), once(socket, 'open')]);
    expect(upgraded.headers['x-request-id']).toBe('mine');
    socket.send('{"type":"connection_init"}');
    await once(socket, 'message');
    for (const [id, text] of Object.entries({
      a: `query A ${query}`,
      b: '{ nope }',
      c: '{',
      d: `query D { at(height: 9) ${query} }`,
    })) {
      socket.send(JSON.stringify({ type: 'subscribe', id, payload: { query: text } }));
      await expect.poll(() => lines.length).toBe(['a', 'b', 'c', 'd'].indexOf(id) + 1);
    }
    expect(lines).toMatchObject([
      { surface: 'graphql-ws', requestId: 'mine-1', operation: 'A', code: 'OK' },
      { surface: 'graphql-ws', requestId: 'mine-2', code: 'GRAPHQL_VALIDATION_FAILED' },
      { surface: 'graphql-ws', requestId: 'mine-3', code: 'GRAPHQL_PARSE_FAILED' },
      { surface: 'graphql-ws', requestId: 'mine-4', operation: 'D', code: 'HEIGHT_NOT_YET_AVAILABLE' },
    ]);
    socket.close();
  });

  it('reports a client that disconnected', async () => {
    const { log, lines } = readLog();
    const chain = await startChain({ bare: true });
    const stack = await over(chain, { server: { log } });
    let reached: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const leaving = new AbortController();
    chain.node.onCall = ({ method }) => {
      if (method !== 'num_unconfirmed_txs') return undefined;
      reached();
      return once(leaving.signal, 'abort').then(() => undefined);
    };
    const answer = fetch(`${stack.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'query Slow { numUnconfirmedTransactions { total } }' }),
      signal: leaving.signal,
    });
    await asked;
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => lines).toMatchObject([{ operation: 'Slow', code: 'CANCELLED' }]);
  });

  it('is not written below the configured level', async () => {
    const { log, lines } = readLog('warn');
    const stack = await over(await startChain({ bare: true }), { server: { log } });
    await stack.ask(query);
    log.error(new Error('broken'), 'id');
    expect(lines).toMatchObject([{ level: 'error', requestId: 'id', error: expect.stringContaining('broken') }]);
  });

  it('contains no secret, whatever failed', () => {
    const { log, lines } = readLog();
    const token = `${Buffer.from('{"alg":"ES256"}').toString('base64url')}.e30.c2lnbmF0dXJl`;
    const cause = new Error(`connecting to https://user:hunter2@node.example/rpc, authorization: Bearer ${token}`);
    log.error(new Error(`no answer for ${token}`, { cause }), 'id');
    log.error('Basic dXNlcjpodW50ZXIy', 'id');
    const text = JSON.stringify(lines);
    expect(text).toContain('node.example');
    for (const secret of ['hunter2', token, 'c2lnbmF0dXJl', 'dXNlcjpodW50ZXIy']) expect(text).not.toContain(secret);
  });
});

describe('T52: ids and names from a caller', () => {
  it.each(['a b', 'a"b', 'x'.repeat(65), 'ü', '../etc', ''])('an unsafe id is replaced: %j', async (id) => {
    const { log, lines } = readLog();
    const stack = await over(await startChain({ bare: true }), { server: { log } });
    const port = Number(new URL(stack.server.url).port);
    const socket = connect(port, '127.0.0.1');
    const path = `/graphql?query=${encodeURIComponent(query)}`;
    socket.write(Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n`, 'latin1'));
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    const [, answered] = /\r\nx-request-id: ([^\r]*)\r\n/i.exec(answer) ?? [];
    expect(answered).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    await expect.poll(() => lines).toMatchObject([{ requestId: answered, code: 'OK' }]);
  });

  it.each(['abc_DEF-123', 'x'.repeat(64)])('a valid id is used and returned: %s', async (id) => {
    const stack = await over(await startChain({ bare: true }));
    const response = await fetch(`${stack.server.url}/nothing`, { headers: { 'x-request-id': id } });
    expect(response.headers.get('x-request-id')).toBe(id);
  });

  it('an operation name of 10 kB is cut at 128 characters, and an invalid name is not logged', async () => {
    const { log, lines } = readLog();
    const stack = await over(await startChain({ bare: true }), { server: { log } });
    await stack.ask(`query ${'N'.repeat(10_000)} ${query}`);
    const name = 'a\n{"level":"error"}';
    await fetch(`${stack.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, operationName: name }),
    });
    await expect.poll(() => lines.length).toBe(2);
    expect(lines[0]!.operation).toBe('N'.repeat(128));
    expect(lines[1]).not.toHaveProperty('operation');
  });
});

it('a masked failure is in the log with the id of the response', async () => {
  const { log, lines } = readLog();
  const stack = await over(await startChain({ bare: true }), { server: { log, report: log.error } });
  const broken = (): never => {
    throw new Error('a bug');
  };
  stack.client.at = (height) => ({ height, query: broken, read: broken, store: broken });
  const { body } = await stack.ask('query Buggy { groups { totalCount } }', {}, { 'x-request-id': 'mine' });
  expect(body.errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR', requestId: 'mine' } }]);
  expect(JSON.stringify(body)).not.toContain('a bug');
  await expect
    .poll(() => lines)
    .toMatchObject([
      { level: 'error', requestId: 'mine', error: expect.stringContaining('a bug') },
      { level: 'info', requestId: 'mine', code: 'INTERNAL_SERVER_ERROR', operation: 'Buggy' },
    ]);
});

describe('F23: a blocked log', () => {
  it('drops and counts lines, and reports their number when it is read again', async () => {
    const waiting: (() => void)[] = [];
    const written: string[] = [];
    const out = new Writable({
      write(chunk, _, done) {
        written.push(String(chunk));
        waiting.push(done);
      },
    });
    const log = createLog({ level: 'info', out });
    for (let line = 0; line < 200; line++) log.error('x'.repeat(10_000), `id${line}`);
    const dropped = log.dropped();
    expect(dropped).toBeGreaterThan(50);
    expect(dropped).toBeLessThan(150);
    while (waiting.length > 0) {
      waiting.shift()?.();
      await new Promise(setImmediate);
    }
    const before = written.length;
    expect(before + dropped).toBe(200);
    log.error('again', 'last');
    while (waiting.length > 0) {
      waiting.shift()?.();
      await new Promise(setImmediate);
    }
    expect(written.slice(before).map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', dropped },
      { level: 'error', requestId: 'last' },
    ]);
    expect(log.dropped()).toBe(dropped);
  });

  it.runIf(runsAll)('blocks neither requests nor the shutdown of a process', async () => {
    const chain = await startChain({ bare: true });
    running.push(() => chain.devnet.close());
    const child = await startProcess(['--port', '0', '--cache-dir', 'off', '--dev', '--node', chain.node.url]);
    running.push(async () => child.kill('SIGKILL'));
    // From here on, stdout is not read: the pipe fills up, and then the buffer of the process.
    const { url, adminUrl } = await addressesOf(child);
    child.stdout!.pause();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const one = `GET /nothing HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${'x'.repeat(64)}\r\n\r\n`;
    // Sent in parts, each after the answers to the one before, so that no request waits for the others until it is closed.
    const [count, atOnce] = [10_000, 500];
    let answered = 0;
    let rest = '';
    socket.write(one.repeat(atOnce));
    for await (const chunk of socket) {
      const parts = (rest + chunk).split('HTTP/1.1 401');
      rest = parts.pop()!;
      answered += parts.length;
      if (answered === count) break;
      if (parts.length > 0 && answered % atOnce === 0) socket.write(one.repeat(atOnce));
    }
    expect(answered).toBe(count);
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
    expect(Number(/^stele_log_lines_dropped_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(1_000);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
