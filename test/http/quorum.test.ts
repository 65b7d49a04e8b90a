import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { runsAll } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain({ nodes: 3 });
  for (let block = 0; block < 5; block += 1) await chain.devnet.commit();
  stack = await startStack(
    chain.devnet.nodes.map(({ url }) => url),
    { upstream: { probeInterval: 60_000, ejection: 50 }, client: { learnsRoots: false } },
  );
});

afterEach(async () => {
  for (const node of chain.devnet.nodes) node.heal();
  // A node that was put aside is no node for the next test.
  await expect.poll(() => stack.client.nodes().filter(({ health }) => health === 'EJECTED'), { interval: 5 }).toEqual([]);
  for (const node of chain.devnet.nodes) node.counters.reset();
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly data?: Record<string, unknown> | null;
    readonly errors?: readonly { readonly extensions: Record<string, unknown> }[];
    readonly extensions?: { readonly quorum?: unknown; readonly cost?: { readonly requested: number } };
  };
}

async function ask(
  query: string,
  extensions: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(`${stack.server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify({ query, extensions }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Reply['body'] };
}

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${stack.server.url}${path}`, { headers });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, unknown> };
}

/** How often the nodes were called with a method, the nodes with the most calls first. */
const calls = (method: string): number[] =>
  chain.devnet.nodes.map(({ counters }) => counters.byMethod[method] ?? 0).toSorted((a, b) => b - a);

/** How often the nodes were called since the last time. */
function called(method = 'abci_query'): number[] {
  const counts = calls(method);
  for (const { counters } of chain.devnet.nodes) counters.reset();
  return counts;
}

const supplyOf = (denom: string) => `{ supplyOf(denom: "${denom}") { amount } }`;
const agreed = (nodes: number) => ({ level: 'QUORUM', nodes: 3, agreed: nodes });

