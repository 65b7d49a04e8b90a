import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';
import { runsAll } from './support/atRandom.ts';
import { startChain } from './support/chain.ts';
import { freePort } from './support/ports.ts';
import { startProcess } from './support/process.ts';

const stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

interface Line {
  readonly at: number;
  readonly text: string;
}

/** Starts a server with these nodes, and collects its log lines with their time. */
async function start(...nodes: readonly string[]): Promise<{ child: ChildProcess; lines: AsyncIterator<Line> }> {
  const flags = ['--port', '0', '--dev', ...nodes.flatMap((node) => ['--node', node])];
  const child = await startProcess(flags);
  stops.push(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  async function* read(): AsyncGenerator<Line> {
    for await (const text of createInterface({ input: child.stdout! })) yield { at: performance.now(), text };
  }
  return { child, lines: read() };
}

/** Returns the next `count` lines about nodes, and the other lines before the last of them. */
async function nodeLines(
  lines: AsyncIterator<Line>,
  count: number,
): Promise<{ found: readonly Record<string, unknown>[]; at: readonly number[]; all: string; upAt: number | undefined }> {
  const found: Record<string, unknown>[] = [];
  const at: number[] = [];
  const all: string[] = [];
  let upAt: number | undefined;
  while (found.length < count) {
    const { value, done } = await lines.next();
    if (done) throw new Error(`it ended: ${all.join('\n')}`);
    all.push(value.text);
    if (value.text.startsWith('Stele is up')) upAt = value.at;
    if (!/^\{.*"msg":"node /.test(value.text)) continue;
    const { time: _, ...line } = JSON.parse(value.text) as Record<string, unknown>;
    found.push(line);
    at.push(value.at);
  }
  return { found, at, all: all.join('\n'), upAt };
}

/** Starts a server that accepts connections and never responds. Returns its port. */
async function startSilent(): Promise<number> {
  const server: Server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => server.close());
  server.on('connection', (socket) => {
    socket.on('error', () => undefined);
    stops.push(() => socket.destroy());
  });
  return (server.address() as { port: number }).port;
}

it.runIf(runsAll)(
  'logs each unreachable node within two seconds of the start, a node on another chain, and no node that responds',
  async () => {
    const [chain, other] = [await startChain({ bare: true }), await startChain({ bare: true, chainId: 'another' })];
    stops.push(
      () => chain.devnet.close(),
      () => other.devnet.close(),
    );
    const [refusing, silent] = [await freePort(), await startSilent()];
    const { lines } = await start(
      chain.node.url,
      `http://jane:hidden@127.0.0.1:${refusing}/key-7f3a?k=xyzzy`,
      `http://127.0.0.1:${silent}`,
      other.node.url,
    );
    const { found, at, all, upAt } = await nodeLines(lines, 3);
    expect(found.toSorted((a, b) => String(a.node).localeCompare(String(b.node)))).toEqual([
      { level: 'warn', node: 'node-2', host: `127.0.0.1:${refusing}`, code: 'NODE_UNREACHABLE', msg: 'node unreachable' },
      { level: 'warn', node: 'node-3', host: `127.0.0.1:${silent}`, msg: 'node unreachable' },
      expect.objectContaining({ level: 'warn', node: 'node-4', msg: 'node on another chain' }),
    ]);
    expect(all).not.toMatch(/jane|hidden|key-7f3a|xyzzy/);
    expect(Math.max(...at) - upAt!).toBeLessThan(2_000);
  },
);

it.runIf(runsAll)('logs a node again when it responds', async () => {
  const port = await freePort();
  const { lines } = await start(`http://127.0.0.1:${port}`);
  const node = { node: 'node-1', host: `127.0.0.1:${port}` };
  const unreachable = { level: 'warn', ...node, code: 'NODE_UNREACHABLE', msg: 'node unreachable' };
  expect((await nodeLines(lines, 1)).found).toEqual([unreachable]);
  const chain = await startChain({ bare: true, port });
  stops.push(() => chain.devnet.close());
  expect((await nodeLines(lines, 1)).found).toEqual([{ level: 'info', ...node, msg: 'node responds' }]);
  await chain.devnet.close();
  expect((await nodeLines(lines, 1)).found).toEqual([unreachable]);
});
