import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { overWebSocket } from '../../support/listeners.ts';
import { devnetToken, startProcess } from '../../support/process.ts';
import { patience } from '../attacks/setup.ts';

const running: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

/** A server process into which a fault is injected. */
interface Faulty {
  readonly chain: TestChain;
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  /** The failures in its log. */
  failures(): readonly Readonly<Record<string, unknown>>[];
  /** Its stderr. */
  complaints(): string;
  metric(name: string): Promise<string | undefined>;
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
  let complaints = '';
  createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line));
  child.stderr!.on('data', (chunk) => {
    complaints += chunk;
  });
  const said = (): RegExpExecArray | null => /: (http:\S+)\/graphql\nFor operators: (http:\S+)\/metrics/.exec(lines.join('\n'));
  await expect.poll(said, patience).not.toBeNull();
  const [, url = '', adminUrl = ''] = said()!;
  const token = await devnetToken(url);
  return {
    chain,
    child,
    url,
    token,
    failures: () => lines.filter((line) => line.startsWith('{"level":"error"')).map((line) => JSON.parse(line)),
    complaints: () => complaints,
    async metric(name) {
      const text = await (await fetch(`${adminUrl}/metrics`)).text();
      return text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length + 1);
    },
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

describe('a fault that nothing else handles', { timeout: 180_000 }, () => {
  it('an exception in a timer and an unhandled rejection are logged and counted, and the server keeps running', async () => {
    const server = await startFaulty(`
      process.on('SIGUSR2', () => {
        setTimeout(() => { throw new Error('a timer broke'); });
        Promise.reject(new Error('nobody awaits this'));
        Promise.reject(Object.create(null));
      });
    `);
    await goesOn(server, async () => {
      server.child.kill('SIGUSR2');
      await expect.poll(() => server.failures().length, patience).toBe(3);
    });
    const failures = server.failures();
    expect(failures.map(({ error }) => String(error).split('\n')[0]).toSorted()).toEqual([
      'Error: a timer broke',
      'Error: nobody awaits this',
      '[Object: null prototype] {}',
    ]);
    for (const { requestId } of failures) expect(requestId).toMatch(uuid);
    expect(await server.metric('stele_faults_total{kind="exception"}')).toBe('1');
    expect(await server.metric('stele_faults_total{kind="rejection"}')).toBe('2');
  });

  it('a fault in the handler of a message from a node ends that subscription to the node, and a new one is started', async () => {
    const server = await startFaulty(`
      import { EventEmitter } from 'node:events';
      const { emit } = EventEmitter.prototype;
      const { setTimeout } = globalThis;
      let isArmed = false;
      process.on('SIGUSR2', () => { isArmed = true; });
      EventEmitter.prototype.emit = function (name, ...rest) {
        if (!isArmed || name !== 'message' || this._isServer !== false) return emit.call(this, name, ...rest);
        globalThis.setTimeout = (call, milliseconds, ...values) => {
          if (milliseconds < 15_000) return setTimeout(call, milliseconds, ...values);
          isArmed = false;
          throw new Error('a message of a node broke it');
        };
        try {
          return emit.call(this, name, ...rest);
        } finally {
          globalThis.setTimeout = setTimeout;
        }
      };
    `);
    // A message with a new block starts the timer of the longest silence, which fails. The confirmation starts none.
    await expect.poll(() => server.metric('stele_head_subscribed'), patience).toBe('1');
    await goesOn(server, async () => {
      server.child.kill('SIGUSR2');
      // The signal is handled before later bytes on a connection.
      await server.ask();
      await expect
        .poll(async () => {
          if (server.failures().length === 0) await server.chain.devnet.commit();
          return server.failures();
        }, patience)
        .toMatchObject([{ error: expect.stringContaining('a message of a node broke it') }]);
    });
    expect(await server.metric('stele_faults_total{kind="exception"}')).toBe('1');
    await expect.poll(() => server.metric('stele_head_subscriptions_total'), patience).toBe('2');
    await expect.poll(() => server.metric('stele_head_subscribed'), patience).toBe('1');
  });

  const sockets = [
    ['/graphql', 1006],
    ['/websocket', 1011],
  ] as const;
  it.each(some(sockets, 2))(
    'a fault in the handler of a message from a client ends only its WebSocket: %s',
    async (path, code) => {
      const server = await startFaulty(`
      const { toString } = Buffer.prototype;
      Buffer.prototype.toString = function (...rest) {
        if (this.includes('"break it"')) throw new Error('a message of a client broke it');
        return toString.apply(this, rest);
      };
    `);
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
      expect(await server.metric('stele_faults_total{kind="socket"}')).toBe('1');
      expect(await server.metric('stele_faults_total{kind="exception"}')).toBe('0');
    },
  );

  it('a fault that cannot be logged ends the process with one line on stderr', async () => {
    const server = await startFaulty(`
      process.on('SIGUSR2', () => setTimeout(() => {
        throw Object.defineProperty(new Error('unreadable'), 'stack', { get() { throw new Error('no stack here'); } });
      }));
    `);
    server.child.kill('SIGUSR2');
    const [code] = await once(server.child, 'close');
    expect(server.complaints()).toBe(
      'stele: the process exits because an unhandled exception could not be logged: Error: no stack here\n',
    );
    expect(code).toBe(1);
  });
});
