import { ApolloClient, CombinedProtocolErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeEach(async () => {
  chain = await startChain({ bare: true });
  stack = await startStack([chain.node.url]);
});

afterEach(async () => {
  await stack.close();
  await chain.devnet.close();
  expect(stack.masked).toEqual([]);
});

const query = 'subscription ($after: Int64) { newBlock(after: $after) { height } }';

describe('Apollo Client with its HttpLink, unmodified', () => {
  /** Subscribes, and collects the events of the application. */
  function subscribe(document: string, variables: Record<string, unknown> = {}) {
    const types: unknown[] = [];
    const link = new HttpLink({
      uri: `${stack.server.url}/graphql`,
      async fetch(url, init) {
        const response = await fetch(url, init);
        types.push(response.headers.get('content-type'));
        return response;
      },
    });
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const results: unknown[] = [];
    const errors: unknown[] = [];
    let isComplete = false;
    const subscription = client.subscribe({ query: gql(document), variables }).subscribe({
      next({ data, error }) {
        if (error === undefined) results.push(data);
        else errors.push(error);
      },
      error: (error: unknown) => void errors.push(error),
      complete: () => {
        isComplete = true;
      },
    });
    return { types, results, errors, isComplete: () => isComplete, leave: () => subscription.unsubscribe() };
  }

  const heights = (results: readonly unknown[]): unknown[] =>
    results.map((data) => (data as { newBlock: { height: string } }).newBlock.height);

  it('gets each event when it happens, and unsubscribes', async () => {
    const { types, results, errors, leave } = subscribe(query, { after: '0' });
    await expect.poll(() => results.length).toBe(1);
    await chain.devnet.commit();
    await expect.poll(() => heights(results)).toEqual(['1', '2']);
    expect(types).toEqual(['multipart/mixed;boundary="graphql";subscriptionSpec=1.0']);
    expect(errors).toEqual([]);
    leave();
    await expect.poll(() => stack.server.subscriptions().subscribers).toBe(0);
  });

  it('completes with its stream', async () => {
    const { results, errors, isComplete } = subscribe(
      'subscription { events(after: 0, query: "block.height < 3") { height } }',
    );
    await chain.devnet.commit();
    await chain.devnet.commit();
    await expect.poll(isComplete).toBe(true);
    expect(results.map((data) => (data as { events: { height: string } }).events.height)).toEqual(['1', '2']);
    expect(errors).toEqual([]);
  });

  it('gets the resume position when the server stops', async () => {
    const { results, errors } = subscribe(query, { after: '0' });
    await expect.poll(() => results.length).toBe(1);
    await stack.server.close();
    await expect.poll(() => errors.length).toBe(1);
    const [error] = errors;
    expect(CombinedProtocolErrors.is(error) && error.errors).toMatchObject([
      { extensions: { code: 'SERVER_SHUTDOWN', lastHeight: '1', after: '1' } },
    ]);
  });

  it('gets the errors of an operation that is refused', async () => {
    const { errors, types } = subscribe('subscription { events(query: "nope") { height } }');
    await expect.poll(() => errors.length).toBe(1);
    expect(errors[0]).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    expect(types).toEqual([expect.stringContaining('json')]);
  });
});

describe('the Accept header selects the format', () => {
  async function typeOf(accept: string): Promise<string | null> {
    const leave = new AbortController();
    const response = await fetch(`${stack.server.url}/graphql`, {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { after: '0' } }),
      signal: leave.signal,
    });
    leave.abort();
    return response.headers.get('content-type');
  }

  it.each([
    ['multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json', 'multipart/mixed'],
    ['application/json, multipart/mixed; subscriptionSpec="1.0"', 'multipart/mixed'],
    ['text/event-stream', 'text/event-stream'],
    ['multipart/mixed;subscriptionSpec=1.0, text/event-stream', 'text/event-stream'],
  ])('the Accept header %s selects the format', async (accept, type) => {
    expect((await typeOf(accept))?.split(';')[0]).toBe(type);
  });
});
