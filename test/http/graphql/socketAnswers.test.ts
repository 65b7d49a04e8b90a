import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { RequestLine } from '../../../src/server/observability/requestLog.ts';
import { stateReads } from '../../roots/knownRoots.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, type TestGroup } from '../../support/groups.ts';
import { authenticatorOf, startIssuer } from '../../support/issuer.ts';
import { type Stack, type StackOptions, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;
let group: TestGroup;
const lines: RequestLine[] = [];
const log = { request: (line: RequestLine) => void lines.push(line), dropped: () => 0 };
const longPoll = { timeout: 10_000 } as const;

async function start(options: StackOptions = {}): Promise<void> {
  chain = await startChain();
  group = await createGroup(chain, [
    [chain.accounts[0]!, '1'],
    [chain.accounts[1]!, '1'],
  ]);
  stack = await startStack([chain.node.url], { server: { log } }, options);
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  lines.length = 0;
}

afterEach(async () => {
  expect(stack.masked).toEqual([]);
  chain.node.heal();
  await stack.close();
  await chain.devnet.close();
});

interface Message {
  readonly id?: string;
  readonly type: string;
  readonly payload?: unknown;
}

/** A client on its own socket. */
interface Talk {
  readonly socket: WebSocket;
  readonly messages: readonly Message[];
  ask(id: string, payload: object): void;
  complete(id: string): void;
  /** The messages of an id once the last of them was received. */
  all(id: string): Promise<readonly Message[]>;
}

async function talk(params?: object): Promise<Talk> {
  const socket = new WebSocket(`${stack.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const messages: Message[] = [];
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: params }));
  await once(socket, 'message');
  socket.on('message', (data) => messages.push(JSON.parse(String(data)) as Message));
  const of = (id: string): Message[] => messages.filter((message) => message.id === id);
  return {
    socket,
    messages,
    ask: (id, payload) => socket.send(JSON.stringify({ id, type: 'subscribe', payload })),
    complete: (id) => socket.send(JSON.stringify({ id, type: 'complete' })),
    async all(id) {
      await expect.poll(() => of(id).some(({ type }) => type !== 'next'), longPoll).toBe(true);
      return of(id);
    },
  };
}

/** Delays the responses of the node to reads of the state until the returned function is called. */
function holdReads(): () => void {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  chain.node.onCall = ({ method }) => (method === 'abci_query' ? held : undefined);
  return release;
}

const query = 'query Members($id: ID!) { group(id: $id) { metadata members { nodes { weight } } } }';
const payload = () => ({ query, variables: { id: String(group.id) }, extensions: { cost: true } });
const costOf = ([message]: readonly Message[]): number =>
  (message!.payload as { extensions: { cost: { requested: number } } }).extensions.cost.requested;
const typesOf = (messages: readonly Message[]): string[] => messages.map(({ type }) => type);

it('equal queries on several sockets are executed once, concurrently and later, whatever their ids', async () => {
  await start();
  const clients = await Promise.all([1, 2, 3, 4].map(() => talk()));
  const release = holdReads();
  for (const [index, client] of clients.entries()) client.ask(`id ${index} "ü"`, payload());
  await expect.poll(() => stateReads(chain).length, longPoll).toBeGreaterThan(0);
  release();
  const answers = await Promise.all(clients.map((client, index) => client.all(`id ${index} "ü"`)));
  expect(answers.map(typesOf)).toEqual(Array(4).fill(['next', 'complete']));
  // Only one of them paid for the execution.
  expect(answers.map(costOf).sort((one, other) => one - other)).toEqual([
    1,
    1,
    1,
    expect.toSatisfy((cost: number) => cost > 1),
  ]);
  // Equal ids do not matter, and an id that is a part of the text does not either.
  const [client] = clients;
  for (const id of ['subscribe', 'payload', 'type', String(group.id)]) {
    client!.ask(id, payload());
    expect((await client!.all(id)).map(({ payload: answer }) => answer).at(-2)).toMatchObject({
      data: { group: { members: { nodes: [{ weight: '1' }, { weight: '1' }] } } },
    });
  }
  await expect.poll(() => lines.filter(({ operation }) => operation === 'Members').length).toBe(8);
  expect(lines.filter(({ cost = 0 }) => cost > 1)).toHaveLength(1);
});

it('queries that differ only in a variable that equals the id have their own answers', async () => {
  await start();
  const client = await talk();
  for (const id of ['1', '2']) {
    const text = `{"type":"subscribe","payload":{"query":"query ($id: ID!) { group(id: $id) { id } }","variables":{"id":"${id}"}},"id":"${id}"}`;
    client.socket.send(text);
    expect((await client.all(id))[0]).toMatchObject({ payload: { data: { group: { id } } } });
  }
});

it('an execution goes on for the other sockets when the first one is closed', async () => {
  await start();
  const [first, second, third] = [await talk(), await talk(), await talk()];
  const release = holdReads();
  first.ask('a', payload());
  await expect.poll(() => stateReads(chain).length, longPoll).toBeGreaterThan(0);
  const reads = stateReads(chain);
  for (const client of [second, third]) {
    client.ask('b', payload());
    // The answer to the second message shows that the server has begun with the first one.
    client.ask('c', { query: '{ __typename }' });
    await client.all('c');
  }
  first.socket.terminate();
  // The server has seen the close: it has logged the operation.
  await expect.poll(() => lines.filter(({ operation }) => operation === 'Members').length, longPoll).toBe(1);
  release();
  for (const client of [second, third]) expect(typesOf(await client.all('b'))).toEqual(['next', 'complete']);
  expect(stateReads(chain).slice(0, reads.length)).toEqual(reads);
  expect(new Set(stateReads(chain)).size).toBe(stateReads(chain).length);
});

it('a query that its client has completed gets no result, from memory or not, and its id can be used again', async () => {
  await start();
  const client = await talk();
  client.ask('warm', payload());
  await client.all('warm');
  client.ask('x', payload());
  client.complete('x');
  client.ask('end', { query: '{ __typename }' });
  await client.all('end');
  const seen = client.messages.filter(({ id }) => id === 'x');
  // The result may have been sent before the message was read.
  expect(seen.length === 0 || seen[0]!.type === 'next').toBe(true);
  client.ask('x', payload());
  expect(typesOf(await client.all('x')).at(-1)).toBe('complete');
  expect(client.socket.readyState).toBe(WebSocket.OPEN);
});

it('a query that waits for the execution of another holds a slot of rate.concurrent', async () => {
  await start({ server: { limits: { 'rate.concurrent': 3 } } });
  const [first, second, third] = [await talk(), await talk(), await talk()];
  const release = holdReads();
  const small = { query: '{ __typename }' };
  first.ask('a', payload());
  await expect.poll(() => stateReads(chain).length, longPoll).toBeGreaterThan(0);
  second.ask('b', payload());
  // The third slot is free. The result shows that the server has begun with the message before.
  second.ask('small', small);
  expect(typesOf(await second.all('small'))).toEqual(['next', 'complete']);
  third.ask('c', payload());
  third.ask('small', small);
  expect(await third.all('small')).toMatchObject([{ type: 'error', payload: [{ extensions: { limit: 'rate.concurrent' } }] }]);
  expect((await stack.ask(small.query)).status).toBe(429);
  release();
  const answers = await Promise.all([first.all('a'), second.all('b'), third.all('c')]);
  expect(answers.map(typesOf)).toEqual(Array(3).fill(['next', 'complete']));
  await expect.poll(async () => (await stack.ask(small.query)).status, longPoll).toBe(200);
});

it('a stopping server sends the answer of an execution to all that wait for it, and then closes their sockets', async () => {
  await start();
  const clients = [await talk(), await talk()];
  const release = holdReads();
  clients[0]!.ask('a', payload());
  await expect.poll(() => stateReads(chain).length, longPoll).toBeGreaterThan(0);
  clients[1]!.ask('a', payload());
  // The answer to the second message shows that the server has begun with the first one.
  clients[1]!.ask('b', { query: '{ __typename }' });
  await clients[1]!.all('b');
  const closed = clients.map(({ socket }) => once(socket, 'close'));
  const drained = stack.server.drain({ delay: 0, limit: 10_000 });
  release();
  expect((await Promise.all(closed)).map(([code]) => code)).toEqual([1012, 1012]);
  for (const client of clients) expect(typesOf(await client.all('a'))).toEqual(['next', 'complete']);
  await drained;
});

it('an answer with an error is not shared and not kept', async () => {
  await start();
  chain.node.faults.call = ({ method }) =>
    method === 'abci_query' ? { abci: { code: 5, codespace: 'x', log: 'no' } } : undefined;
  const client = await talk();
  client.ask('a', payload());
  const [failed] = await client.all('a');
  expect(failed).toMatchObject({ type: 'next', payload: { errors: [{ extensions: { code: 'ABCI_QUERY_FAILED' } }] } });
  // The errors are the last member, as the protocol library writes them.
  expect(Object.keys(failed!.payload as object)).toEqual(['data', 'extensions', 'errors']);
  chain.node.heal();
  client.ask('b', payload());
  const healed = await client.all('b');
  expect(healed[0]).not.toHaveProperty('payload.errors');
  expect(costOf(healed)).toBeGreaterThan(1);
});

it('tokens with different scopes do not share answers', async () => {
  const issuer = await startIssuer();
  await start({ server: { auth: authenticatorOf(issuer) } });
  const costs: number[] = [];
  for (const scope of ['read', 'read', 'read broadcast', 'read broadcast']) {
    const client = await talk({ authorization: `Bearer ${await issuer.sign({ sub: 'one', scope })}` });
    client.ask('a', payload());
    costs.push(costOf(await client.all('a')));
  }
  expect(costs.map((cost) => cost > 1)).toEqual([true, false, true, false]);
  await issuer.close();
});

it('equal subscriptions on several sockets each get their events', async () => {
  await start();
  const clients = await Promise.all([1, 2, 3].map(() => talk()));
  const message = JSON.stringify({ id: 's', type: 'subscribe', payload: { query: 'subscription { newBlock { height } }' } });
  // An escaped keyword is the same subscription.
  for (const { socket } of clients) socket.send(message.replace('subscription', 'subscr\\u0069ption'));
  await expect.poll(() => stack.server.subscriptions().subscribers, longPoll).toBe(3);
  const height = await chain.devnet.commit();
  for (const { messages } of clients)
    await expect
      .poll(() => messages.at(-1), longPoll)
      .toMatchObject({ id: 's', type: 'next', payload: { data: { newBlock: { height: String(height) } } } });
});
