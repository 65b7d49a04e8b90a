import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createIssuerKeys, createSharedKeyStore } from '../../src/server/issuer/issuerKeys.ts';
import { openRedisStore } from '../../src/shared/redisStore.ts';
import type { SharedStore } from '../../src/shared/sharedStore.ts';
import { runsAll, some } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../support/issuer.ts';
import { addressesOf, devnetToken, startProcess } from '../support/process.ts';
import { hasRedis, type RedisServer, redisNote, startRedis } from '../support/redis.ts';
import { startRedisCluster } from '../support/redisCluster.ts';
import { type Stack, type StackOptions, startStack } from '../support/stack.ts';

/** A replica: a server with a client of the nodes and a connection to the shared store of its own. */
interface Replica extends Stack {
  readonly store: SharedStore;
  /** What the log says about the store. */
  readonly lines: string[];
}

type ReplicaOptions = StackOptions & { readonly wait?: number; readonly url?: string };

/** Resolves when `condition` is true. A busy machine may take long. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`still false after a minute: ${condition}`);
    await pause(5);
  }
}

describe.skipIf(!hasRedis)(`replicas that share a Redis server${redisNote}`, () => {
  let redis: RedisServer;
  let chain: TestChain;
  let issuer: TestIssuer;
  const running: Replica[] = [];
  /** Keys begin with another name after each stop: an update of a stopped replica may arrive later. */
  let stops = 0;
  const keyName = (): string => `${chain.devnet.chainId}-${stops}`;

  beforeAll(async () => {
    [redis, chain, issuer] = await Promise.all([startRedis(), startChain(), startIssuer()]);
  });
  afterEach(async () => {
    redis.hold(false);
    await redis.start();
    await redis.admin.config('SET', 'maxmemory', '0');
    await stopAll();
  });
  afterAll(async () => {
    await issuer.close();
    await redis.close();
    await chain.devnet.close();
  });

  /** `wait` and the time of a claim are long, because the machine of the test may be busy. */
  async function startReplica({ wait = 5_000, url = redis.url, ...options }: ReplicaOptions = {}): Promise<Replica> {
    const lines: string[] = [];
    const name = keyName();
    const store = await openRedisStore({
      url,
      chainId: () => name,
      maxValue: 256 * 1024,
      wait,
      claimTime: 30_000,
      onLost: (trouble) => lines.push(trouble),
      onBack: () => lines.push('BACK'),
    });
    const stack = await startStack([chain.node.url], { client: { roots: { longestWait: 30_000 } } }, options, {
      server: { shared: store, limits: { 'shared.wait': wait, ...options.server?.limits } },
    });
    await stack.client.head.ready();
    await until(store.isUsable);
    const replica = { ...stack, store, lines };
    running.push(replica);
    return replica;
  }

  async function startReplicas(count: number, options?: ReplicaOptions): Promise<Replica[]> {
    return Promise.all(Array.from({ length: count }, () => startReplica(options)));
  }

  async function stopAll(): Promise<void> {
    await Promise.all(
      running.splice(0).map(async (replica) => {
        await replica.close();
        await replica.store.close();
      }),
    );
    await redis.admin.flushall();
    stops += 1;
  }

  /** Sends small requests to the replicas in turn until `most` were refused. Returns how many were admitted, and in which time. */
  async function flood(replicas: readonly Replica[], most: number, atOnce = 4): Promise<{ admitted: number; seconds: number }> {
    const began = performance.now();
    let [admitted, refused, turn] = [0, 0, 0];
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (refused < most) {
          const { status } = await replicas[turn++ % replicas.length]!.ask('{ head { height } }');
          expect([200, 429]).toContain(status);
          if (status === 200) admitted += 1;
          else refused += 1;
        }
      }),
    );
    return { admitted, seconds: (performance.now() - began) / 1_000 };
  }

  test.runIf(runsAll)('a limit of a caller holds over three replicas within 10 % of that of one', async () => {
    const limits = { 'rate.burst': 120, 'rate.points': 60 };
    for (const count of [1, 3]) {
      const { admitted, seconds } = await flood(await startReplicas(count, { server: { limits } }), 60);
      const allowed = 120 + seconds;
      expect(admitted / allowed).toBeGreaterThan(0.9);
      expect(admitted / allowed).toBeLessThan(1.1);
      await stopAll();
    }
  });

  test.runIf(runsAll)(
    'a burst of broadcasts at all replicas passes exactly up to the limit, and one of reads within 10 %, in the first second',
    async () => {
      const burst = async (
        replicas: readonly Replica[],
        count: number,
        query: string,
      ): Promise<{ passed: number; seconds: number }> => {
        const began = performance.now();
        const answers = await Promise.all(
          Array.from({ length: count }, (_, index) =>
            replicas[index % replicas.length]!.ask(query.replace('BYTES', `0x${(index + 10).toString(16).padStart(4, '0')}`)),
          ),
        );
        const passed = answers.filter(({ status }) => status === 200).length;
        return { passed, seconds: (performance.now() - began) / 1_000 };
      };
      const sent = await burst(
        await startReplicas(3, { server: { limits: { 'rate.broadcasts': 30 } } }),
        80,
        'mutation { broadcastTxSync(tx: "BYTES") { status } }',
      );
      // One more is allowed every two seconds.
      expect(sent.passed).toBeGreaterThanOrEqual(30);
      expect(sent.passed).toBeLessThanOrEqual(30 + Math.floor(sent.seconds / 2));
      await stopAll();
      // Sixty requests at once, each for a point.
      const limits = { 'rate.burst': 300, 'rate.points': 60, 'rate.computing': 0 };
      const read = await flood(await startReplicas(3, { server: { limits } }), 60, 60);
      const allowed = 300 + read.seconds;
      expect(read.admitted / allowed).toBeGreaterThan(0.9);
      expect(read.admitted / allowed).toBeLessThan(1.1);
    },
  );

  test('failed authentications count over all replicas', async () => {
    const auth = authenticatorOf(issuer);
    const replicas = await startReplicas(3, { server: { auth, limits: { 'rate.failedAuthentications': 12 } } });
    const statuses: number[] = [];
    const began = performance.now();
    for (let round = 0; round < 24; round += 1) {
      const { status } = await replicas[round % 3]!.ask('{ head { height } }', {}, { authorization: 'Bearer a.b.c' });
      statuses.push(status);
    }
    // One more is allowed every five seconds.
    const allowed = 12 + Math.ceil((performance.now() - began) / 5_000);
    const admitted = statuses.filter((status) => status === 401).length;
    expect(admitted).toBeGreaterThanOrEqual(12);
    expect(admitted).toBeLessThan(allowed + 1);
  });

  test('slots of a caller count over all replicas, and are free again when a stream ends', async () => {
    const [one, other] = await startReplicas(2, { server: { limits: { 'subscriptions.caller': 20 } } });
    const open = (replica: Replica, signal?: AbortSignal): Promise<Response> =>
      fetch(`${replica.server.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify({ query: 'subscription { newBlock { height } }' }),
        ...(signal && { signal }),
      });
    const leaving = new AbortController();
    const streams = await Promise.all(Array.from({ length: 20 }, () => open(one!, leaving.signal)));
    expect(streams.every(({ status }) => status === 200)).toBe(true);
    await until(() => one!.server.subscriptions().subscribers === 20);
    /** Whether the other replica refuses one more stream. */
    const refuses = async (): Promise<boolean> => {
      const own = new AbortController();
      const response = await open(other!, own.signal);
      await chain.devnet.commit();
      const { value } = await response.body!.getReader().read();
      own.abort();
      return Buffer.from(value!).toString().includes('subscriptions.caller');
    };
    await until(refuses);
    leaving.abort();
    await until(async () => !(await refuses()));
  });

  /** What the calls to the node are for. */
  type Purpose = 'reads' | 'roots' | 'heads';

  /** The calls that the node has answered since the last reset, by what they are for. Health is checked with `status`, like heads. */
  function upstreamCalls(): Record<Purpose, number> {
    const counts: Record<Purpose, number> = { reads: 0, roots: 0, heads: 0 };
    for (const { method, params } of chain.node.counters.log) {
      // Each replica follows what it keeps by proofs of its own.
      const isProof = /"prove":true|"path":"\/store\//.test(JSON.stringify(params));
      if (isProof || method === 'abci_info') counts.roots += 1;
      else counts[['status', 'subscribe'].includes(method) ? 'heads' : 'reads'] += 1;
    }
    return counts;
  }

  test.runIf(runsAll)('two and three replicas ask the node as often as one for the same load', async () => {
    const accounts = chain.accounts.map(({ address }) => address);
    const load = async (count: number): Promise<Record<Purpose, number>> => {
      const replicas = await startReplicas(count);
      chain.node.counters.reset();
      for (let block = 0; block < 3; block += 1) {
        const height = await chain.devnet.commit();
        await Promise.all(replicas.map(({ client }) => client.head.waitFor(height, { milliseconds: 5_000 })));
        for (const address of accounts) {
          await Promise.all(
            replicas.map(async ({ ask }) => {
              const { body } = await ask(
                'query ($address: String!) { account(address: $address) { balances { nodes { denom amount } } } groups { nodes { id } } }',
                { address },
              );
              expect(body.errors).toBeUndefined();
            }),
          );
        }
      }
      const total = upstreamCalls();
      await stopAll();
      return total;
    };
    const figures = [await load(1), await load(2), await load(3)];
    // For docs/replicas.md.
    for (const [index, { reads, roots, heads }] of figures.entries())
      console.info(
        `upstream calls of ${index + 1} replicas: ${reads} reads, ${roots} for roots, ${heads} for heads and health`,
      );
    const [alone, ...together] = figures;
    expect(alone!.reads).toBeGreaterThan(10);
    for (const { reads } of together) {
      expect(reads / alone!.reads).toBeGreaterThan(0.9);
      expect(reads / alone!.reads).toBeLessThan(1.1);
    }
  });

  test('a persisted query that one replica has received is known to another', async () => {
    const [one, other] = await startReplicas(2);
    const query = '{ head { height } }';
    const extensions = { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') } };
    const send = async ({ server }: Replica, body: object): Promise<string> => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${server.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) })).text();
    };
    expect(await send(other!, { extensions })).toContain('PERSISTED_QUERY_NOT_FOUND');
    await send(one!, { query, extensions });
    await until(async () => (await redis.admin.keys(`stele:${keyName()}:v:*`)).length > 0);
    expect(await send(other!, { extensions })).toContain('"head"');
  });

  test('a subscription continues on another replica after the height of its last event', async () => {
    const [one, other] = await startReplicas(2);
    const events = async ({ server }: Replica, after: string | null, count: number): Promise<string[]> => {
      const leaving = new AbortController();
      const response = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify({
          query: 'subscription ($after: Int64) { newBlock(after: $after) { height } }',
          variables: { after },
        }),
        signal: leaving.signal,
      });
      const heights: string[] = [];
      let text = '';
      for await (const bytes of response.body!) {
        text += Buffer.from(bytes).toString();
        heights.splice(0, heights.length, ...[...text.matchAll(/"newBlock":\{"height":"(\d+)"/g)].map(([, height]) => height!));
        if (heights.length < count) await chain.devnet.commit();
        else break;
      }
      leaving.abort();
      return heights.slice(0, count);
    };
    await chain.devnet.commit();
    const start = chain.devnet.height - 1n;
    const before = await events(one!, start.toString(), 3);
    await chain.devnet.commit();
    const after = await events(other!, before.at(-1)!, 3);
    expect([...before, ...after]).toEqual(Array.from({ length: 6 }, (_, index) => `${start + BigInt(index + 1)}`));
  });

  describe('when the store fails in the middle of a load', () => {
    /** Sends requests to all replicas until `over`. None fails. */
    async function load(replicas: readonly Replica[], over: AbortSignal): Promise<void> {
      await Promise.all(
        replicas.map(async (replica) => {
          while (!over.aborted) await askBlock(replica);
        }),
      );
    }

    /** Reads at a new block. */
    async function askBlock({ ask }: Replica): Promise<void> {
      const height = await chain.devnet.commit();
      const { status, body } = await ask('{ head { height } groups { nodes { id } } }', {}, { 'x-min-height': `${height}` });
      expect(status).toBe(200);
      expect(body.errors).toBeUndefined();
    }

    /** The commands that were sent to the store. */
    const sent = ({ store }: Replica): number => {
      const { answered, failed } = store.stats().calls;
      return answered + failed;
    };

    const cases: readonly (readonly [string, string, () => Promise<void>, () => Promise<void>])[] = [
      ['stopped, and restarted empty', 'UNREACHABLE', () => redis.crash(), () => redis.start()],
      ['too slow', 'SLOW', async () => redis.hold(true), async () => redis.hold(false)],
      [
        'filled up',
        'FULL',
        async () => void (await redis.admin.config('SET', 'maxmemory', '1')),
        async () => void (await redis.admin.config('SET', 'maxmemory', '0')),
      ],
    ];

    test.each(some(cases, 3))(
      '%s: no request fails, none waits for it once it is lost, and the log says so once',
      async (_, reason, begin, end) => {
        const replicas = await startReplicas(2, { wait: 400 });
        const over = new AbortController();
        const loading = load(replicas, over.signal);
        try {
          await until(() => replicas.every((replica) => sent(replica) > 0));
          await begin();
          await until(() =>
            replicas.every(({ lines, store }) => !store.isUsable() && lines.length > 0 && lines.at(-1) !== 'BACK'),
          );
          // Commands that were sent before the loss end within 400 ms.
          await pause(500);
          const before = replicas.map(sent);
          for (const replica of replicas) await askBlock(replica);
          expect(replicas.map(sent)).toEqual(before);
          await end();
          await until(() => replicas.every(({ store }) => store.isUsable()));
          await until(() => replicas.every((replica, index) => sent(replica) > before[index]!));
        } finally {
          over.abort();
          await loading;
        }
        for (const { lines, store } of replicas) {
          // A busy machine may lose the store for other reasons, but a loss and a return are one line each.
          expect(lines.filter((line) => [reason, 'SLOW'].includes(line)).length).toBeGreaterThan(0);
          expect(lines.map((line) => line === 'BACK')).toEqual(lines.map((_line, index) => index % 2 === 1));
          expect(store.stats().losses).toBeGreaterThan(0);
        }
      },
    );

    test('limits hold in each process while the store is lost, and a store that comes back empty does not renew them', async () => {
      const [one] = await startReplicas(1, { server: { limits: { 'rate.burst': 60, 'rate.points': 60 } } });
      const began = performance.now();
      const before = await flood([one!], 5);
      await redis.crash();
      const without = await flood([one!], 20);
      await until(() => !one!.store.isUsable());
      await redis.start();
      await until(one!.store.isUsable);
      const after = await flood([one!], 20);
      const seconds = (performance.now() - began) / 1_000;
      // A point is gained each second.
      expect(before.admitted + without.admitted + after.admitted).toBeLessThanOrEqual(60 + seconds + 5);
    });
  });

  test.runIf(runsAll)('replicas share reads and the limits of a caller in a cluster, whose servers all hold keys', async () => {
    const cluster = await startRedisCluster();
    const replicas = await startReplicas(2, { url: cluster.url });
    chain.node.counters.reset();
    const query = 'query ($address: String!) { account(address: $address) { address balances { nodes { denom amount } } } }';
    const seen = new Set<string>();
    for (const { address } of chain.accounts.slice(0, 12)) {
      for (const replica of replicas) seen.add(JSON.stringify((await replica.ask(query, { address })).body));
    }
    expect(seen.size).toBe(Math.min(chain.accounts.length, 12));
    const paths = chain.node.counters.log
      .map(({ params }) => JSON.stringify(params))
      .filter((text) => text.includes('Balances'));
    expect(new Set(paths).size).toBe(paths.length);
    expect((await cluster.keys()).every((count) => count > 0)).toBe(true);
    await stopAll();
    const limits = { 'rate.burst': 120, 'rate.points': 60 };
    const { admitted, seconds } = await flood(await startReplicas(2, { server: { limits }, url: cluster.url }), 60);
    expect(admitted / (120 + seconds)).toBeGreaterThan(0.9);
    expect(admitted / (120 + seconds)).toBeLessThan(1.1);
    await stopAll();
    await cluster.close();
  });

  test.runIf(runsAll)('servers that connect with TLS share the limits of a caller', async () => {
    const own = await startRedis({ hasTls: true });
    const start = (): Promise<ChildProcess> =>
      startProcess(
        [
          ...['--port', '0', '--dev', '--node', chain.node.url, '--shared', own.tls!.url],
          ...['--auth-audience', 'http://localhost:4000'],
          ...[
            '--limit',
            'rate.burst=60',
            '--limit',
            'rate.points=60',
            '--limit',
            'rate.computing=0',
            '--limit',
            'shared.wait=1000',
          ],
        ],
        { NODE_EXTRA_CA_CERTS: own.tls!.certificate, STELE_SHARED_SECRET: 'a secret of more than thirty-two characters' },
      );
    const servers = [await start(), await start()];
    const [one, other] = await Promise.all(servers.map(addressesOf));
    const authorization = `Bearer ${await devnetToken(one!.url)}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const ask = async ({ url }: { readonly url: string }): Promise<number> =>
      (await fetch(`${url}/graphql`, { method: 'POST', headers, body: '{"query":"{ head { height } }"}' })).status;
    let admitted = 0;
    const began = performance.now();
    while ((await ask(one!)) === 200) admitted += 1;
    while ((await ask(other!)) === 200) admitted += 1;
    // A point is gained each second.
    expect(admitted).toBeLessThanOrEqual(66 + (performance.now() - began) / 1_000);
    expect(admitted).toBeGreaterThanOrEqual(54);
    for (const server of servers) {
      server.kill('SIGKILL');
      await once(server, 'exit');
    }
    await own.close();
  });

  test('the store holds no name of a caller, no token and no signing key in clear text, and every key expires', async () => {
    const subject = 'somebody-with-a-name';
    const token = await issuer.sign({ sub: subject, scope: 'read' });
    const auth = authenticatorOf(issuer);
    const [one] = await startReplicas(1, { server: { auth, limits: { 'rate.points': 1_000 } } });
    expect(
      (await one!.ask('{ head { height } groups { nodes { id } } }', {}, { authorization: `Bearer ${token}` })).status,
    ).toBe(200);
    const keys = createSharedKeyStore(one!.store, 'a secret of more than thirty-two characters');
    const issuerKeys = createIssuerKeys({ store: keys, period: 60_000, overlap: 1_000 });
    const { kid } = await issuerKeys.signing();
    const other = createIssuerKeys({
      store: createSharedKeyStore(one!.store, 'a secret of more than thirty-two characters'),
      period: 60_000,
      overlap: 1_000,
    });
    expect((await other.signing()).kid).toBe(kid);
    const secret = (await keys.read()).keys.map(({ jwk }) => jwk.d!);
    const names = (await redis.admin.keys('*')).filter((name) => name.startsWith(`stele:${keyName()}:`));
    expect(names.filter((name) => name.includes(':c:')).length).toBeGreaterThan(0);
    for (const name of names) {
      expect(name).toMatch(/^stele:[^:]*:[cv]:/);
      expect(await redis.admin.pttl(name)).toBeGreaterThan(0);
      const content =
        (await redis.admin.type(name)) === 'hash'
          ? JSON.stringify(await redis.admin.hgetall(name))
          : await redis.admin.get(name);
      for (const text of [...secret, subject, token, '127.0.0.1']) expect(`${name} ${content}`).not.toContain(text);
    }
  });
});