describe('a query with a quorum', () => {
  it('is read from so many nodes, and says so', async () => {
    const { body } = await ask(supplyOf('nhash'), { quorum: 2 });
    expect(body).toMatchObject({ data: { supplyOf: { amount: expect.any(String) } }, extensions: { quorum: agreed(2) } });
    expect(called()).toEqual([1, 1, 0]);
  });

  it('is not answered from what fewer nodes have said, and others are from what it has read', async () => {
    const query = supplyOf('absent1');
    await ask(query);
    expect(called()).toEqual([1, 0, 0]);
    expect((await ask(query, { quorum: 2 })).body.extensions?.quorum).toEqual(agreed(2));
    expect(called()).toEqual([1, 1, 0]);
    // Kept: the whole answer, and its reads for an operation with another text.
    const kept = await ask(query, { quorum: 2 });
    expect(kept.headers.get('cache-status')).toBe('stele; hit');
    expect(kept.body.extensions?.quorum).toEqual(agreed(2));
    await ask(`query Other ${query}`, { quorum: 2 });
    expect(called()).toEqual([0, 0, 0]);
    // Two nodes are fewer than three.
    expect((await ask(query, { quorum: 3 })).body.extensions?.quorum).toEqual(agreed(3));
    expect(called()).toEqual([1, 1, 1]);
    // What three nodes have said is known to all.
    const further = supplyOf('absent2');
    await ask(further, { quorum: 3 });
    expect(called()).toEqual([1, 1, 1]);
    await ask(further);
    await ask(further, { quorum: 2 });
    expect(called()).toEqual([0, 0, 0]);
  });

  it('is read at its height while the chain goes on', async () => {
    const query = '{ blockResults(height: "3") { height finalizeBlockEvents { type } } }';
    const pinned = { 'x-cosmos-block-height': '3' };
    const before = await ask(query, { quorum: 2 }, pinned);
    await chain.devnet.commit();
    const after = await ask(`query Later ${query}`, { quorum: 2 }, pinned);
    expect(after.body.data).toEqual(before.body.data);
    expect(after.headers.get('x-cosmos-block-height')).toBe('3');
  });

  it('costs as many times as much', async () => {
    const cost = async (quorum: number) =>
      (await ask(supplyOf(`cost${quorum}`), { cost: true, quorum })).body.extensions!.cost!.requested;
    const one = await cost(1);
    expect(one).toBeGreaterThan(0);
    expect(await cost(3)).toBe(3 * one);
  });

  it('gives the results of a block that two nodes have, while one of them lies', async () => {
    const liar = chain.devnet.nodes[0]!;
    const query = '{ blockResults(height: "2") { finalizeBlockEvents { type } } }';
    const truth = (await ask(query, { quorum: 3 })).body.data;
    liar.faults.forge = ({ method }, result) =>
      method === 'block_results' ? JSON.parse(JSON.stringify(result).replaceAll('"mint"', '"lie"')) : result;
    const { body } = await ask(`query Again ${query}`, { quorum: 2 });
    expect(body).toMatchObject({ data: truth, extensions: { quorum: agreed(2) } });
  });

  it('does not rest on the event of a block, which one node has sent', async () => {
    const { client } = stack;
    await expect.poll(() => client.head.stats().isSubscribed, { interval: 2, timeout: 10_000 }).toBe(true);
    const liar = chain.devnet.nodes.find(({ sockets }) => sockets > 0)!;
    liar.faults.forgeBlock = (block) => ({
      ...block,
      result: { ...block.result, events: [{ type: 'forged', attributes: [] }] },
    });
    const height = await chain.devnet.commit();
    await client.head.waitFor(height, { milliseconds: 10_000 });
    await expect.poll(() => client.blocks.at(height), { interval: 2 }).not.toBe(undefined);
    const query = `{ blockResults(height: "${height}") { finalizeBlockEvents { type } } }`;
    const typesOf = ({ body }: Reply) => JSON.stringify(body.data);
    // Without a quorum, the server believes the node.
    expect(typesOf(await ask(query))).toContain('forged');
    const { body } = await ask(query, { quorum: 2 });
    expect(JSON.stringify(body.data)).not.toContain('forged');
    expect(body.extensions?.quorum).toEqual(agreed(2));
  });

  it('names no agreement for what a node tells of itself', async () => {
    const { body } = await ask('{ numUnconfirmedTransactions { total } }', { quorum: 2 });
    expect(body.extensions?.quorum).toEqual({ level: 'ASSERTED', nodes: 3, agreed: 1 });
  });

  it('fails without a majority, and with a clear code', async () => {
    chain.devnet.nodes.forEach((node, index) => {
      node.faults.forge = ({ method }, result) =>
        method === 'abci_query'
          ? { response: { ...(result as { response: object }).response, value: 'A'.repeat(4 * index) } }
          : result;
    });
    const { body } = await ask(supplyOf('different'), { quorum: 2 });
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'NODE_INCONSISTENT', height: expect.any(String) });
  });

  it('fails if too few nodes answer, with both numbers', async () => {
    for (const node of chain.devnet.nodes.slice(1)) node.faults.answer = 'reset';
    const { body } = await ask(supplyOf('few'), { quorum: 2 });
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'NODE_UNREACHABLE', quorum: 2, available: 1 });
  });

  it.each([0, 4, 1.5, -1, 'two', true, {}, []])('refuses %j with the bound', async (quorum) => {
    const { body } = await ask(supplyOf('nhash'), { quorum });
    expect(body.errors?.[0]?.extensions).toMatchObject({
      ...{ code: 'BAD_USER_INPUT', argument: 'extensions.quorum' },
      bound: 'a number from 1 to 3, the nodes of the server',
    });
    expect(called()).toEqual([0, 0, 0]);
  });

  it('is refused for a mutation, whose transaction is not read', async () => {
    const { body } = await ask('mutation { broadcastTxSync(tx: "AA==") { hash } }', { quorum: 2 });
    expect(body.errors?.[0]?.extensions).toMatchObject({
      ...{ code: 'BAD_USER_INPUT', argument: 'extensions.quorum' },
      bound: 'at most 1 for mutations, subscriptions and live queries (--quorum)',
    });
  });

  it('is the same by a header and over a WebSocket', async () => {
    const byHeader = await ask(supplyOf('header'), {}, { 'accept-quorum': '2' });
    expect(byHeader.body.extensions?.quorum).toEqual(agreed(2));
    expect(byHeader.headers.get('vary')).toContain('accept-quorum');
    // The same bytes without the header.
    expect((await ask(supplyOf('header'))).body.extensions?.quorum).toBe(undefined);
    const socket = new WebSocket(`${stack.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const messages: { type: string; payload?: Reply['body'] }[] = [];
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as (typeof messages)[number];
      messages.push(message);
      const payload = { query: supplyOf('socket'), extensions: { quorum: 2 } };
      if (message.type === 'connection_ack') socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
    });
    await expect.poll(() => messages.find(({ type }) => type === 'next'), { interval: 2, timeout: 10_000 }).toBeDefined();
    expect(messages.find(({ type }) => type === 'next')?.payload?.extensions?.quorum).toEqual(agreed(2));
    socket.terminate();
  });
});

describe.each([
  ['REST', '/rest/cosmos/bank/v1beta1/supply/by_denom?denom=nhash'],
  ['a node of the chain over REST', '/cosmos/bank/v1beta1/supply/by_denom?denom=nhash'],
  ['/v1', '/v1/holders/nhash'],
])('%s', (_, path) => {
  it('names in a header how many nodes agreed, and keeps such answers apart', async () => {
    await chain.devnet.commit();
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 10_000 });
    const plain = await get(path);
    expect(plain.headers.get('quorum')).toBe(null);
    expect(called()[1]).toBe(0);
    const quorum = await get(path, { 'accept-quorum': '2' });
    expect(quorum.headers.get('quorum')).toBe('QUORUM; agreed=2; nodes=3');
    expect(quorum.headers.get('vary')).toContain('accept-quorum');
    expect(quorum.body).toEqual(plain.body);
    const [most, second, least] = called();
    expect([most, least]).toEqual([second, 0]);
    expect(most).toBeGreaterThan(0);
    const again = await get(path, { 'accept-quorum': '2' });
    expect(again.headers.get('quorum')).toBe('QUORUM; agreed=2; nodes=3');
    expect(called()).toEqual([0, 0, 0]);
  });

  it('refuses more nodes than there are', async () => {
    const { status, body } = await get(path, { 'accept-quorum': '4' });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('accept-quorum');
    expect(JSON.stringify(body)).toContain('a number from 1 to 3');
  });
});

it.runIf(runsAll)('a list as CSV, whose headers come before it is read, has no quorum', async () => {
  const own = await startStack([chain.devnet.nodes[0]!.url], { archive: { records: true } });
  try {
    const headers = { accept: 'text/csv', 'accept-quorum': '1' };
    const response = await fetch(`${own.server.url}/v1/proposals`, { headers });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      ...{ code: 'BAD_USER_INPUT', field: 'accept-quorum' },
      bound: 'absent for NDJSON and CSV',
    });
    // What the server has recorded is what the server says.
    const json = await fetch(`${own.server.url}/v1/proposals`, { headers: { 'accept-quorum': '1' } });
    expect(json.headers.get('quorum')).toBe('ASSERTED; agreed=1; nodes=1');
  } finally {
    await own.close();
  }
});
