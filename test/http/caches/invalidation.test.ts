import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { fc, seed, sizeOf } from '../../support/atRandom.ts';
import { startChain } from '../../support/chain.ts';
import { createGroup, describeGroup, submitProposal } from '../../support/groups.ts';
import { startStack } from '../../support/stack.ts';

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const closing: Server[] = [];
afterEach(() => {
  for (const server of closing.splice(0)) server.close();
});

/** A caching reverse proxy, with an endpoint that invalidates tags in one of the two formats. */
async function createRouter() {
  let upstream = '';
  const stored = new Map<string, { text: string; tags: readonly string[]; at: number }>();
  const counts = { hits: 0, misses: 0, drops: 0, posts: 0, timedHits: 0 };
  const timed = new Map<string, number>();
  const last: { tags: readonly string[]; authorization: string | undefined } = { tags: [], authorization: undefined };
  const listeners = new Set<() => void>();
  let clock = 0;

  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (request.url === '/invalidation') {
      const json = JSON.parse(body) as { tags: string[] } | { kind: string; subgraphs: string[]; cache_tag: string }[];
      const tags = Array.isArray(json) ? json.map((each) => each.cache_tag) : json.tags;
      if (!Array.isArray(json)) expect(request.headers['surrogate-key']).toBe(tags.join(' '));
      else expect(json).toEqual(tags.map((tag) => ({ kind: 'cache_tag', subgraphs: ['stele'], cache_tag: tag })));
      for (const [key, entry] of stored)
        if (entry.tags.some((tag) => tags.includes(tag))) {
          stored.delete(key);
          counts.drops += 1;
        }
      counts.posts += 1;
      Object.assign(last, { tags, authorization: request.headers.authorization });
      response.end();
      for (const notify of listeners) notify();
      return;
    }
    const expires = timed.get(body);
    if (expires !== undefined && expires > clock) counts.timedHits += 1;
    else timed.set(body, clock + 5);
    const found = stored.get(body);
    if (found !== undefined) {
      counts.hits += 1;
      response.end(found.text);
      return;
    }
    counts.misses += 1;
    const answer = await fetch(upstream, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const text = await answer.text();
    const tags = answer.headers.get('surrogate-key')?.split(' ') ?? [];
    if (answer.headers.get('cache-control')?.includes('max-age') === true) stored.set(body, { text, tags, at: clock });
    response.end(text);
  }).listen(0, '127.0.0.1');
  closing.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
    last,
    stored,
    to(url: string) {
      upstream = `${url}/graphql`;
    },
    /** Seconds, for the cache that only has a time. */
    tick(seconds: number) {
      clock += seconds;
    },
    async posted(count: number): Promise<void> {
      while (counts.posts < count) await new Promise<void>((resolve) => listeners.add(resolve));
    },
  };
}

const queries = [
  '{ groups(first: 5) { nodes { id metadata totalWeight } } }',
  '{ group(id: 1) { metadata version proposals(first: 5, reverse: true) { nodes { id title } } } }',
  '{ supplyOf(denom: "nhash") { amount } }',
  '{ markers(first: 3) { nodes { denom status } } }',
];

async function start(format: 'apollo' | 'surrogate-key') {
  const chain = await startChain();
  const router = await createRouter();
  const invalidate = [`${router.url.replace('//', '//:key@')}/invalidation`];
  const stack = await startStack([chain.node.url], { server: { invalidate, invalidateFormat: format } });
  router.to(stack.server.url);
  const ask = async (url: string, query: string): Promise<{ data: unknown; extensions: { height: string } }> =>
    JSON.parse(
      await (
        await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query }) })
      ).text(),
    );
  return { chain, router, stack, ask };
}

