import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { createClient as createUrql, fetchExchange, subscriptionExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { createClient as createSocketClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { send } from '../../support/wire.ts';

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

const sha256Hash = 'a'.repeat(64);
const extensions = { persistedQuery: { version: 1, sha256Hash } };
const refused = {
  errors: [{ message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }],
};

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

describe('a request that names a persisted query and has no document', () => {
  it('is PERSISTED_QUERY_NOT_SUPPORTED by POST, and no cache may store that', async () => {
    const body = JSON.stringify({ operationName: 'Head', variables: {}, extensions });
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const answer = await send(`${stack.server.url}/graphql`, { method: 'POST', headers, body });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([400, refused]);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('is PERSISTED_QUERY_NOT_SUPPORTED by GET', async () => {
    const query = new URLSearchParams({ operationName: 'Head', extensions: JSON.stringify(extensions) });
    const answer = await send(`${stack.server.url}/graphql?${query}`, { headers: { accept: 'application/json' } });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([400, refused]);
  });

  it('is PERSISTED_QUERY_NOT_SUPPORTED over WebSocket, and the socket stays open', async () => {
    const socket = new WebSocket(`${stack.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const next = async (): Promise<unknown> => JSON.parse(String((await once(socket, 'message'))[0]));
    await once(socket, 'open');
    socket.send('{"type":"connection_init"}');
    await next();
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: '', operationName: 'Head', extensions } }));
    expect(await next()).toEqual({ id: '1', type: 'error', payload: refused.errors });
    socket.send(JSON.stringify({ id: '2', type: 'subscribe', payload: { query: '{ head { height } }', extensions } }));
    expect(await next()).toMatchObject({ id: '2', type: 'next', payload: { data: { head: { height: '1' } } } });
    socket.terminate();
  });
});

describe('Apollo Client 4 with its persisted query link', () => {
  it.each([false, true])('sends the document after one attempt only (by GET: %s)', async (useGETForHashedQueries) => {
    const { sent, fetch } = recorded();
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
    const link = ApolloLink.from([
      new PersistedQueryLink({ sha256, useGETForHashedQueries }),
      new HttpLink({ uri: `${stack.server.url}/graphql`, fetch, headers: { 'apollo-require-preflight': 'true' } }),
    ]);
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    for (const height of [1, 1]) {
      const { data } = await client.query({ query: gql`{ head { height } }`, fetchPolicy: 'no-cache' });
      expect(data).toMatchObject({ head: { height: String(height) } });
    }
    expect(sent.map((each) => each.includes('persistedQuery'))).toEqual([true, false, false]);
    expect(sent[0]!.startsWith(useGETForHashedQueries ? 'GET' : 'POST')).toBe(true);
    client.stop();
  });
});

describe('urql with its persisted exchange', () => {
  it('sends the document after one attempt only', async () => {
    const { sent, fetch } = recorded();
    const client = createUrql({
      url: `${stack.server.url}/graphql`,
      fetch,
      preferGetMethod: false,
      exchanges: [persistedExchange(), fetchExchange],
    });
    for (const query of ['{ head { height } }', '{ head { hash } }']) {
      const { data, error } = await client.query(query, {}).toPromise();
      expect([error, data]).toEqual([undefined, { head: expect.anything() }]);
    }
    expect(sent.map((each) => each.includes('persistedQuery'))).toEqual([true, false, false]);
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
