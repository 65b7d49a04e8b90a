import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSharedCache } from '../../src/chain/memory/memoryBudget.ts';
import { createStateReader } from '../../src/chain/state/state.ts';
import { type StoreWait, sizeOfEntry } from '../../src/chain/state/stateEntries.ts';
import { http } from '../../src/chain/transports/http.ts';
import { createLimits } from '../../src/config/limits/limits.ts';
import { createLocalStore } from '../../src/shared/localStore.ts';
import { openRedisStore, readRedisUrl } from '../../src/shared/redisStore.ts';
import { createSharedReads, type SharedStore, storeWaits } from '../../src/shared/sharedStore.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { hasRedis, redisNote, startRedis } from '../support/redis.ts';
import { startStack } from '../support/stack.ts';

/** A store that never answers, and what it was asked for. */
function createSilentStore(): { readonly store: SharedStore; readonly asked: Record<'find' | 'get' | 'count', number> } {
  const asked = { find: 0, get: 0, count: 0 };
  const silent = (name: keyof typeof asked) => (): Promise<never> => {
    asked[name] += 1;
    return new Promise(() => undefined);
  };
  const local = createLocalStore({ maxBytes: 1_000_000, maxValue: 1_000 }).of('test');
  const store = { ...local, find: silent('find'), get: silent('get'), count: silent('count') };
  return { store, asked };
}

describe('shared.wait: a store that never answers', () => {
  let chain: TestChain;

  beforeEach(async () => {
    chain = await startChain();
    await chain.devnet.commit();
  });
  afterEach(() => chain.devnet.close());

  it('is asked in one wave of the reads of a request, and not again', async () => {
    const transport = http(chain.node.url);
    const { store, asked } = createSilentStore();
    const shared = createSharedReads(store, { blockHash: () => 'AB', longest: 10 });
    const reader = createStateReader({
      transport,
      chain: () => chain.devnet.chainId,
      cache: createSharedCache(1_000_000).add(sizeOfEntry),
      shared,
    });
    const read = (request: ReturnType<typeof reader.at>, id: number): Promise<Uint8Array> =>
      request.query('/cosmos.group.v1.Query/GroupsByMember', Buffer.from([0x12, 2, 8, id]));
    const first = reader.at(2n);
    await Promise.allSettled([read(first, 1), read(first, 2)]);
    expect(asked.find).toBe(2);
    await Promise.allSettled([read(first, 3)]);
    await Promise.allSettled([read(first, 4), read(first, 5)]);
    expect(asked.find).toBe(2);
    const next = reader.at(2n);
    await Promise.allSettled([read(next, 6)]);
    expect(asked.find).toBe(3);
    expect(chain.node.counters.log.filter(({ method }) => method === 'abci_query')).toHaveLength(6);
    await transport.close();
  });

  describe('delays a read that joins the read of another request only as long as each may wait', () => {
    /** A wait that ends when the test says so. */
    function createOwnWait(): StoreWait & { end(): void } {
      let isOver = false;
      let end = (): void => undefined;
      const over = new Promise<undefined>((resolve) => {
        end = () => {
          isOver = true;
          resolve(undefined);
        };
      });
      return {
        left: () => (isOver ? 0 : 10),
        within: (_, command) => (isOver ? over : Promise.race([command(), over])),
        end,
      };
    }

    it.each(['before', 'after'])('%s it joins', async (when) => {
      const transport = http(chain.node.url);
      const { store, asked } = createSilentStore();
      const reader = createStateReader({
        transport,
        chain: () => chain.devnet.chainId,
        cache: createSharedCache(1_000_000).add(sizeOfEntry),
        shared: createSharedReads(store, { blockHash: () => 'AB', longest: 10 }),
      });
      const [patient, other] = [createOwnWait(), createOwnWait()];
      const read = (wait: StoreWait): Promise<Uint8Array> =>
        reader.at(2n, undefined, undefined, wait).query('/cosmos.group.v1.Query/GroupsByMember', Buffer.from([0x12, 2, 8, 1]));
      const first = read(patient);
      await expect.poll(() => asked.find).toBe(1);
      if (when === 'before') other.end();
      const joined = read(other);
      other.end();
      // The store never answers, and the first request may still wait.
      await Promise.allSettled([joined, first]);
      expect(asked.find).toBe(1);
      expect(chain.node.counters.log.filter(({ method }) => method === 'abci_query')).toHaveLength(1);
      await transport.close();
    });
  });

  it('delays a request once for the limits of its caller and once for its reads, and fails none', async () => {
    const { store, asked } = createSilentStore();
    const stack = await startStack([chain.node.url], {
      server: { shared: store, limits: { 'rate.points': 1_000 } },
      client: { learnsRoots: false },
    });
    await stack.client.head.ready();
    chain.node.counters.reset();
    const query = '{ groups { nodes { id policies { nodes { address proposals { nodes { id } } } } } } }';
    const { status, body } = await stack.ask(query);
    expect(status).toBe(200);
    expect(body.errors).toBeUndefined();
    expect(asked.count).toBe(1);
    const reads = chain.node.counters.log.filter(({ method }) => method === 'abci_query').length;
    expect(asked.find).toBeGreaterThan(0);
    expect(asked.find).toBeLessThan(reads);
    await stack.close();
  });

  it('is divided among what a request waits for', () => {
    const limits = createLimits();
    const { counters, documents, reads } = storeWaits(limits);
    expect(counters + documents + reads).toBe(limits['shared.wait']);
  });
});

