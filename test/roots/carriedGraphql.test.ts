import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { takeTurns } from '../support/atRandom.ts';
import type { TestChain } from '../support/chain.ts';
import { type GroupStack, startGroupStack } from '../support/groupStack.ts';
import { describeGroup, type TestGroup } from '../support/groups.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { post, send } from '../support/wire.ts';
import { commitKnown, stateReads } from './knownRoots.ts';

let opened: GroupStack;
let chain: TestChain;
let stack: Stack;
let group: TestGroup;
/** The last id of a proposal that was asked for although no such proposal exists. */
let unreadId = 90_000n;

beforeAll(async () => {
  opened = await startGroupStack();
  ({ chain, stack, group } = opened);
});

afterAll(() => opened.close());

beforeEach(() => opened.renew());

/** A request, as the members of its JSON. */
interface Asked {
  readonly query: string;
  readonly variables?: object;
  readonly extensions?: object;
}

/** Sends a query. Returns the body of the response, or the payload of the message. */
type Ask = (url: string, asked: Asked, headers?: Record<string, string>) => Promise<string>;

const json = { 'content-type': 'application/json' };

const byPost =
  (accept: string): Ask =>
  async (url, asked, headers) => {
    const all = { ...json, accept, ...headers };
    const { status, body } = await send(`${url}/graphql`, { method: 'POST', headers: all, body: JSON.stringify(asked) });
    expect(status).toBe(200);
    return body;
  };

const byGet: Ask = async (url, { query, variables = {}, extensions = {} }, headers) => {
  const parameters = { query, variables: JSON.stringify(variables), extensions: JSON.stringify(extensions) };
  const { body } = await send(`${url}/graphql?${new URLSearchParams(parameters)}`, {
    headers: { accept: 'application/json', ...headers },
  });
  return body;
};

const overSocket: Ask = async (url, asked, headers = {}) => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
  const texts: string[] = [];
  const over = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      texts.push(String(data));
      if (texts.length === 1) socket.send(JSON.stringify({ id: 'q', type: 'subscribe', payload: asked }));
      if (/"type":"(complete|error)"/.test(String(data))) resolve();
    });
  });
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await over;
  socket.terminate();
  const head = '{"id":"q","type":"next","payload":';
  expect([texts[1]!.slice(0, head.length), texts[2]]).toEqual([head, '{"id":"q","type":"complete"}']);
  return texts[1]!.slice(head.length, -1);
};

const transports: readonly (readonly [string, Ask])[] = [
  ['POST', byPost('application/json')],
  ['GET', byGet],
  ['WebSocket', overSocket],
  ['server-sent events', byPost('text/event-stream')],
  ['an accepted multipart stream', byPost('multipart/mixed;subscriptionSpec=1.0, application/json')],
];

const groupQuery = 'query ($id: ID!) { group(id: $id) { metadata members { nodes { weight } } } }';
const placedQuery = 'query ($id: ID!) { group(id: $id) { asOfHeight metadata } again: group(id: $id) { asOfHeight } }';
const entityQuery = '{ _entities(representations: [{ __typename: "Group", id: "GROUP" }]) { ... on Group { metadata } } }';
const placedEntityQuery = entityQuery.replace('{ metadata', '{ asOfHeight metadata');

const asked = (query: string): Asked => ({
  query: query.replace('GROUP', String(group.id)),
  variables: { id: String(group.id) },
});

/** The cost of a request that costs one point when its answer is carried. */
function costOf(body: string): { readonly requested: number } {
  return JSON.parse(/"cost":(\{[^}]*\})/.exec(body)![1]!);
}

describe.each(transports)('an answer over %s', (name, ask) => {
  const turn = takeTurns(
    transports.map(([each]) => each),
    name,
  );

  it.runIf(turn())(
    'is that of a server without caches at each height, and needs no read while the roots stand still',
    async () => {
      const queries = [groupQuery, placedQuery, entityQuery, placedEntityQuery];
      const askAll = async (url: string): Promise<string[]> => Promise.all(queries.map((query) => ask(url, asked(query))));
      await askAll(stack.server.url);
      await commitKnown(chain, stack);
      await askAll(stack.server.url);
      const height = await commitKnown(chain, stack);
      chain.node.counters.reset();
      const answers = await askAll(stack.server.url);
      expect(stateReads(chain)).toEqual([]);
      for (const [index, answer] of answers.entries()) {
        expect(answer).toContain(`"height":"${height}"`);
        if (queries[index]!.includes('asOfHeight')) expect(answer).toContain(`"asOfHeight":"${height}"`);
      }
      const fresh = await startStack([chain.node.url]);
      await fresh.client.head.waitFor(height, { milliseconds: 30_000 });
      expect(answers).toEqual(await askAll(fresh.server.url));
      await fresh.close();
    },
  );

  it.runIf(turn())('is executed again after a transaction, and has the old value at the old height', async () => {
    const before = chain.devnet.height;
    const old = await ask(stack.server.url, asked(placedQuery));
    await chain.run(chain.accounts[0]!, describeGroup(chain.accounts[0]!, group, `set for ${name}`));
    const after = await commitKnown(chain, stack);
    const changed = await ask(stack.server.url, asked(placedQuery));
    expect(changed).toContain(`"asOfHeight":"${after}","metadata":"set for ${name}"`);
    const again = await ask(stack.server.url, asked(placedQuery), { 'x-cosmos-block-height': String(before) });
    expect(again).toBe(old);
    expect(old).not.toContain(`set for ${name}`);
    expect(old).toContain(`"asOfHeight":"${before}"`);
  });

  it.runIf(turn())('is that of the height in its extensions, however often the same request is sent', async () => {
    const height = String(chain.devnet.height);
    const older: Asked = { ...asked(placedQuery), extensions: { height } };
    for (let time = 0; time < 4; time += 1) {
      expect(await ask(stack.server.url, older)).toContain(`"extensions":{"height":"${height}"`);
      const newest = await commitKnown(chain, stack);
      // The same bytes without a height are read at the newest block.
      expect(await ask(stack.server.url, asked(placedQuery))).toContain(`"extensions":{"height":"${newest}"`);
    }
  });

  it.runIf(turn())('costs one point if it is carried', async () => {
    const priced: Asked = { ...asked(groupQuery), extensions: { cost: true } };
    const { requested } = costOf(await ask(stack.server.url, priced));
    expect(requested).toBeGreaterThan(1);
    await commitKnown(chain, stack);
    expect(costOf(await ask(stack.server.url, priced)).requested).toBe(1);
  });

  it.runIf(turn())('is not kept if it has an error', async () => {
    // Of a proposal that nothing has read, so that no answer is in memory.
    unreadId += 1n;
    const failing = { query: `{ failing: proposal(id: ${unreadId}) { title } }` };
    chain.node.faults.call = ({ method }) =>
      method === 'abci_query' ? { abci: { code: 5, codespace: 'x', log: 'no' } } : undefined;
    expect(await ask(stack.server.url, failing)).toContain('ABCI_QUERY_FAILED');
    chain.node.heal();
    expect(await ask(stack.server.url, failing)).not.toContain('errors');
  });

  it.runIf(turn())('of a field that depends on the block is executed at each height', async () => {
    const head = { query: '{ head { height time } }' };
    for (let block = 0; block < 2; block += 1) {
      const height = await commitKnown(chain, stack);
      expect(await ask(stack.server.url, head)).toContain(`"head":{"height":"${height}"`);
    }
  });
});

