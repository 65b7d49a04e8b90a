import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createCacheTags } from '../../../src/server/cacheTags.ts';
import { startChain } from '../../support/chain.ts';
import { createGroup, submitProposal } from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The invalidation endpoint of a cache. */
async function createEndpoint() {
  const posts: { readonly body: unknown; readonly tags: readonly string[]; readonly headers: IncomingMessage['headers'] }[] =
    [];
  const listeners = new Set<() => void>();
  const state = { failures: 0 };
  const server: Server = createServer(async (request, response) => {
    const body = JSON.parse(await bodyOf(request)) as { tags: string[] } | { cache_tag: string }[];
    if (state.failures > 0) {
      state.failures -= 1;
      response.writeHead(503).end();
      return;
    }
    posts.push({
      body,
      tags: Array.isArray(body) ? body.map((each) => each.cache_tag) : body.tags,
      headers: request.headers,
    });
    response.end();
    for (const notify of [...listeners]) notify();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return {
    url: `http://:key@127.0.0.1:${(server.address() as AddressInfo).port}/invalidation`,
    posts,
    state,
    /** The next post with a tag other than that of all answers. */
    async until(holds: () => boolean): Promise<void> {
      while (!holds()) await new Promise<void>((resolve) => listeners.add(resolve));
    },
  };
}

async function headersOf(stack: Stack, query: string) {
  const { headers } = await fetch(`${stack.server.url}/graphql?query=${encodeURIComponent(query)}`);
  return { key: headers.get('surrogate-key'), tag: headers.get('cache-tag'), control: headers.get('cache-control') };
}

const groups = '{ groups(first: 5) { nodes { id metadata totalWeight } } }';

async function start(options: { invalidateFormat?: 'apollo' | 'surrogate-key'; limits?: Record<string, number> } = {}) {
  const chain = await startChain();
  const endpoint = await createEndpoint();
  const stack = await startStack([chain.node.url], {
    client: { roots: { longestWait: 30_000 } },
    server: { invalidate: [endpoint.url], ...options },
  });
  closing.push(async () => {
    await stack.close();
    await chain.devnet.close();
  });
  await stack.client.head.ready();
  // The stores of an answer are learnt from its first read on.
  await headersOf(stack, groups);
  await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 10_000 });
  await expect.poll(async () => (await headersOf(stack, groups)).control).toBe('public, max-age=3600');
  return { chain, endpoint, stack };
}

it('tags each answer with its reads, and keeps what may change otherwise out of caches', async () => {
  const { stack } = await start();
  const one = await headersOf(stack, groups);
  expect(one.key).toMatch(/^stele( stele-[0-9a-f]{16})+$/);
  expect(one.tag).toBe(one.key?.replaceAll(' ', ','));
  expect(await headersOf(stack, groups)).toEqual(one);
  const nothing = { key: null, tag: null, control: 'no-store' };
  for (const query of ['{ head { height } }', '{ nothing }', '{ status { syncInfo { latestBlockHeight } } }'])
    expect(await headersOf(stack, query)).toEqual(nothing);
  const past = await fetch(`${stack.server.url}/graphql?height=1&query=${encodeURIComponent(groups)}`);
  expect(past.headers.get('cache-control')).toBe('no-store');
});

it('tags an answer of many reads with its stores', async () => {
  const { stack } = await start({ limits: { 'cacheTags.number': 2 } });
  const query = '{ groups(first: 5) { nodes { id members(first: 5) { nodes { account { address } } } } } }';
  expect((await headersOf(stack, query)).key).toMatch(/^stele stele-group( stele-[a-z]+)*$/);
});

