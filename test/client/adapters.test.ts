import { ApolloClient, gql, InMemoryCache } from '@apollo/client';
import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { cacheExchange, Client as UrqlClient } from '@urql/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { steleLink } from '../../packages/client/src/adapters/apollo.ts';
import { steleLiveQuery, steleQuery } from '../../packages/client/src/adapters/tanstack.ts';
import { steleExchange } from '../../packages/client/src/adapters/urql.ts';
import { type Client, createClient } from '../../packages/client/src/index.ts';
import { createRandom } from '../../packages/devnet/src/app/runtime/random.ts';
import { runsAll, seed } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { createGroup, describeGroup } from '../support/groups.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../support/issuer.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { type BusyChain, type Sent, startBusyChain } from './busyChain.ts';
import { type FaultyRelay, startFaultyRelay } from './relay.ts';

/** Blocks of a run: `CLIENT_BLOCKS=2000 npx vitest run test/client/adapters.test.ts` is the full size. */
const blocks = Number(process.env.CLIENT_BLOCKS ?? 40);

let issuer: TestIssuer;
let busy: BusyChain;
let chain: TestChain;
let busyStack: Stack;
let stack: Stack;
/** A relay to each server. */
let busyRelay: FaultyRelay;
let relay: FaultyRelay;
let client: Client;

beforeAll(async () => {
  issuer = await startIssuer();
  [busy, chain] = await Promise.all([startBusyChain(), startChain({ bare: true })]);
  const auth = authenticatorOf(issuer);
  busyStack = await startStack([busy.node.url], { server: { auth } });
  stack = await startStack([chain.node.url], { server: { auth } });
  busyRelay = await startFaultyRelay(busyStack.server.url);
  relay = await startFaultyRelay(stack.server.url);
});

afterAll(async () => {
  await Promise.all([busyRelay.close(), relay.close()]);
  await Promise.all([busyStack.close(), stack.close()]);
  await Promise.all([busy.devnet.close(), chain.devnet.close()]);
  await issuer.close();
});

/** Creates the client of a test. */
function connect({ url }: FaultyRelay): Client {
  client = createClient({
    url: `${url}/graphql`,
    webSocket: WebSocket,
    token: () => issuer.sign({ exp: Math.floor(Date.now() / 1_000) + 2 }),
  });
  return client;
}

afterEach(() => client.close());

interface Transactions {
  readonly transactions: Sent;
}
interface Group {
  readonly group: { readonly id: string; readonly metadata: string } | null;
}
const sentQuery = 'subscription Sent($after: Int64) { transactions(after: $after) { height hash } }';
const groupQuery = 'query Group($id: ID!) { group(id: $id) { id metadata } }';
const liveQuery = groupQuery.replace(' {', ' @live {');
const badQuery = 'query Bad { groups(first: 999) { totalCount } }';

/** A client of another library. */
interface Adapted {
  /** Calls `next` with each event. Returns the function that ends the subscription. */
  sent(after: string, next: (sent: Sent) => void, failed: (error: unknown) => void): () => void;
  group(id: string, height?: string): Promise<Group | undefined>;
  /** Calls `next` with the metadata of each result. */
  live(id: string, next: (metadata: string) => void): () => void;
  /** The code of the error of a query that is refused. */
  refused(): Promise<unknown>;
}

function urql(client: Client): Adapted {
  const adapted = new UrqlClient({ url: '/', preferGetMethod: false, exchanges: [cacheExchange, steleExchange(client)] });
  return {
    sent: (after, next, failed) =>
      adapted.subscription<Transactions>(sentQuery, { after }).subscribe(({ data, error }) => {
        if (error) failed(error);
        else if (data) next(data.transactions);
      }).unsubscribe,
    async group(id, height) {
      const { data } = await adapted.query<Group>(groupQuery, { id }, { requestPolicy: 'network-only', height }).toPromise();
      return data;
    },
    live: (id, next) =>
      adapted
        .query<Group>(liveQuery, { id }, { requestPolicy: 'network-only' })
        .subscribe(({ data }) => data?.group && next(data.group.metadata)).unsubscribe,
    async refused() {
      const { error } = await adapted.query(badQuery, {}).toPromise();
      return error?.graphQLErrors[0]?.extensions.code;
    },
  };
}