it('answers are executed at each height by a server that does not know the roots, whatever the transport', async () => {
  const noProof = { abci: { code: 1, codespace: 'x', log: '' } };
  chain.node.faults.call = ({ method, params }) =>
    method === 'abci_query' && (params as { prove?: boolean }).prove === true ? noProof : undefined;
  const late = await startStack([chain.node.url]);
  await late.client.head.ready();
  for (let block = 0; block < 2; block += 1) {
    const height = await chain.devnet.commit();
    await late.client.head.waitFor(height, { milliseconds: 30_000 });
    for (const [, ask] of transports) {
      const priced: Asked = { ...asked(placedQuery), extensions: { cost: true } };
      const answer = await ask(late.server.url, priced);
      expect(answer).toContain(`"asOfHeight":"${height}"`);
      expect(costOf(answer).requested).toBeGreaterThan(1);
      expect(costOf(await ask(late.server.url, priced)).requested).toBe(1);
    }
  }
  await late.close();
});

it('an answer by HTTP reports that it is carried', async () => {
  const body = JSON.stringify(asked('query ($id: ID!) { group(id: $id) { version } }'));
  for (const accept of ['application/json', 'text/event-stream']) {
    const request = () => send(`${stack.server.url}/graphql`, { method: 'POST', headers: { ...json, accept }, body });
    const statuses: unknown[] = [(await request()).headers['cache-status'], (await request()).headers['cache-status']];
    const height = await commitKnown(chain, stack);
    const carried = await request();
    statuses.push(carried.headers['cache-status'], (await request()).headers['cache-status']);
    expect(statuses).toEqual(['stele; fwd=miss', 'stele; hit', 'stele; hit; detail=carried', 'stele; hit']);
    expect(carried.headers).toMatchObject({ 'x-cosmos-block-height': String(height), 'cache-control': 'no-store' });
  }
});

it('a large answer is carried unchanged', async () => {
  // More than is copied into one piece.
  const query = '{ __schema { types { name fields { name description } } } group(id: 1) { asOfHeight } }';
  for (const [, ask] of transports.slice(2)) {
    const first = await ask(stack.server.url, { query });
    const before = chain.devnet.height;
    expect(first.length).toBeGreaterThan(32 * 1024);
    const height = await commitKnown(chain, stack);
    chain.node.counters.reset();
    const next = await ask(stack.server.url, { query });
    expect(stateReads(chain)).toEqual([]);
    expect(next).toBe(
      first
        .replaceAll(`"asOfHeight":"${before}"`, `"asOfHeight":"${height}"`)
        .replace(/("extensions":\{"height":)"\d+"/, `$1"${height}"`),
    );
  }
});

it('equal subscriptions are never shared, whatever their transport', async () => {
  const { url } = stack.server;
  const query = 'subscription { newBlock { height } }';
  const controllers = Array.from({ length: 4 }, () => new AbortController());
  const streams = await Promise.all(
    controllers.map(({ signal }) =>
      fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { ...json, accept: 'text/event-stream' },
        body: JSON.stringify({ query }).replace('subscription', 'subscr\\u0069ption'),
        signal,
      }),
    ),
  );
  expect(streams.map(({ status, headers }) => [status, headers.get('cache-status')])).toEqual(Array(4).fill([200, null]));
  expect(stack.server.subscriptions().subscribers).toBe(4);
  for (const controller of controllers) controller.abort();
  await Promise.all(streams.map((stream) => stream.text().catch(() => undefined)));
  await expect.poll(() => stack.server.subscriptions().subscribers).toBe(0);
});

it('a client that accepts no stream gets no subscription, and nothing stays open', async () => {
  const { status } = await post(stack.server.url, 'subscription { newBlock { height } }');
  expect([status, stack.server.subscriptions().subscribers]).toEqual([406, 0]);
});