it.each(['apollo', 'surrogate-key'] as const)('posts the tags of what has changed (%s)', async (invalidateFormat) => {
  const { chain, endpoint, stack } = await start({ invalidateFormat });
  const [one, two] = chain.accounts;
  await endpoint.until(() => endpoint.posts.length > 0);
  // At the start: caches may have answers of a process that ended.
  expect(endpoint.posts[0]?.tags).toEqual(['stele']);
  const { key } = await headersOf(stack, groups);
  endpoint.state.failures = 1;
  const seen = endpoint.posts.length;
  const members = [one!, two!].map((account) => [account, '1'] as const);
  const group = await createGroup(chain, members);
  await endpoint.until(() => endpoint.posts.length > seen);
  const { tags, body, headers } = endpoint.posts[seen]!;
  expect(key?.split(' ').slice(1)).toEqual(expect.arrayContaining([...tags]));
  expect(headers.authorization).toBe('key');
  if (invalidateFormat === 'apollo')
    expect(body).toEqual(tags.map((tag) => ({ kind: 'cache_tag', subgraphs: ['stele'], cache_tag: tag })));
  else expect([headers['surrogate-key'], body]).toEqual([tags.join(' '), { tags }]);
  // The failed request was repeated, and is in the log.
  expect(stack.masked.splice(0).map(String)).toEqual([expect.stringContaining('responds with status 503')]);
  // A tag that no cache can have any more is not posted.
  const before = endpoint.posts.length;
  await submitProposal(chain, group, one!);
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 10_000 });
  await stack.client.roots.settled(chain.devnet.height);
  await expect.poll(async () => (await headersOf(stack, groups)).control).toBe('public, max-age=3600');
  expect(endpoint.posts.length).toBe(before);
  await stack.server.close();
  // Nobody follows its answers any more.
  expect(endpoint.posts.at(-1)?.tags).toEqual(['stele']);
});

it('puts the tags into the extensions that Apollo Router reads', async () => {
  const { stack } = await start({ invalidateFormat: 'apollo' });
  const { key } = await headersOf(stack, groups);
  const { body } = await stack.ask(groups);
  expect(body.extensions).toEqual({ height: expect.stringMatching(/^\d+$/), apolloCacheTags: key?.split(' ') });
  const entities =
    '($representations: [_Any!]!) { _entities(representations: $representations) { ... on Group { metadata } } }';
  const representations = ['1', '2'].map((id) => ({ __typename: 'Group', id }));
  const { extensions } = (await stack.ask(`query ${entities}`, { representations })).body;
  const { apolloEntityCacheTags: ofEntities } = extensions as { apolloEntityCacheTags?: readonly (readonly string[])[] };
  expect(ofEntities).toHaveLength(2);
  expect(ofEntities?.[0]).toEqual(['stele', ...(ofEntities?.[1]?.slice(1) ?? [])]);
  expect(extensions).not.toHaveProperty('apolloCacheTags');
});

it('allows caches nothing while a read is unknown, and forgets the oldest tags', () => {
  let newest = 5n;
  const known = new Map([['group', 5n]]);
  const client = {
    head: { current: () => ({ height: newest }) },
    roots: {
      keyAt: (height: bigint, stores: readonly string[]) =>
        stores.every((store) => known.has(store)) ? `${height > 6n}` : undefined,
      areSame: ([read]: readonly { name: string }[]) => read?.name === 'same',
    },
  } as unknown as Parameters<typeof createCacheTags>[0];
  const tags = createCacheTags(client, 10);
  const stores = ['group'];
  const of = (...names: string[]) =>
    tags.of({ stores, validUntil: null, reads: 1, named: names.map((name) => ({ name, stores })) });
  const [same, other] = [of('same'), of('other')];
  expect(tags.send(same, 5n)).toBe(true);
  expect(tags.send(other, 5n)).toBe(true);
  expect(tags.send(['stele', 'stele-unknown'], 5n)).toBe(false);
  newest = 6n;
  expect(tags.changed(6n)).toEqual([]);
  newest = 7n;
  // An answer of an earlier height whose read has changed since.
  expect(tags.send(other, 6n)).toBe(false);
  expect(tags.changed(7n)).toEqual(other.slice(1));
  expect(tags.changed(7n)).toEqual([]);
  known.clear();
  newest = 8n;
  expect(tags.send(same, 8n)).toBe(false);
  expect(tags.changed(8n)).toEqual(same.slice(1));
  expect(tags.clear()).toBe(false);
});
