import type { ChildProcess } from 'node:child_process';
import { createPublicKey, type KeyObject, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook as HmacVerifier } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { hasPostgres, type PostgresServer, postgresNote, startPostgres } from '../support/archive/postgres.ts';
import { fc, runsAll, seed, sizeOf } from '../support/atRandom.ts';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { addressesOf, devnetToken, startProcess } from '../support/process.ts';
import { startStack } from '../support/stack.ts';

const isFull = process.env.FULL === '1';

/** Webhooks, blocks, and kills of a server. */
const size = {
  webhooks: sizeOf({ full: Number(process.env.WEBHOOKS ?? 1_000), ci: 16, own: 16 }),
  blocks: sizeOf({ full: Number(process.env.BLOCKS ?? 200), ci: 8, own: 8 }),
  kills: sizeOf({ full: 8, ci: 1, own: 1 }),
};
/** The longest wait before a kill, between two blocks, and for a receiver, in ms. */
const waits = {
  kill: sizeOf({ full: 40_000, ci: 1_500, own: 1_500 }),
  block: sizeOf({ full: 1_000, ci: 200, own: 200 }),
  response: sizeOf({ full: 15_000, ci: 2_000, own: 2_000 }),
};
/** How long one run may take, in ms. */
const longest = sizeOf({ full: 3_600_000, ci: 120_000, own: 120_000 });
/** A server that has the lease is followed by another one within this time, in ms. */
const takeoverBound = 15_000;

const documents = [
  'subscription { newBlock { height hash } }',
  'subscription { transactions { hash } }',
  'subscription { newBlock { height time } }',
];
const documentOf = (index: number): number => index % documents.length;

/** How a receiver treats some of its deliveries, once each. */
const misdeeds = ['none', 'none', 'status 500', 'hangs', 'status 410', 'status 429', 'redirects', 'disconnects'] as const;
const misdeedOf = (index: number) => misdeeds[index % misdeeds.length]!;
/** Spreads the failures over the run. Each receiver fails once in so many events. */
const failureStep = sizeOf({ full: 60, ci: 4, own: 4 });

interface Delivery {
  readonly id: string;
  readonly sequence: string;
  readonly previous: string | null;
  readonly height: string;
  readonly data: unknown;
}

/** A receiver that keeps ids. */
interface Kept {
  readonly events: Map<string, Delivery>;
  readonly refused: Set<string>;
  key: KeyObject | HmacVerifier | undefined;
}

/** All receivers, at the paths of one server. Each verifies its deliveries and keeps the ids of those that it has accepted. */
async function startReceivers() {
  const all: Kept[] = Array.from({ length: size.webhooks }, () => ({
    events: new Map(),
    refused: new Set(),
    key: undefined,
  }));
  const counts = { posts: 0, invalid: 0, refused: 0 };
  const gone = new Set<number>();

  function isValid({ key }: Kept, headers: Record<string, string>, text: string): boolean {
    if (key === undefined) return true;
    if (key instanceof HmacVerifier) {
      try {
        key.verify(text, headers);
        return true;
      } catch {
        return false;
      }
    }
    const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`);
    return verify(null, signed, key, Buffer.from(headers['webhook-signature']!.slice('v1a,'.length), 'base64'));
  }

  function refuse(index: number, response: ServerResponse): void {
    const misdeed = misdeedOf(index);
    if (misdeed === 'status 410') gone.add(index);
    if (misdeed === 'hangs') return;
    if (misdeed === 'disconnects') response.destroy();
    else if (misdeed === 'redirects') response.writeHead(307, { location: '/0' }).end();
    else if (misdeed === 'status 429') response.writeHead(429, { 'retry-after': '1' }).end();
    else response.writeHead(Number(misdeed.slice('status '.length))).end();
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const index = Number(request.url!.slice(1));
      const kept = all[index]!;
      const text = Buffer.concat(chunks).toString();
      counts.posts += 1;
      if (!isValid(kept, request.headers as Record<string, string>, text)) counts.invalid += 1;
      const { id, sequence, previous, height, data }: Delivery = JSON.parse(text);
      const mustFail = misdeedOf(index) !== 'none' && (Number(sequence) + index) % failureStep === 2;
      if (mustFail && !kept.refused.has(id)) {
        kept.refused.add(id);
        counts.refused += 1;
        return refuse(index, response);
      }
      if (!kept.events.has(id)) kept.events.set(id, { id, sequence, previous, height, data });
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1', 4_096);
  await once(server, 'listening');
  return {
    ...{ all, counts, gone },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What a subscriber to each document gets from a server that nobody kills: JSON of the results. */
async function subscribeAll(chain: TestChain, after: bigint) {
  const stack = await startStack([chain.node.url]);
  const results: string[][] = documents.map(() => []);
  const heights = documents.map(() => after);
  const ends = documents.map(async (document, index) => {
    // A block without transactions has no event, so each stream has blocks beside it.
    const response = await fetch(`${stack.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: document }),
    });
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const frames = text.split('\n\n');
      text = frames.pop()!;
      for (const frame of frames) {
        const json = /^data: (\{.*\})$/m.exec(frame)?.[1];
        if (json === undefined) continue;
        const { data, extensions } = JSON.parse(json);
        results[index]!.push(JSON.stringify(data));
        heights[index] = BigInt(extensions.height);
      }
    }
  });
  return {
    results,
    /** Resolves when blocks up to a height were received. */
    until: (height: bigint) => vi.waitUntil(() => heights[0]! >= height && heights[2]! >= height, { timeout: 60_000 }),
    async close(): Promise<void> {
      await stack.close();
      await Promise.allSettled(ends);
    },
  };
}