/** Holds a store to `shared.value`. */
async function holdToSize(store: SharedStore): Promise<void> {
  await store.put('group', 'small', new Uint8Array(100), 60_000);
  await store.put('group', 'large', new Uint8Array(101), 60_000);
  expect((await store.get('group', 'small'))?.byteLength).toBe(100);
  expect(await store.get('group', 'large')).toBeNull();
}

it('shared.value: the primary of workers stores no larger value', () =>
  holdToSize(createLocalStore({ maxBytes: 1_000_000, maxValue: 100 }).of('test')));

it.skipIf(!hasRedis)(
  `shared.value: a Redis server with a password gets no larger value, and none without the password${redisNote}`,
  async () => {
    const redis = await startRedis({ password: 'a b:c@d/e' });
    const lost: string[] = [];
    const open = (credentials: string): Promise<SharedStore> =>
      openRedisStore({
        url: redis.url.replace('//', `//${credentials}`),
        chainId: () => 'testing',
        maxValue: 100,
        wait: 30_000,
        onLost: (trouble) => lost.push(trouble),
        onBack: () => undefined,
      });
    const password = encodeURIComponent('a b:c@d/e');
    const stores = await Promise.all([open(`:${password}@`), open(`default:${password}@`), open('')]);
    const [store, withName, without] = stores;
    await expect.poll(() => store!.isUsable() && withName!.isUsable()).toBe(true);
    await holdToSize(store!);
    expect((await withName!.get('group', 'small'))?.byteLength).toBe(100);
    await expect.poll(() => lost).toEqual(['REFUSED']);
    expect(without!.isUsable()).toBe(false);
    expect(await without!.get('group', 'small')).toBeUndefined();
    for (const opened of stores) await opened.close();
    await redis.close();
  },
);

it.skipIf(!hasRedis)(`a store whose certificate is not trusted is not used${redisNote}`, async () => {
  const redis = await startRedis({ hasTls: true });
  const lost: string[] = [];
  const store = await openRedisStore({
    url: redis.tls!.url,
    chainId: () => 'testing',
    maxValue: 100,
    wait: 30_000,
    onLost: (trouble) => lost.push(trouble),
    onBack: () => undefined,
  });
  await expect.poll(() => lost).toEqual(['UNREACHABLE']);
  expect(store.isUsable()).toBe(false);
  await store.close();
  await redis.close();
});

it.each([
  ['redis://a', { node: { host: 'a', port: 6379 }, database: 0, isCluster: false }],
  ['redis://[::1]:7000/3', { node: { host: '::1', port: 7000 }, database: 3, isCluster: false }],
  [
    'rediss://me:p%40ss@cache.example:6380?cluster=true',
    {
      ...{ node: { host: 'cache.example', port: 6380 }, username: 'me', password: 'p@ss', database: 0, isCluster: true },
      tls: { servername: 'cache.example' },
    },
  ],
  ['rediss://10.0.0.1', { node: { host: '10.0.0.1', port: 6379 }, database: 0, isCluster: false, tls: {} }],
])('the URL %s of a store is read', (url, address) => {
  expect(readRedisUrl(url)).toEqual(address);
});
