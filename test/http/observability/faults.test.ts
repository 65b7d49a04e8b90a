import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startChain, type TestChain } from '../../support/chain.ts';
import { overWebSocket } from '../../support/listeners.ts';
import { devnetToken, startProcess } from '../../support/process.ts';
import { longPoll } from '../attacks/setup.ts';

const running: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

/** A server process into which faults are injected. */
interface Faulty {
  readonly chain: TestChain;
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  /** The failures in its log since the test began. */
  failures(): readonly Readonly<Record<string, unknown>>[];
  /** Begins a test: what was logged and counted before belongs to others. */
  begin(): Promise<void>;
  /** Its stderr. */
  complaints(): string;
  /** By how much a metric has grown since the test began. */
  growth(name: string): Promise<number>;
  metric(name: string): Promise<number>;
  ask(): Promise<unknown>;
}

/** Starts the server with `script` loaded before it. */
async function startFaulty(script: string): Promise<Faulty> {
  const chain = await startChain({ bare: true });
  running.push(() => chain.devnet.close());
  const child = await startProcess(
    ['--port', '0', '--admin-port', '0', '--cache-dir', 'off', '--dev', '--node', chain.node.url],
    {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}`,
    },
  );
  running.push(async () => {
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  });
  const lines: string[] = [];
  let before: { readonly failures: number; readonly metrics: string } = { failures: 0, metrics: '' };
  let complaints = '';
  createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line));
  child.stderr!.on('data', (chunk) => {
    complaints += chunk;
  });
  const said = (): RegExpExecArray | null => /: (http:\S+)\/graphql\nFor operators: (http:\S+)\/metrics/.exec(lines.join('\n'));
  await vi.waitUntil(() => said() !== null, longPoll);
  const [, url = '', adminUrl = ''] = said()!;
  const token = await devnetToken(url);
  const metrics = async (): Promise<string> => (await fetch(`${adminUrl}/metrics`)).text();
  const valueIn = (text: string, name: string): number => {
    const line = text.split('\n').find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1));
  };
  const failures = () => lines.filter((line) => line.startsWith('{"level":"error"'));
  return {
    chain,
    child,
    url,
    token,
    async begin() {
      before = { failures: failures().length, metrics: await metrics() };
    },
    failures: () =>
      failures()
        .slice(before.failures)
        .map((line) => JSON.parse(line)),
    complaints: () => complaints,
    metric: async (name) => valueIn(await metrics(), name),
    growth: async (name) => valueIn(await metrics(), name) - valueIn(before.metrics, name),
    async ask() {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const body = JSON.stringify({ query: '{ head { height } }' });
      return (await fetch(`${url}/graphql`, { method: 'POST', headers, body })).json();
    },
  };
}

/** Checks that the server continues: a stream that was opened before the fault, and the next request. */
async function goesOn({ chain, url, token, ask }: Faulty, fault: () => Promise<unknown>): Promise<void> {
  const stream = await overWebSocket(url, 'subscription { newBlock { height } }', {}, token);
  await chain.devnet.commit();
  await stream.count(1);
  await fault();
  await chain.devnet.commit();
  await chain.devnet.commit();
  const height = chain.devnet.height.toString();
  await stream.until(({ data }) => data?.newBlock?.height === height);
  expect(await ask()).toEqual({ data: { head: { height } }, extensions: { height } });
  await stream.leave();
}

const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Three signals, and a message of a client, cause one kind of fault each. */
const script = `
  import { EventEmitter } from 'node:events';

  process.on('SIGUSR2', () => {
    setTimeout(() => { throw new Error('a timer broke'); });
    Promise.reject(new Error('nobody awaits this'));
    Promise.reject(Object.create(null));
  });

  const { emit } = EventEmitter.prototype;
  const { setTimeout } = globalThis;
  let isArmed = false;
  process.on('SIGWINCH', () => { isArmed = true; });
  EventEmitter.prototype.emit = function (name, ...rest) {
    if (!isArmed || name !== 'message' || this._isServer !== false) return emit.call(this, name, ...rest);
    // The block of the message is verified first.
    globalThis.setTimeout = (call, milliseconds, ...values) => {
      if (milliseconds < 15_000) return setTimeout(call, milliseconds, ...values);
      isArmed = false;
      globalThis.setTimeout = setTimeout;
      throw new Error('a message of a node broke it');
    };
    return emit.call(this, name, ...rest);
  };

  const { toString } = Buffer.prototype;
  Buffer.prototype.toString = function (...rest) {
    if (this.includes('"break it"')) throw new Error('a message of a client broke it');
    return toString.apply(this, rest);
  };

  process.on('SIGURG', () => setTimeout(() => {
    throw Object.defineProperty(new Error('unreadable'), 'stack', { get() { throw new Error('no stack here'); } });
  }));
`;

describe('a fault that nothing else handles', { timeout: 180_000 }, () => {
  let server: Faulty;
  beforeAll(async () => {
    server = await startFaulty(script);
  });

  it('an exception in a timer and an unhandled rejection are logged and counted, and the server keeps running', async () => {
    await server.begin();
    await goesOn(server, async () => {
      server.child.kill('SIGUSR2');
      await expect.poll(() => server.failures().length, longPoll).toBe(3);
    });
    const failures = server.failures();
    expect(failures.map(({ error }) => String(error).split('\n')[0]).toSorted()).toEqual([
      'Error: a timer broke',
      'Error: nobody awaits this',
      '[Object: null prototype] {}',
    ]);
    for (const { requestId } of failures) expect(requestId).toMatch(uuid);
    expect(await server.growth('stele_faults_total{kind="exception"}')).toBe(1);
    expect(await server.growth('stele_faults_total{kind="rejection"}')).toBe(2);
  });

  it('a fault in the handler of a message from a node ends that subscription to the node, and a new one is started', async () => {
    await server.begin();
    // A message with a new block starts the timer of the longest silence, which fails. The confirmation starts none.
    await expect.poll(() => server.metric('stele_head_subscribed'), longPoll).toBe(1);
    await goesOn(server, async () => {
      server.child.kill('SIGWINCH');
      // The signal is handled before later bytes on a connection.
      await server.ask();
      await expect
        .poll(async () => {
          if (server.failures().length === 0) await server.chain.devnet.commit();
          return server.failures();
        }, longPoll)
        .toMatchObject([{ error: expect.stringContaining('a message of a node broke it') }]);
    });
    expect(await server.growth('stele_faults_total{kind="exception"}')).toBe(1);
    await expect.poll(() => server.growth('stele_head_subscriptions_total'), longPoll).toBe(1);
    await expect.poll(() => server.metric('stele_head_subscribed'), longPoll).toBe(1);
  });

  const sockets = [
    ['/graphql', 1006],
    ['/websocket', 1011],
  ] as const;
  it.each(sockets)('a fault in the handler of a message from a client ends only its WebSocket: %s', async (path, code) => {
    await server.begin();
    await goesOn(server, async () => {
      const protocols = path === '/graphql' ? ['graphql-transport-ws'] : [];
      const headers = { 'x-request-id': 'mine', authorization: `Bearer ${server.token}` };
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, protocols, { headers });
      await once(socket, 'open');
      socket.send('"break it"');
      expect((await once(socket, 'close'))[0]).toBe(code);
      expect(server.failures()).toMatchObject([
        { requestId: 'mine', error: expect.stringContaining('a message of a client broke it') },
      ]);
    });
    expect(await server.growth('stele_faults_total{kind="socket"}')).toBe(1);
    expect(await server.growth('stele_faults_total{kind="exception"}')).toBe(0);
  });

  // The last test: it ends the server.
  it('a fault that cannot be logged ends the process with one line on stderr', async () => {
    await server.begin();
    server.child.kill('SIGURG');
    const [code] = await once(server.child, 'close');
    expect(server.complaints()).toBe(
      'stele: the process exits because an unhandled exception could not be logged: Error: no stack here\n',
    );
    expect(code).toBe(1);
  });
});