interface Running {
  child: ChildProcess;
  url: string;
  adminUrl: string;
}

let chain: TestChain;
let receivers: Awaited<ReturnType<typeof startReceivers>>;
let subscriber: Awaited<ReturnType<typeof subscribeAll>>;
let after: bigint;
let directory: string;
const servers: Running[] = [];

const flags = (): string[] => [
  ...['--port', '0', '--admin-port', '0', '--dev', '--node', chain.node.url, '--cache-dir', 'off', '--log-level', 'silent'],
  ...['--auth-audience', 'http://localhost:4000', '--verify', 'off', '--webhook-network', '127.0.0.1'],
  ...['webhooks.count=1000000', `webhooks.timeout=${waits.response}`, 'rate.points=0', 'rate.computing=0'].flatMap((limit) => [
    '--limit',
    limit,
  ]),
];

async function start(archive: string): Promise<Running> {
  const child = await startProcess(flags(), {
    STELE_SHARED_SECRET: 'a secret of at least thirty-two characters',
    STELE_ARCHIVE: archive,
    STELE_DATA_DIR: directory,
  });
  const addresses = await addressesOf(child);
  child.stdout!.resume();
  child.stderr!.resume();
  return { child, ...addresses };
}

async function kill({ child }: Running): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Whether a server has the lease. */
async function isDelivering({ adminUrl }: Running): Promise<boolean> {
  const text = await fetch(`${adminUrl}/metrics`).then(
    (response) => response.text(),
    () => '',
  );
  return /^stele_webhooks_delivering 1$/m.test(text);
}

