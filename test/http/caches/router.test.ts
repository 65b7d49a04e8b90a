import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { composeServices } from '@apollo/composition';
import { parse } from 'graphql';
import { afterEach, expect, it } from 'vitest';
import { schema, schemaText } from '../../../src/graphql/schema.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { withFederation } from '../../../src/schema/printSchema.ts';
import { fc, runsAll, seed, sizeOf } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, describeGroup, submitProposal, type TestGroup, vote } from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';

interface Data {
  readonly data: unknown;
}

type Listener = ((request: IncomingMessage, response: ServerResponse) => unknown) & AsyncDisposable;

// The types of Hive Gateway change those of graphql-js, so they are not loaded.
const load = (name: string): Promise<unknown> => import(name);
const { createGatewayRuntime } = (await load('@graphql-hive/gateway-runtime')) as {
  createGatewayRuntime(options: object): Listener;
};
const { createTaggedCache } = (await load('../../../examples/supergraph/responseCache.js')) as {
  createTaggedCache(options: { readonly key: string; onHit(id: string): void; onDrop(id: string, answer: Data): void }): object;
};

const post = async (url: string, query: string): Promise<Data> => {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
  const { data, errors } = (await response.json()) as Data & { errors?: unknown };
  expect(errors).toBeUndefined();
  return { data };
};

