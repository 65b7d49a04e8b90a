import { print } from 'graphql';
import { createClient as createSocketClient, type Client as SocketClient } from 'graphql-ws';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { TokenLiveDocument, WatchQueryDocument, type WatchQuerySubscription } from '../gen/operations.ts';

let chain: TestChain;
let stack: Stack;
const clients: SocketClient[] = [];

beforeEach(async () => {
  chain = await startChain({ bare: true });
  stack = await startStack([chain.node.url]);
  for (let block = 0; block < 3; block += 1) await chain.devnet.commit();
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.dispose()));
  await stack.close();
  await chain.devnet.close();
});

interface Event {
  readonly newBlock: { readonly height: string; readonly hash: string; readonly results: { readonly height: string } };
}

const document = 'subscription ($after: Int64) { newBlock(after: $after) { height hash results { height } } }';

function overSocket(): SocketClient {
  const client = createSocketClient({
    url: `${stack.server.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
  });
  clients.push(client);
  return client;
}

function subscribe(after: string | null): AsyncIterableIterator<Event['newBlock']> {
  const events = overSocket().iterate<Event>({ query: document, variables: { after } });
  return (async function* () {
    for await (const { data, errors } of events) {
      expect(errors).toBeUndefined();
      yield data!.newBlock;
    }
  })();
}

async function take(events: AsyncIterableIterator<Event['newBlock']>, count: number): Promise<Event['newBlock'][]> {
  const taken: Event['newBlock'][] = [];
  while (taken.length < count) taken.push((await events.next()).value);
  return taken;
}

/** The block hashes from height 1 to the head, as the chain returns them. */
async function hashes(): Promise<string[]> {
  const heights = Array.from({ length: Number(chain.devnet.height) }, (_, index) => BigInt(index + 1));
  return Promise.all(heights.map(async (height) => (await stack.client.block(height)).blockId.hash));
}

describe('transactionResult', () => {
  const query =
    'subscription ($hash: Hex!) { transactionResult(hash: $hash) { hash height code block { height } events(type: "transfer") { type } } }';

  async function results(hash: string): Promise<unknown[]> {
    const seen: unknown[] = [];
    for await (const { data, errors } of overSocket().iterate({ query, variables: { hash } })) {
      expect(errors).toBeUndefined();
      seen.push(data);
    }
    return seen;
  }

  it('waits for the block of the transaction and completes; later subscriptions get it at once, even without an index', async () => {
    const [from, to] = chain.accounts;
    const send = { fromAddress: from!.address, toAddress: to!.address, amount: [{ denom: 'nhash', amount: '7' }] };
    const hash = await chain.submit(from!, any(MsgSendSchema, send));
    const early = results(hash);
    await chain.devnet.commit();
    const height = chain.devnet.height.toString();
    const expected = [
      {
        transactionResult: { hash, height, code: 0, block: { height }, events: expect.arrayContaining([{ type: 'transfer' }]) },
      },
    ];
    expect(await early).toEqual(expected);
    expect(await results(hash)).toEqual(expected);
    chain.node.faults.noIndex = true;
    expect(await results(`0x${hash.toLowerCase()}`)).toEqual(expected);
  });
});

describe('transactions and events', () => {
  async function first<T>(query: string, variables: Record<string, unknown>, count: number): Promise<T[]> {
    const seen: T[] = [];
    for await (const { data, errors } of overSocket().iterate<T>({ query, variables })) {
      expect(errors).toBeUndefined();
      if (seen.push(data!) === count) break;
    }
    return seen;
  }

  it('send past and new matches in block order, each read at its own height', async () => {
    const [from] = chain.accounts;
    const to = chain.accounts[1]!.address;
    const pay = async (target: string, amount: string): Promise<string> => {
      const send = { fromAddress: from!.address, toAddress: target, amount: [{ denom: 'nhash', amount }] };
      const hash = await chain.submit(from!, any(MsgSendSchema, send));
      await chain.devnet.commit();
      return hash;
    };
    const start = chain.devnet.height;
    const one = await pay(to, '1');
    await pay(chain.accounts[2]!.address, '2');
    const where = [{ key: 'transfer.recipient', value: to }];
    const document = `subscription ($where: [EventCondition!], $after: Int64) {
      transactions(where: $where, query: "tx.height > 0", after: $after) { hash height block { height } }
    }`;
    const live = first<{ transactions: { hash: string; height: string; block: { height: string } } }>(
      document,
      { where, after: start.toString() },
      2,
    );
    const two = await pay(to, '3');
    const matched = (await live).map(({ transactions }) => transactions);
    expect(matched.map(({ hash }) => hash)).toEqual([one, two]);
    for (const { height, block } of matched) expect(block.height).toBe(height);

    const events = await first<{
      events: { height: string; transaction: { hash: string } | null; events: { type: string }[] };
    }>(
      'subscription ($query: String!, $after: Int64) { events(query: $query, after: $after) { height transaction { hash } events { type } } }',
      { query: `transfer.recipient='${to}' AND tx.height EXISTS`, after: start.toString() },
      2,
    );
    expect(events.map(({ events: match }) => match.transaction?.hash)).toEqual([one, two]);
    for (const { events: match } of events)
      expect(new Set(match.events.map(({ type }) => type))).toEqual(new Set(['transfer']));
    const own = await first<{ events: { transaction: unknown; height: string } }>(
      'subscription { events(query: "block.height >= 2", after: 1) { height transaction { hash } } }',
      {},
      1,
    );
    expect(own).toEqual([{ events: { height: '2', transaction: null } }]);
  });

  it('run the documents of schema/operations.graphql', async () => {
    const [from] = chain.accounts;
    const send = { fromAddress: from!.address, toAddress: from!.address, amount: [{ denom: 'nhash', amount: '1' }] };
    const watched = first<WatchQuerySubscription>(print(WatchQueryDocument), { query: "message.module='bank'" }, 1);
    const live = overSocket().iterate({ query: print(TokenLiveDocument), variables: { denom: 'nhash', after: '0' } });
    const nothing = live.next();
    // Without `after`, only the first event shows that the stream has started, so send transactions until it arrives.
    const sent = new Set<string>();
    let received = false;
    watched.then(() => {
      received = true;
    });
    while (!received) {
      sent.add(await chain.submit(from!, any(MsgSendSchema, send)));
      await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    }
    const [match] = await watched;
    expect(match!.events.transaction?.code).toBe(0);
    expect(sent).toContain(match!.events.transaction?.hash);
    expect(match!.events.events.map(({ type }) => type)).toContain('message');
    await live.return!();
    expect(await nothing).toMatchObject({ done: true });
  });

  it('reject an invalid query with the error message of the node, before execution', async () => {
    const refusal = async (args: string): Promise<unknown> => {
      for await (const { errors } of overSocket().iterate({ query: `subscription { events(${args}) { height } }` }))
        return errors?.[0];
      return undefined;
    };
    expect(await refusal(`query: "tm.event='NewBlock' OR 1=1"`)).toMatchObject({
      message: expect.stringContaining('failed to parse query: offset 20: got tag, want 6'),
      extensions: { code: 'BAD_USER_INPUT' },
    });
    expect(await refusal(`query: "${'a'.repeat(513)}"`)).toMatchObject({ message: 'maximum query length exceeded' });
    expect(await refusal('after: 1')).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } });
  });
});

describe('newBlock', () => {
  it('sends the past blocks after a height and then each new block, once, each read at its own height', async () => {
    const events = subscribe('1');
    const seen = await take(events, 3);
    for (let block = 0; block < 3; block += 1) {
      await chain.devnet.commit();
      seen.push(...(await take(events, 1)));
    }
    expect(seen.map(({ height }) => height)).toEqual(['2', '3', '4', '5', '6', '7']);
    expect(seen.map(({ results }) => results.height)).toEqual(seen.map(({ height }) => height));
    expect(seen.map(({ hash }) => hash)).toEqual((await hashes()).slice(1));
    await events.return!();
  });

  it('neither skips nor repeats a block when the socket to the node drops and blocks are committed meanwhile', async () => {
    const events = subscribe('4');
    for (let round = 0; round < 3; round += 1) {
      await chain.devnet.commit();
      chain.node.closeSockets();
      await chain.devnet.commit();
      await chain.devnet.commit();
    }
    const seen = await take(events, 9);
    expect(seen.map(({ height }) => Number(height))).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13]);
    await events.return!();
  });

  it('sends the same events over server-sent events', async () => {
    const response = await fetch(`${stack.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: document, variables: { after: '2' } }),
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    let text = '';
    const decoder = new TextDecoder();
    const reader = response.body!.getReader();
    await chain.devnet.commit();
    while ((text.match(/event: next/g) ?? []).length < 3) text += decoder.decode((await reader.read()).value);
    await reader.cancel();
    const events = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json!) as { data: Event });
    expect(events.map(({ data }) => data.newBlock.height)).toEqual(['3', '4', '5']);
    expect(events.map(({ data }) => data.newBlock.hash)).toEqual((await hashes()).slice(2));
  });

  it('rejects an invalid `after` and invalid documents with codes', async () => {
    const codes = async (query: string): Promise<unknown> => {
      for await (const result of overSocket().iterate({ query }))
        return result.errors?.map(({ extensions }) => extensions?.code);
      return undefined;
    };
    expect(await codes('subscription { newBlock(after: -1) { height } }')).toEqual(['BAD_USER_INPUT']);
    await expect(codes('subscription { nope }')).rejects.toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
    await expect(codes('subscription {')).rejects.toMatchObject([{ extensions: { code: 'GRAPHQL_PARSE_FAILED' } }]);
  });

  it('accepts queries over the same socket and returns their height', async () => {
    const height = chain.devnet.height.toString();
    for await (const answer of overSocket().iterate({ query: '{ head { height } }' })) {
      expect(answer).toEqual({ data: { head: { height } }, extensions: { height } });
    }
  });

  it('does not prevent the server from stopping while a client is subscribed', async () => {
    const events = subscribe(null);
    const next = events.next();
    next.catch(() => undefined);
    const other = await startStack([chain.node.url]);
    const listening = fetch(`${other.server.url}/graphql?query=${encodeURIComponent('subscription { newBlock { height } }')}`, {
      headers: { accept: 'text/event-stream' },
    });
    expect((await listening).status).toBe(200);
    await other.close();
  });
});