function apollo(client: Client): Adapted {
  const adapted = new ApolloClient({ link: steleLink(client), cache: new InMemoryCache() });
  return {
    sent(after, next, failed) {
      const subscription = adapted.subscribe<Transactions>({ query: gql(sentQuery), variables: { after } }).subscribe({
        next: ({ data, error }) => (error ? failed(error) : next(data!.transactions)),
        error: failed,
      });
      return () => subscription.unsubscribe();
    },
    async group(id, height) {
      const { data } = await adapted.query<Group>({
        query: gql(groupQuery),
        variables: { id },
        fetchPolicy: 'network-only',
        context: { height },
      });
      return data;
    },
    live(id, next) {
      const query = adapted.watchQuery<Group>({ query: gql(liveQuery), variables: { id }, fetchPolicy: 'network-only' });
      const subscription = query.subscribe(({ data, dataState }) => {
        if (dataState === 'complete' && data.group) next(data.group.metadata);
      });
      return () => subscription.unsubscribe();
    },
    async refused() {
      const error = await adapted.query({ query: gql(badQuery) }).catch((reason: unknown) => reason);
      return (error as { errors?: { extensions?: { code?: unknown } }[] }).errors?.[0]?.extensions?.code;
    },
  };
}

describe.each([
  ['urql', urql],
  ['Apollo Client', apollo],
])('%s', (_name, create) => {
  it.runIf(runsAll)(
    `receives every event of ${blocks} blocks of 50 ms once and in order, over sockets that are cut and tokens that expire`,
    {
      timeout: 60_000 + blocks * 150,
    },
    async () => {
      const random = createRandom(seed);
      busyRelay.cutAfter = () => 2_000 + random.below(6_000);
      busy.devnet.resume();
      const start = Number(busy.devnet.height);
      const cuts = busyRelay.cuts();
      const all: Sent[] = [];
      const failures: unknown[] = [];
      const leave = create(connect(busyRelay)).sent(
        String(start),
        ({ height, hash }) => all.push({ height, hash }),
        (error) => failures.push(error),
      );
      await expect.poll(() => all.length, { timeout: 60_000 }).toBeGreaterThan(0);
      const connected = Number(busy.devnet.height);
      await expect
        .poll(() => Number(busy.devnet.height), { timeout: 30_000 + blocks * 150, interval: 10 })
        .toBeGreaterThanOrEqual(connected + blocks);
      busyRelay.cutAfter = undefined;
      const sent = await busy.halt(start);
      await expect.poll(() => all.at(-1), { timeout: 60_000 }).toEqual(sent.at(-1));
      leave();
      expect(all).toEqual(sent);
      expect(failures).toEqual([]);
      expect(busyRelay.cuts()).toBeGreaterThan(cuts);
      await expect.poll(() => busyStack.server.subscriptions().subscribers).toBe(0);
    },
  );

  it('runs queries, also at a height, and live queries', async () => {
    const [admin] = chain.accounts;
    const group = await createGroup(chain, [[admin!, '1']]);
    const id = String(group.id);
    const before = String(chain.devnet.height - 1n);
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    const adapted = create(connect(relay));
    expect(await adapted.group(id)).toMatchObject({ group: { id, metadata: '' } });
    expect(await adapted.group(id, before)).toMatchObject({ group: null });
    const seen: string[] = [];
    const leave = adapted.live(id, (metadata) => seen.push(metadata));
    await expect.poll(() => seen).toEqual(['']);
    await chain.run(admin!, describeGroup(admin!, group, 'one'));
    await expect.poll(() => seen.at(-1)).toBe('one');
    relay.cut();
    await chain.run(admin!, describeGroup(admin!, group, 'two'));
    await expect.poll(() => seen.at(-1)).toBe('two');
    leave();
    await expect.poll(() => stack.server.subscriptions().live.listeners).toBe(0);
    expect(await adapted.refused()).toBe('BAD_USER_INPUT');
  });
});

describe('TanStack Query', () => {
  it('runs queries, also at a height, and live queries', async () => {
    const [admin] = chain.accounts;
    const group = await createGroup(chain, [[admin!, '1']]);
    const id = String(group.id);
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    connect(relay);
    const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
    queries.mount();
    const first = await queries.fetchQuery(steleQuery<Group, { id: string }>(client, groupQuery, { id }));
    expect(first).toMatchObject({ data: { group: { id, metadata: '' } }, height: chain.devnet.height.toString() });
    const earlier = { height: chain.devnet.height - 1n };
    const old = await queries.fetchQuery(steleQuery<Group, { id: string }>(client, groupQuery, { id }, earlier));
    expect(old.data).toEqual({ group: null });
    await expect(queries.fetchQuery(steleQuery(client, badQuery))).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    const seen: (string | undefined)[] = [];
    const observer = new QueryObserver(queries, steleLiveQuery<Group, { id: string }>(client, liveQuery, { id }));
    const leave = observer.subscribe(({ data }) => seen.push(data?.data?.group?.metadata));
    await expect.poll(() => seen.at(-1)).toBe('');
    await chain.run(admin!, describeGroup(admin!, group, 'one'));
    await expect.poll(() => seen.at(-1)).toBe('one');
    leave();
    await expect.poll(() => stack.server.subscriptions().live.listeners).toBe(0);
    queries.clear();
  });
});