/** Counts the requests that this process sends to the invalidation endpoint, and waits until none is under way. */
function followPosts() {
  const open = new Set<object>();
  const listeners = new Set<() => void>();
  const counts = { posts: 0, tags: 0 };
  const begin = (message: unknown): void => {
    const { request } = message as { request: { path: string; body: unknown } };
    if (request.path !== '/invalidation') return;
    open.add(request);
    counts.posts += 1;
    counts.tags += (JSON.parse(String(request.body)) as { tags: string[] }).tags.length;
  };
  const end = (message: unknown): void => {
    open.delete((message as { request: object }).request);
    for (const notify of [...listeners]) notify();
  };
  channel('undici:request:create').subscribe(begin);
  for (const name of ['trailers', 'error']) channel(`undici:request:${name}`).subscribe(end);
  return {
    counts,
    async none(): Promise<void> {
      while (open.size > 0) await new Promise<void>((resolve) => listeners.add(resolve));
      listeners.clear();
    },
    close() {
      channel('undici:request:create').unsubscribe(begin);
      for (const name of ['trailers', 'error']) channel(`undici:request:${name}`).unsubscribe(end);
    },
  };
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const { supergraphSdl: supergraph } = composeServices([
  { name: 'stele', url: 'http://stele/graphql', typeDefs: parse(schemaText(withFederation(schema, '2.12'))) },
]);

/** Starts servers over one chain, and Hive Gateway in front of them, which asks each in turn. */
async function start(count: number) {
  expect(supergraph).toBeDefined();
  const chain = await startChain();
  const posts = followPosts();
  const dropped: { query: string; data: unknown }[] = [];
  const counts = { hits: 0 };
  const cache = createTaggedCache({
    key: 'key',
    onHit: () => {
      counts.hits += 1;
    },
    onDrop: (id, answer) => dropped.push({ query: (JSON.parse(id) as [string])[0], data: answer.data }),
  });
  const stacks: Stack[] = [];
  const urls: string[] = [];
  let turn = 0;
  const gateway = createGatewayRuntime({
    supergraph,
    logging: false,
    maskedErrors: false,
    plugins: () => [
      cache,
      {
        onFetch({ setURL }: { setURL(url: string): void }) {
          turn += 1;
          setURL(urls[turn % urls.length]!);
        },
      },
    ],
  });
  const server: Server = createServer((request, response) => void gateway(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (let started = 0; started < count; started += 1) {
    // Roots that a slow machine learns late would be unknown.
    const stack = await startStack([chain.node.url], {
      client: { roots: { longestWait: 30_000 } },
      server: { invalidate: [`http://:key@127.0.0.1:${port}/invalidation`] },
    });
    stacks.push(stack);
    urls.push(`${stack.server.url}/graphql`);
  }
  await posts.none();
  closing.push(async () => {
    for (const stack of stacks) {
      await stack.close();
      expect(stack.masked).toEqual([]);
    }
    posts.close();
    server.closeAllConnections();
    server.close();
    await gateway[Symbol.asyncDispose]();
    await chain.devnet.close();
  });
  /** Until every server has compared the newest block with its tags, and what it posted has arrived. */
  async function settle(): Promise<void> {
    const { height } = chain.devnet;
    for (const { client } of stacks) {
      await client.head.waitFor(height, { milliseconds: 30_000 });
      await client.roots.settled(height);
    }
    await new Promise((resolve) => setImmediate(resolve));
    await posts.none();
  }
  /** Until the ranges of everything that was read are proven. */
  async function followed(): Promise<void> {
    while (stacks.some(({ client }) => (client.roots.keptReads()?.pending ?? 0) > 0))
      await new Promise((resolve) => setImmediate(resolve));
  }
  return { chain, stacks, urls, url: `http://127.0.0.1:${port}/graphql`, posts, dropped, counts, settle, followed };
}

/** The queries: some about one object each, and some about lists. Each shows everything that a write changes in what it reads. */
const queriesOf = (proposals: readonly bigint[], group: TestGroup, other: string): readonly string[] => [
  ...proposals.map(
    (id) =>
      `{ proposal(id: "${id}") { id title status tally { yesCount noCount } votes(first: 50) { nodes { option voter { address } } } } }`,
  ),
  `{ group(id: "${group.id}") { id metadata version totalWeight members(first: 10) { nodes { weight account { address } } } } }`,
  `{ proposalsByGroupPolicy(address: "${group.policy}", first: 3, reverse: true) { nodes { id title status } } }`,
  `{ account(address: "${other}") { address sequence balance(denom: "nhash") { amount } } }`,
  '{ markers(first: 3) { nodes { denom status } } }',
];

/** One random write, or none in nine of ten blocks. */
async function write(chain: TestChain, group: TestGroup, proposals: readonly bigint[], choice: number): Promise<void> {
  const [one, ...voters] = chain.accounts;
  const kind = choice % 100;
  const place = Math.floor(choice / 100);
  if (kind < 2) await submitProposal(chain, group, one!, { title: `Number ${choice}` });
  else if (kind < 4) await chain.run(one!, describeGroup(one!, group, `Text ${choice}`));
  else if (kind < 6) {
    const amount = [{ denom: 'nhash', amount: '1' }];
    await chain.run(one!, any(MsgSendSchema, { fromAddress: one!.address, toAddress: voters[0]!.address, amount }));
  } else if (kind < 10) {
    const voter = voters[place % voters.length]!;
    const id = proposals[Math.floor(place / voters.length) % proposals.length]!;
    // A second vote of one member is refused, and changes the account that pays alone.
    await chain.run(voter, vote(voter, id)).catch(() => undefined);
  } else await chain.devnet.commit();
}

it.runIf(runsAll).each([1, 2])(
  'no answer of Hive Gateway in front of %i servers is stale after random writes, and none was dropped needlessly',
  async (count) => {
    const { chain, stacks, urls, url, posts, dropped, counts, settle, followed } = await start(count);
    const [one, ...voters] = chain.accounts;
    const members = [one!, ...voters].map((account) => [account, '1'] as const);
    const group = await createGroup(chain, members, { threshold: '1000', votingSeconds: 100_000_000 });
    const proposals: bigint[] = [];
    for (let made = 0; made < 4; made += 1)
      proposals.push(await submitProposal(chain, group, one!, { title: `First ${made}` }));
    const queries = queriesOf(proposals, group, voters[0]!.address);
    // The stores of a read are learnt from its first execution on.
    for (const each of urls) for (const query of queries) await post(each, query);
    await chain.devnet.commit();
    await settle();
    for (const each of urls) for (const query of queries) await post(each, query);
    await followed();
    expect(stacks.map(({ client }) => client.roots.status().state)).toEqual(stacks.map(() => 'USED'));
    const blocks = sizeOf(count === 1 ? { full: Number(process.env.BLOCKS ?? 10_000), ci: 40 } : { full: 300, ci: 10 });
    const found = { asked: 0, stale: 0, dropped: 0, needless: 0, timedHits: 0, timedStale: 0 };
    /** A cache that keeps each answer for 5 s, with a block each second. */
    const timed = new Map<string, { json: string; until: number }>();
    dropped.length = 0;
    counts.hits = 0;
    for (const [clock, choice] of fc.sample(fc.nat(1_000_000), { numRuns: blocks, seed }).entries()) {
      await write(chain, group, proposals, choice);
      await settle();
      for (const { query, data } of dropped.splice(0)) {
        found.dropped += 1;
        if (JSON.stringify((await post(urls[0]!, query)).data) === JSON.stringify(data)) found.needless += 1;
      }
      for (let asked = 0; asked < 4; asked += 1) {
        const query = queries[(choice + clock + asked * 3) % queries.length]!;
        const [routed, fresh] = await Promise.all([post(url, query), post(urls[0]!, query)]);
        const json = JSON.stringify(fresh.data);
        found.asked += 1;
        if (JSON.stringify(routed.data) !== json) found.stale += 1;
        const held = timed.get(query);
        if (held !== undefined && held.until > clock) {
          found.timedHits += 1;
          if (held.json !== json) found.timedStale += 1;
        } else timed.set(query, { json, until: clock + 5 });
      }
      await followed();
    }
    const rate = (hits: number): string => (hits / found.asked).toFixed(3);
    if (process.env.FULL === '1')
      console.info(
        `${count} servers, ${blocks} blocks: ${JSON.stringify({ ...found, hits: counts.hits, ...posts.counts })}; hit rate ${rate(counts.hits)}, with 5 s ${rate(found.timedHits)}`,
      );
    expect([found.stale, found.needless]).toEqual([0, 0]);
    expect(found.dropped).toBeGreaterThan(0);
    expect(counts.hits / found.asked).toBeGreaterThan(0.5);
  },
);
