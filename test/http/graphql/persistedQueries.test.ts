import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { createClient as createUrql, fetchExchange, subscriptionExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { createClient as createSocketClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createPersistedDocuments } from '../../../src/graphql/documents/requestParams.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { send, type WireAnswer } from '../../support/wire.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  stack = await startStack([chain.node.url]);
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const byHash = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });
const unknown = byHash('a'.repeat(64));

const errorsOf = (message: string, code: string) => ({ errors: [{ message, extensions: { code } }] });
const notFound = errorsOf('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND');

function ask(body: object): Promise<WireAnswer> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  return send(`${stack.server.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) });
}

function get(parameters: Record<string, string>): Promise<WireAnswer> {
  const headers = { accept: 'application/json' };
  return send(`${stack.server.url}/graphql?${new URLSearchParams(parameters)}`, { headers });
}

/** Opens a socket. `say` sends the payload of an operation and returns the first message for it. */
async function openSocket() {
  const socket = new WebSocket(`${stack.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const next = async (): Promise<unknown> => JSON.parse(String((await once(socket, 'message'))[0]));
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await next();
  return {
    say(id: string, payload: object): Promise<unknown> {
      socket.send(JSON.stringify({ id, type: 'subscribe', payload }));
      return next();
    },
    close: () => socket.terminate(),
  };
}

/** A `fetch` that records the method and the body of each request. */
function recorded(): { readonly sent: string[]; readonly fetch: typeof fetch } {
  const sent: string[] = [];
  return {
    sent,
    fetch: (input, init) => {
      sent.push(`${init?.method} ${init?.method === 'GET' ? new URL(String(input)).search : String(init?.body)}`);
      return fetch(input, init);
    },
  };
}

describe('a request with the hash of a document', () => {
  it('that was never sent is PERSISTED_QUERY_NOT_FOUND by POST and GET, and no cache may store that', async () => {
    for (const answer of [
      await ask({ operationName: 'Head', variables: {}, extensions: unknown }),
      await get({ operationName: 'Head', extensions: JSON.stringify(unknown) }),
    ]) {
      expect([answer.status, JSON.parse(answer.body)]).toEqual([400, notFound]);
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  it('is PERSISTED_QUERY_NOT_FOUND over WebSocket, and the socket stays open', async () => {
    const socket = await openSocket();
    const query = 'query Sent { head { height } }';
    const extensions = byHash(sha256(query));
    expect(await socket.say('1', { query: '', extensions })).toEqual({ id: '1', type: 'error', payload: notFound.errors });
    const data = { id: '2', type: 'next', payload: { data: { head: { height: '1' } } } };
    expect(await socket.say('2', { query, extensions })).toMatchObject(data);
    expect(await socket.say('3', { query: '', extensions })).toMatchObject({ ...data, id: '3' });
    socket.close();
  });

  it('gets the answer of the document once the document was sent with its hash', async () => {
    const query = 'query Named($first: Int) { groups(first: $first) { nodes { id } } }';
    const extensions = byHash(sha256(query));
    expect(JSON.parse((await ask({ extensions })).body)).toEqual(notFound);
    const sent = await ask({ query, variables: { first: 0 }, extensions });
    expect([sent.status, JSON.parse(sent.body).data]).toEqual([200, { groups: { nodes: [] } }]);
    for (const answer of [
      await ask({ variables: { first: 0 }, extensions }),
      await get({ variables: '{"first":0}', extensions: JSON.stringify(extensions) }),
    ])
      expect([answer.status, answer.body, answer.headers['cache-control']]).toEqual([200, sent.body, 'no-store']);
    // The variables and the name of the operation belong to the request.
    expect((await ask({ variables: { first: 'x' }, extensions })).body).toContain('BAD_USER_INPUT');
    expect((await ask({ operationName: 'Other', extensions })).body).toContain('errors');
  });

  it('in another form is PERSISTED_QUERY_NOT_SUPPORTED, and a document beside it is executed', async () => {
    const query = '{ head { height } }';
    for (const persistedQuery of [
      { version: 2, sha256Hash: sha256(query) },
      { version: 1 },
      { version: 1, sha256Hash: 5 },
      {},
      [],
    ]) {
      const alone = await ask({ extensions: { persistedQuery } });
      const expected = errorsOf('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED');
      expect([alone.status, JSON.parse(alone.body)]).toEqual([400, expected]);
      expect((await ask({ query, extensions: { persistedQuery } })).status).toBe(200);
    }
  });

  it('of another document is refused, and the document is not stored', async () => {
    const query = 'query Other { head { hash } }';
    const wrong = sha256('{ head { height } }'.replace('height', 'time'));
    const answer = await ask({ query, extensions: byHash(wrong) });
    expect(JSON.parse(answer.body)).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT', argument: 'extensions.persistedQuery.sha256Hash', value: wrong } }],
    });
    for (const hash of [wrong, sha256(query)])
      expect(JSON.parse((await ask({ extensions: byHash(hash) })).body)).toEqual(notFound);
    const socket = await openSocket();
    expect(await socket.say('1', { query, extensions: byHash(wrong) })).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
    socket.close();
  });

  it('of a mutation executes the mutation each time', async () => {
    const query = 'mutation Send($tx: Base64!) { broadcastTxSync(tx: $tx) { hash } }';
    const extensions = byHash(sha256(query));
    const request = { variables: { tx: 'AAAA' }, extensions };
    const first = await ask({ query, ...request });
    expect(first.body).toContain('errors');
    const answers = await Promise.all([ask(request), ask(request)]);
    expect(answers.map(({ headers }) => headers['cache-status'])).toEqual(['stele; fwd=miss', 'stele; fwd=miss']);
    const got = await get({ variables: '{"tx":"AAAA"}', extensions: JSON.stringify(extensions) });
    expect([got.status, got.headers.allow]).toEqual([405, 'POST']);
  });
});

describe('the store of persisted documents', () => {
  it('evicts the least recently used documents, and never takes more than its bytes', () => {
    const store = createPersistedDocuments({ maxBytes: 20_000, maxText: 1_000 });
    const text = (index: number): string => `{ head { height } } # ${index} ${'x'.repeat(400)}`;
    for (let index = 0; index < 500; index += 1) {
      store.add(sha256(text(index)), text(index));
      expect(store.get(sha256(text(0)))).toBe(text(0));
      expect(store.stats().bytes).toBeLessThanOrEqual(20_000);
    }
    const { entries, evictions } = store.stats();
    expect(entries).toBeGreaterThan(10);
    expect(entries + evictions).toBe(500);
    expect([store.get(sha256(text(1))), store.get(sha256(text(499)))]).toEqual([undefined, text(499)]);
    const long = 'x'.repeat(1_001);
    store.add(sha256(long), long);
    expect(store.get(sha256(long))).toBeUndefined();
  });

  it('is a part of the memory of documents', () => {
    const { memory } = stack.client;
    const counts = memory.stats().filter(({ share }) => share === 'documents');
    expect(counts.map(({ cache }) => cache).toSorted()).toEqual(['documents', 'persisted']);
    expect(counts.find(({ cache }) => cache === 'persisted')!.entries).toBeGreaterThan(0);
  });
});

describe('Apollo Client 4 with its persisted query link', () => {
  it.each([false, true])('sends a document once, and then its hash alone (by GET: %s)', async (useGETForHashedQueries) => {
    const { sent, fetch } = recorded();
    const query = useGETForHashedQueries ? gql`query ByGet { head { height } }` : gql`query ByPost { head { height } }`;
    const link = ApolloLink.from([
      new PersistedQueryLink({ sha256, useGETForHashedQueries }),
      new HttpLink({ uri: `${stack.server.url}/graphql`, fetch, headers: { 'apollo-require-preflight': 'true' } }),
    ]);
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    for (const height of [1, 1]) {
      const { data } = await client.query({ query, fetchPolicy: 'no-cache' });
      expect(data).toMatchObject({ head: { height: String(height) } });
    }
    const method = useGETForHashedQueries ? 'GET' : 'POST';
    expect(sent.map((each) => [each.split(' ', 1)[0], /query(?:=|":")query/.test(each)])).toEqual([
      [method, false],
      [sent[1]!.split(' ', 1)[0], true],
      [method, false],
    ]);
    client.stop();
  });
});

describe('urql with its persisted exchange', () => {
  it('sends a document once, and then its hash alone', async () => {
    const { sent, fetch } = recorded();
    const client = createUrql({
      url: `${stack.server.url}/graphql`,
      fetch,
      preferGetMethod: false,
      exchanges: [persistedExchange(), fetchExchange],
    });
    for (const query of ['query Urql { head { height } }', 'query Urql { head { height } }']) {
      const { data, error } = await client.query(query, {}, { requestPolicy: 'network-only' }).toPromise();
      expect([error, data]).toEqual([undefined, { head: expect.anything() }]);
    }
    expect(sent.map((each) => each.includes('head'))).toEqual([false, true, false]);
  });

  it('subscribes over WebSocket', async () => {
    const sockets = createSocketClient({ url: `${stack.server.url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket });
    const client = createUrql({
      url: `${stack.server.url}/graphql`,
      preferGetMethod: false,
      exchanges: [
        persistedExchange({ enableForSubscriptions: true }),
        subscriptionExchange({
          forwardSubscription: ({ query, ...rest }) => ({
            subscribe: (sink) => ({ unsubscribe: sockets.subscribe({ ...rest, query: query || '' }, sink as never) }),
          }),
        }),
      ],
    });
    const query = 'subscription { newBlock(after: "0") { height } }';
    const first = new Promise<unknown>((resolve) => {
      const { unsubscribe } = client.subscription(query, {}).subscribe((result) => {
        unsubscribe();
        resolve(result.data ?? result.error);
      });
    });
    expect(await first).toEqual({ newBlock: { height: '1' } });
    await sockets.dispose();
  });
});