async function ask(query: string, variables: object, token: string): Promise<Record<string, never>> {
  const response = await fetch(`${servers[0]!.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: Record<string, never>; errors?: unknown };
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return data;
}

/** Creates the webhooks. Returns their ids. */
async function createAll(): Promise<string[]> {
  const token = await devnetToken(servers[0]!.url);
  const ids: string[] = [];
  const createOne = async (index: number): Promise<void> => {
    const { createWebhook } = (await ask(
      'mutation($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id secret publicKey } } }',
      {
        input: {
          url: `${receivers.url}/${index}`,
          document: documents[documentOf(index)],
          after: after.toString(),
          signing: index % 2 === 0 ? 'ED25519' : 'HMAC',
        },
      },
      token,
    )) as unknown as { createWebhook: { webhook: { id: string; secret: string | null; publicKey: string | null } } };
    const { id, secret, publicKey } = createWebhook.webhook;
    ids[index] = id;
    receivers.all[index]!.key =
      secret !== null
        ? new HmacVerifier(secret)
        : createPublicKey({
            key: Buffer.concat([
              Buffer.from('302a300506032b6570032100', 'hex'),
              Buffer.from(publicKey!.slice('whpk_'.length), 'base64'),
            ]),
            format: 'der',
            type: 'spki',
          });
  };
  const indexes = Array.from({ length: size.webhooks }, (_, index) => index);
  const work = async (): Promise<void> => {
    for (let index = indexes.shift(); index !== undefined; index = indexes.shift()) await createOne(index);
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return ids;
}

/** Commits blocks, some of them with transactions. */
async function commitAll(random: () => number): Promise<void> {
  const [from, to] = chain.accounts;
  for (let block = 0; block < size.blocks; block += 1) {
    for (let left = Math.floor(random() * 3); left > 0; left -= 1)
      await chain.submit(
        from!,
        any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount: [{ denom: 'nhash', amount: '1' }] }),
      );
    await chain.devnet.commit();
    await pause(random() * waits.block);
  }
}

/** Kills servers at random and starts them again. Returns the ms from the kill of one that had the lease to the next one that has it. */
async function killAll(random: () => number, archive: string, isOver: () => boolean): Promise<number[]> {
  const takeovers: number[] = [];
  for (let count = 0; count < size.kills; count += 1) {
    const wait = performance.now() + waits.kill * (0.25 + 0.75 * random());
    await vi.waitUntil(() => performance.now() >= wait || isOver(), { timeout: waits.kill + 5_000, interval: 20 });
    const place = Math.floor(random() * servers.length);
    const victim = servers[place]!;
    const hadLease = await isDelivering(victim);
    const killed = performance.now();
    await kill(victim);
    const others = servers.filter((each) => each !== victim);
    if (hadLease && others.length > 0) {
      await vi.waitUntil(async () => (await Promise.all(others.map(isDelivering))).some(Boolean), {
        timeout: 60_000,
        interval: 50,
      });
      takeovers.push(performance.now() - killed);
    }
    servers[place] = await start(archive);
  }
  return takeovers;
}

/** Continues the webhooks whose receivers were gone. */
async function continueGone(ids: readonly string[]): Promise<void> {
  for (const index of receivers.gone) {
    try {
      const token = await devnetToken(servers[0]!.url);
      const { webhook } = (await ask(
        'query($id: ID!) { webhook(id: $id) { state } }',
        { id: ids[index] },
        token,
      )) as unknown as {
        webhook: { state: string };
      };
      // The outcome may have been lost with the server, which then tries again by itself.
      if (webhook.state !== 'DISABLED') continue;
      await ask('mutation($id: ID!) { pauseWebhook(id: $id, paused: false) { webhook { id } } }', { id: ids[index] }, token);
      receivers.gone.delete(index);
    } catch {
      // The server was killed.
    }
  }
}

async function run(archive: string, count: number): Promise<void> {
  for (let started = 0; started < count; started += 1) servers.push(await start(archive));
  await vi.waitUntil(async () => (await Promise.all(servers.map(isDelivering))).some(Boolean), {
    timeout: 60_000,
    interval: 50,
  });
  after = chain.devnet.height;
  subscriber = await subscribeAll(chain, after);
  const ids = await createAll();
  const [randomOfBlocks, randomOfKills] = [seed, seed + 1].map((each) => {
    const values = fc.sample(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { seed: each, numRuns: 2_000 });
    return () => values.shift() ?? 0.5;
  });
  const began = performance.now();
  let isCommitted = false;
  const committing = commitAll(randomOfBlocks!).then(() => {
    isCommitted = true;
  });
  let isOver = false;
  const resuming = (async () => {
    while (!isOver) {
      await continueGone(ids);
      await pause(200);
    }
  })();
  const takeovers = await killAll(randomOfKills!, archive, () => isCommitted && size.kills === 1);
  await committing;
  await subscriber.until(chain.devnet.height);
  const expected = subscriber.results;
  const isComplete = ({ events }: Kept, index: number): boolean => events.size >= expected[documentOf(index)]!.length;
  await vi
    .waitUntil(() => receivers.all.every(isComplete), { timeout: longest / 2, interval: 200 })
    .catch(() => undefined)
    .finally(() => {
      isOver = true;
    });
  await resuming;
  const { posts, invalid, refused } = receivers.counts;
  const distinct = receivers.all.reduce((sum, { events }) => sum + events.size, 0);
  const seconds = Math.round((performance.now() - began) / 1_000);
  const figures = {
    webhooks: size.webhooks,
    blocks: size.blocks,
    kills: size.kills,
    servers: count,
    posts,
    distinct,
    refused,
    invalid,
  };
  if (isFull) console.log(JSON.stringify({ ...figures, takeovers: takeovers.map(Math.round), seconds }));
  expect(invalid).toBe(0);
  expect(refused).toBeGreaterThan(0);
  for (const [index, { events }] of receivers.all.entries()) {
    const all = [...events.values()];
    expect(all.map(({ data }) => JSON.stringify(data))).toEqual(expected[documentOf(index)]);
    expect(all.map(({ sequence }) => Number(sequence))).toEqual(all.map((_, position) => position + 1));
    expect(all.map(({ previous }) => previous)).toEqual([null, ...all.map(({ id }) => id)].slice(0, all.length));
  }
  for (const milliseconds of takeovers) expect(milliseconds).toBeLessThan(takeoverBound);
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'stele-kills-'));
  [chain, receivers] = await Promise.all([startChain(), startReceivers()]);
});

afterEach(async () => {
  for (const server of servers.splice(0)) await kill(server);
  await subscriber.close();
  await receivers.close();
  await chain.devnet.close();
  rmSync(directory, { recursive: true, force: true });
});

describe('servers that are killed deliver what an uninterrupted subscriber gets, in order', () => {
  it.runIf(runsAll || isFull)('one server on SQLite', { timeout: longest }, () => run('governance', 1));

  // Only at the full size: not even as skipped tests elsewhere.
  const onPostgres = isFull ? describe.skipIf(!hasPostgres) : () => undefined;
  onPostgres(`on PostgreSQL${postgresNote}`, () => {
    let postgres: PostgresServer;
    const onDatabase = async (count: number): Promise<void> => {
      postgres = await startPostgres();
      const name = `kills${randomBytes(4).toString('hex')}`;
      await run((await postgres.database(name)).replace('postgres@/', '/').concat('&user=postgres'), count).finally(() =>
        postgres.close(),
      );
    };
    it('one server', { timeout: longest }, () => onDatabase(1));
    it('three servers', { timeout: longest }, () => onDatabase(3));
  });
});