it('names the stores of an answer, and keeps what may change out of caches', async () => {
  const { chain, stack } = await start('apollo');
  const headersOf = async (query: string) => {
    const { headers } = await fetch(`${stack.server.url}/graphql?query=${encodeURIComponent(query)}`);
    return [headers.get('surrogate-key'), headers.get('cache-tag'), headers.get('cache-control')];
  };
  await chain.devnet.commit();
  await stack.client.head.ready();
  // The stores of an answer are learnt from its first read on.
  await expect.poll(async () => (await headersOf(queries[0]!))[2]).toBe('public, max-age=3600');
  expect((await headersOf(queries[0]!)).slice(0, 2)).toEqual(['stele-group stele-upgrade', 'stele-group,stele-upgrade']);
  for (const query of ['{ head { height } }', '{ nothing }', '{ status { syncInfo { latestBlockHeight } } }'])
    expect(await headersOf(query)).toEqual([null, null, 'no-store']);
  expect(
    (await fetch(`${stack.server.url}/graphql?height=1&query=${encodeURIComponent(queries[0]!)}`)).headers.get('cache-control'),
  ).toBe('no-store');
  await stack.close();
  await chain.devnet.close();
});

it.each(['apollo', 'surrogate-key'] as const)(
  'no answer of a caching router is stale after random writes (%s)',
  async (format) => {
    const { chain, router, stack, ask } = await start(format);
    const [one, two] = chain.accounts;
    const group = await createGroup(chain, [
      [one!, '1'],
      [two!, '1'],
    ]);
    await router.posted(1);
    expect(router.last.authorization).toBe('key');
    const blocks = sizeOf(format === 'apollo' ? { full: 10_000, ci: 40, own: 40 } : { full: 200, ci: 20, own: 20 });
    const stores = [...stack.client.roots.methods().byStore.keys()];
    const rootsAt = (height: bigint) => stores.map((store) => stack.client.roots.keyAt(height, [store]));
    const settle = async (): Promise<readonly (string | undefined)[]> => {
      const { height } = chain.devnet;
      await stack.client.head.waitFor(height, { milliseconds: 10_000 });
      await stack.client.roots.settled(height);
      return rootsAt(height);
    };
    // Until the roots are learnt, each block posts all tags. The last block before the loop is the only one since then that changes groups.
    do {
      const { posts } = router.counts;
      await chain.devnet.commit();
      await settle();
      await router.posted(posts + 1);
    } while (router.last.tags.includes('stele-group'));
    await submitProposal(chain, group, one!, { title: 'Last' });
    let lastRoots = await settle();
    while (!router.last.tags.includes('stele-group')) await router.posted(router.counts.posts + 1);
    let stale = 0;
    let needless = 0;
    let asked = 0;
    for (const [index, choice] of fc.sample(fc.nat(99), { numRuns: blocks, seed }).entries()) {
      const { posts } = router.counts;
      if (choice < 5) await submitProposal(chain, group, one!, { title: `Number ${index}` });
      else if (choice < 10) await chain.run(one!, describeGroup(one!, group, `Text ${index}`));
      else await chain.devnet.commit();
      router.tick(1);
      const roots = await settle();
      const changedTags = stores.flatMap((store, place) => (roots[place] === lastRoots[place] ? [] : [`stele-${store}`]));
      lastRoots = roots;
      expect(roots).not.toContain(undefined);
      if (changedTags.length > 0) {
        await router.posted(posts + 1);
        needless += router.last.tags.filter((tag) => !changedTags.includes(tag)).length;
        expect(changedTags.filter((tag) => !router.last.tags.includes(tag))).toEqual([]);
      }
      const after = await Promise.all(queries.map((query) => ask(`${stack.server.url}/graphql`, query)));
      const cached = await Promise.all(queries.map((query) => ask(router.url, query)));
      asked += queries.length;
      for (const [place, { data }] of cached.entries())
        if (JSON.stringify(data) !== JSON.stringify(after[place]!.data)) stale += 1;
    }
    const { hits, drops, timedHits } = router.counts;
    if (process.env.FULL !== undefined)
      console.info(
        `${format}: ${blocks} blocks, ${asked} requests, hit rate ${(hits / asked).toFixed(3)} (5 s: ${(timedHits / asked).toFixed(3)}), ${drops} dropped`,
      );
    expect([stale, needless]).toEqual([0, 0]);
    expect(hits / asked).toBeGreaterThan(0.5);
    expect(stack.masked).toEqual([]);
    await stack.close();
    await chain.devnet.close();
  },
);
