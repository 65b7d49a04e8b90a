import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { now, startChild } from './child.ts';
import { readFlags } from './flags.ts';
import { startServerProcess } from './serverProcess.ts';

const watched = 'subscription { newBlock { height } }';
const delivered = 'subscription { newBlock { height hash } }';
const idle = 'subscription { proposalUpdated { proposal { id } } }';

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The time of each event of a subscriber, by height. */
function subscribe(url: string, token: string, onEvent: (height: string) => void): () => void {
  const leaving = new AbortController();
  void (async () => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: watched }),
      signal: leaving.signal,
    });
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
      for (const [, height = ''] of chunk.matchAll(/"newBlock":\{"height":"(\d+)"/g)) onEvent(height);
  })().catch(() => undefined);
  return () => leaving.abort();
}

/** The bytes of the heap of a process after garbage collections, from its inspector. */
async function heapOf(inspector: string): Promise<number> {
  const socket = new WebSocket(inspector);
  await once(socket, 'open');
  let used = 0;
  for (let id = 1; id <= 6; id += 1) {
    socket.send(JSON.stringify({ id, method: id % 2 === 1 ? 'HeapProfiler.collectGarbage' : 'Runtime.getHeapUsage' }));
    const [message] = await once(socket, 'message');
    used = JSON.parse(String(message)).result.usedSize ?? used;
  }
  socket.close();
  return used;
}

/**
 * Measures a subscriber beside webhooks: the time from a block to its event, without webhooks, with webhooks on one document, and after they are deleted;
 * the executions of that document for each block; and the heap of idle webhooks. Flags: `--webhooks` (1,000), `--blocks` (200) of each part, `--idle`
 * (10,000).
 */
export async function webhooks(args: readonly string[]): Promise<void> {
  const { numbers } = readFlags(args, {
    webhooks: { default: 1_000, max: 20_000 },
    blocks: { default: 200, max: 100_000 },
    idle: { default: 10_000, max: 100_000 },
  });
  const directory = await mkdtemp(join(tmpdir(), 'stele-bench-webhooks-'));
  const [devnet, receiver] = [await startChild('devnet'), await startChild('webhookReceiver')];
  const most = String(numbers.webhooks + numbers.idle + 100);
  const server = await startServerProcess({
    flags: [
      ...['--node', devnet.url, '--verify', 'off', '--webhook-network', '127.0.0.1', '--data-dir', directory],
      ...['webhooks.count', 'subscriptions.caller', 'subscriptions.process'].flatMap((name) => ['--limit', `${name}=${most}`]),
      ...['--limit', 'rate.points=0', '--limit', 'rate.computing=0'],
    ],
    heap: 1_000,
    names: ['bench'],
    scopes: ['read', 'webhooks'],
    nodeArgs: ['--inspect=127.0.0.1:0'],
  });
  const [token = ''] = server.tokens;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

  async function create(count: number, document: string): Promise<string[]> {
    const ids: string[] = [];
    const body = JSON.stringify({ url: `${receiver.url}/`, document });
    const work = async (): Promise<void> => {
      while (ids.length < count) {
        const place = ids.push('') - 1;
        const response = await fetch(`${server.url}/v1/webhooks`, { method: 'POST', headers, body });
        const { id, message }: { id?: string; message?: string } = await response.json();
        if (id === undefined) throw new Error(message);
        ids[place] = id;
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    return ids;
  }

  async function executions(): Promise<number> {
    const text = await (await fetch(`${server.adminUrl}/metrics`)).text();
    return Number(/^stele_subscription_executions_total (\d+)$/m.exec(text)?.[1]);
  }

  /** Commits blocks one after the other, each when the subscriber and the receivers have the one before. Prints the times of the subscriber. */
  async function run(name: string, count: number): Promise<void> {
    let arrived: (() => void) | undefined;
    const stop = subscribe(server.url, token, () => arrived?.());
    await pause(1_000);
    const times: number[] = [];
    const [executed, begun] = [await executions(), await receiver.run('count')];
    for (let block = 0; block < numbers.blocks; block += 1) {
      const arrival = new Promise<number>((resolve) => {
        arrived = () => resolve(now());
      });
      const start = await devnet.run('commit');
      times.push((await arrival) - start);
      while ((await receiver.run('count')) < begun + (block + 1) * count) await pause(5);
    }
    stop();
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number): string => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1);
    const each = ((await executions()) - executed) / numbers.blocks;
    console.log(
      `${name.padEnd(28)} ${`${at(0.5)} / ${at(0.99)} ms`.padStart(18)} ${each.toFixed(2).padStart(14)} ${String((await receiver.run('count')) - begun).padStart(12)}`,
    );
  }

  console.log(`\nA subscriber beside webhooks, ${numbers.blocks} blocks for each line; Node ${process.version}\n`);
  console.log('                               p50 / p99 of one  executions each   deliveries');
  await run('no webhooks', 0);
  const ids = await create(numbers.webhooks, delivered);
  await pause(3_000);
  await run(`${numbers.webhooks} webhooks`, numbers.webhooks);
  for (const id of ids) await fetch(`${server.url}/v1/webhooks/${id}`, { method: 'DELETE', headers });
  await pause(3_000);
  await run('after they are deleted', 0);
  const inspector = /ws:\S+/.exec(server.complaints())?.[0] ?? '';
  // The first ones load what all of them need.
  await create(10, idle);
  await pause(3_000);
  const before = await heapOf(inspector);
  await create(numbers.idle, idle);
  // Their streams are opened within the next look at the changes.
  await pause(15_000);
  const each = ((await heapOf(inspector)) - before) / 1_024 / Math.max(numbers.idle, 1);
  const text = await (await fetch(`${server.adminUrl}/metrics`)).text();
  const active = /^stele_webhooks (\d+)$/m.exec(text)?.[1];
  console.log(`\n${numbers.idle} idle webhooks, ${active} of them active: ${each.toFixed(1)} KiB of heap each`);
  await server.stop();
  for (const child of [devnet, receiver]) await child.stop();
  await rm(directory, { recursive: true });
}
