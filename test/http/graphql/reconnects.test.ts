import { readFileSync } from 'node:fs';
import { ApolloClient, gql, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { type ExecutionResult, fetchExchange, subscriptionExchange, Client as UrqlClient } from '@urql/core';
import { createClient as createEventClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { resumeEvents } from '../../../examples/resumeEvents.ts';
import { resumeSockets } from '../../../examples/resumeSockets.ts';
import { holdPort } from '../../../packages/devnet/src/node/heldPort.ts';
import { type FaultyRelay, startFaultyRelay } from '../../client/relay.ts';
import { runsAll, some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let issuer: TestIssuer;
let chain: TestChain;
let stack: Stack;
const stops: (() => void)[] = [];

beforeAll(async () => {
  issuer = await startIssuer();
});

afterAll(() => issuer.close());

beforeEach(async () => {
  chain = await startChain({ bare: true });
  stack = await start();
});

afterEach(async () => {
  for (const stop of stops.splice(0)) stop();
  await stack.close();
  await chain.devnet.close();
});

/** Starts the server, on a free port unless one is given. */
function start(port = 0): Promise<Stack> {
  return startStack([chain.node.url], { server: { auth: authenticatorOf(issuer), port } });
}

/** The input of a client, and its callbacks. */
interface Session {
  readonly url: string;
  readonly query: string;
  /** Headers or parameters with a new token, for each connection. */
  readonly credentials: () => Promise<{ authorization: string }>;
  /** Resolves when a client that lost its connection may try again. */
  readonly wait: () => Promise<void>;
  readonly next: (height: unknown) => void;
  readonly over: (reason: unknown) => void;
}

interface Events {
  readonly newBlock: { readonly height: string };
}

const variables = { after: '0' };

/** A client of graphql-ws with its defaults, and the recipe of the docs. */
const socketClient = ({ url, credentials, wait }: Session) =>
  createSocketClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: credentials,
    retryWait: wait,
    ...resumeSockets(),
  });

/** The clients, each with the code from its documentation. */
const clients: Readonly<Record<string, (session: Session) => () => void>> = {
  'graphql-ws'(session) {
    return socketClient(session).subscribe<Events>(
      { query: session.query, variables },
      {
        next: ({ data, errors }) => (errors === undefined ? session.next(data?.newBlock.height) : session.over(errors)),
        error: session.over,
        complete: () => session.over('complete'),
      },
    );
  },
  'Apollo Client'(session) {
    const client = new ApolloClient({ link: new GraphQLWsLink(socketClient(session)), cache: new InMemoryCache() });
    const subscription = client.subscribe<Events>({ query: gql(session.query), variables }).subscribe({
      next: ({ data, error }) => (error === undefined ? session.next(data?.newBlock.height) : session.over(error)),
      error: session.over,
      complete: () => session.over('complete'),
    });
    return () => subscription.unsubscribe();
  },
  urql(session) {
    const sockets = socketClient(session);
    const client = new UrqlClient({
      url: `${session.url}/graphql`,
      preferGetMethod: false,
      exchanges: [
        fetchExchange,
        subscriptionExchange({
          forwardSubscription: ({ query = '', variables: given }) => ({
            subscribe: (sink) => ({
              unsubscribe: sockets.subscribe(
                { query, variables: given ?? {} },
                {
                  next: (result) => sink.next(result as ExecutionResult),
                  error: (error) => sink.error(error),
                  complete: () => sink.complete(),
                },
              ),
            }),
          }),
        }),
      ],
    });
    const { unsubscribe } = client.subscription<Events>(session.query, variables).subscribe(({ data, error }) => {
      if (error === undefined) session.next(data?.newBlock.height);
      else session.over(error);
    });
    return unsubscribe;
  },
  'graphql-sse'(session) {
    const { url, query, credentials, wait } = session;
    const client = createEventClient({ url: `${url}/graphql`, headers: credentials, retry: wait });
    const request = resumeEvents<Events>(
      { query, variables },
      {
        next: ({ data, errors }) => (errors === undefined ? session.next(data?.newBlock.height) : session.over(errors)),
        error: session.over,
        complete: () => session.over('complete'),
      },
    );
    return client.subscribe(...request);
  },
};

/** Runs a client against the server. */
function run(
  name: string,
  {
    tokens,
    url = stack.server.url,
    wait = async () => undefined,
  }: { tokens: () => Promise<string>; url?: string; wait?: () => Promise<void> },
) {
  const heights: unknown[] = [];
  const sent: string[] = [];
  const ends: unknown[] = [];
  const query = 'subscription Blocks($after: Int64) { newBlock(after: $after) { height } }';
  const credentials = async () => {
    const token = await tokens();
    sent.push(token);
    return { authorization: `Bearer ${token}` };
  };
  const [next, over] = [(height: unknown) => void heights.push(height), (reason: unknown) => void ends.push(reason)];
  stops.push(clients[name]!({ url, query, credentials, wait, next, over }));
  /** Resolves when the blocks up to `last` were delivered, each once. Fails at once if the client has given up. */
  const upTo = async (last: number) => {
    await expect.poll(() => (ends.length > 0 ? String(ends[0]) : heights.length), { timeout: 8_000, interval: 10 }).toBe(last);
    expect(heights).toEqual(Array.from({ length: last }, (_, index) => String(index + 1)));
  };
  return { sent, ends, upTo };
}

it('docs/subscriptions.md contains the tested recipes', () => {
  const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  for (const path of ['examples/resumeSockets.ts', 'examples/resumeEvents.ts'])
    expect(read('docs/subscriptions.md')).toContain(`\`\`\`ts\n${read(path)}\`\`\``);
});

describe.each(Object.keys(clients))('%s, unmodified, with the recipe of docs/subscriptions.md', (name) => {
  it.runIf(runsAll)('reconnects to a restarted server with a new token, and gets every block once', async () => {
    let goOn: (() => void) | undefined;
    const started = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { sent, ends, upTo } = run(name, { tokens: () => issuer.sign(), wait: () => started });
    await upTo(1);
    await chain.devnet.commit();
    await upTo(2);
    await stack.close();
    const held = await holdPort('127.0.0.1', Number(new URL(stack.server.url).port));
    await chain.devnet.commit();
    stack = await start(held.port);
    held.release();
    goOn?.();
    await upTo(3);
    await chain.devnet.commit();
    await upTo(4);
    expect(new Set(sent).size).toBe(2);
    expect(ends).toEqual([]);
  });

  it.each(
    some(
      [
        ['stops', async () => stack.close()],
        ['is cut off', async (relay: FaultyRelay) => relay.cut()],
      ],
      4,
    ),
  )('ends with CHAIN_RESET at once if the server %s and returns over another chain with the same id', async (_, end) => {
    const relay = await startFaultyRelay(stack.server.url);
    stops.push(() => void relay.close());
    let goOn: (() => void) | undefined;
    const started = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { ends, upTo } = run(name, { url: relay.url, tokens: () => issuer.sign(), wait: () => started });
    await upTo(1);
    for (const height of [2, 3]) {
      await chain.devnet.commit();
      await upTo(height);
    }
    await end(relay);
    await stack.close();
    await chain.devnet.close();
    chain = await startChain({ bare: true });
    stack = await start();
    relay.target(stack.server.url);
    goOn?.();
    // Less than the five seconds for which a server waits for a block that a client names.
    await expect.poll(() => ends.length, { timeout: 4_000 }).toBeGreaterThan(0);
    expect(JSON.stringify(ends[0])).toContain('"code":"CHAIN_RESET"');
  });
});

it.runIf(runsAll)('all reconnect when their token expires, with a new token, and get every block once', async () => {
  const exp = Math.floor(Date.now() / 1000) + 2;
  const sessions = Object.keys(clients).map((name) => {
    const claims = [{ exp }];
    return run(name, { tokens: () => issuer.sign(claims.pop() ?? {}) });
  });
  const upTo = (last: number): Promise<unknown> => Promise.all(sessions.map((session) => session.upTo(last)));
  await upTo(1);
  await chain.devnet.commit();
  await upTo(2);
  await expect.poll(() => sessions.map(({ sent }) => sent.length), { timeout: 8_000 }).toEqual(sessions.map(() => 2));
  await chain.devnet.commit();
  await upTo(3);
  for (const { sent, ends } of sessions) {
    expect(new Set(sent).size).toBe(2);
    expect(ends).toEqual([]);
  }
});
