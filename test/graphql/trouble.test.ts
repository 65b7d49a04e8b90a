import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DevnetNode } from '../../packages/devnet/src/node/node.ts';
import { runsAll, some } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Answer, type Stack, startStack } from '../support/stack.ts';

const question = '{ groups(first: 2) { nodes { id version } } }';

let chain: TestChain;
let expected: unknown;
const stacks: Stack[] = [];

/** Starts a server with a call timeout of 500 ms, and waits until it has seen the newest block. */
async function over(...nodes: readonly DevnetNode[]): Promise<Stack> {
  const stack = await startStack(
    nodes.map(({ url }) => url),
    { upstream: { timeout: 500, silence: 300, probeInterval: 200 } },
  );
  stacks.push(stack);
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  return stack;
}

beforeEach(async () => {
  chain = await startChain({ nodes: 2 });
  await chain.devnet.commit();
  // Without the short timeout, which passes on a busy machine.
  const reference = await startStack([chain.node.url], { upstream: { timeout: 20_000 } });
  stacks.push(reference);
  await reference.client.head.waitFor(chain.devnet.height, { milliseconds: 20_000 });
  const { body } = await reference.ask(question);
  expect(body.errors).toBeUndefined();
  expected = body.data;
});

afterEach(async () => {
  for (const node of chain.devnet.nodes) node.heal();
  await Promise.all(stacks.splice(0).map((stack) => stack.close()));
  await chain.devnet.close();
});

async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const start = performance.now();
  return [await work, performance.now() - start];
}

function codesOf({ body }: Answer<unknown>): unknown[] {
  return (body.errors ?? []).map(({ extensions }) => extensions.code);
}

/** Faults of a node, and the error code if it is the only node. */
const faults: readonly [name: string, code: string, make: (node: DevnetNode) => unknown][] = [
  ['down', 'NODE_UNREACHABLE', (node) => node.stop()],
  ['silent', 'NODE_TIMEOUT', (node) => Object.assign(node.faults, { answer: 'never' })],
  ['slow', 'NODE_TIMEOUT', (node) => Object.assign(node.faults, { delay: 3000 })],
  ['pruned', 'HEIGHT_PRUNED', (node) => node.prune(chain.devnet.height + 1n)],
  ['answering nonsense', 'NODE_INVALID_RESPONSE', (node) => Object.assign(node.faults, { answer: 'garbage' })],
  ['cutting its answers', 'NODE_INVALID_RESPONSE', (node) => Object.assign(node.faults, { answer: 'cut' })],
  ['behind a broken gateway', 'NODE_INVALID_RESPONSE', (node) => Object.assign(node.faults, { answer: 'badGateway' })],
  ['answering for another height', 'NODE_INVALID_RESPONSE', (node) => Object.assign(node.faults, { forge: forgeHeight })],
];

const forgeHeight: DevnetNode['faults']['forge'] = ({ method }, result) =>
  method === 'abci_query' ? JSON.parse(JSON.stringify(result).replace(/"height":"\d+"/, '"height":"1"')) : result;

describe.each(some(faults, 2))('a node that is %s', (_name, code, make) => {
  it(`as the only node: ${code}, in bounded time`, async () => {
    const stack = await over(chain.node);
    await make(chain.node);
    const [answer, took] = await timed(stack.ask(question));
    expect(codesOf(answer)).toEqual([code]);
    expect(answer.body.data).toEqual({ groups: null });
    expect(took).toBeLessThan(5000);
    expect(JSON.stringify(answer.body)).not.toContain(new URL(chain.node.url).port);
  });

  it.runIf(runsAll)('beside a healthy node: the answer of the healthy node', async () => {
    const stack = await over(...chain.devnet.nodes);
    await make(chain.node);
    const [answer, took] = await timed(stack.ask(question));
    expect(answer.body).toMatchObject({ data: expected });
    expect(answer.body.errors).toBeUndefined();
    expect(took).toBeLessThan(5000);
  });
});

describe('a node that lags', () => {
  it('as the only node left: HEIGHT_NOT_YET_AVAILABLE or NODE_UNREACHABLE for a height that it does not have', async () => {
    chain.node.freeze();
    const stack = await over(chain.devnet.nodes[1]!, chain.node);
    await chain.devnet.commit();
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    await chain.devnet.nodes[1]!.stop();
    const [answer, took] = await timed(stack.ask(question));
    expect(answer.height).toBe(chain.devnet.height.toString());
    expect(['HEIGHT_NOT_YET_AVAILABLE', 'NODE_UNREACHABLE']).toContain(codesOf(answer)[0]);
    expect(took).toBeLessThan(5000);
  });

  it('beside a healthy node: never used for heights that it does not have', async () => {
    const [first, second] = chain.devnet.nodes;
    const stack = await over(first!, second!);
    first!.freeze();
    // A node counts as lagging once it is more than three blocks behind.
    for (let block = 0; block < 4; block += 1) await chain.devnet.commit();
    for (let block = 0; block < 3; block += 1) {
      await chain.devnet.commit();
      await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
      const answer = await stack.ask(question);
      expect(answer.height).toBe(chain.devnet.height.toString());
      expect(answer.body).toMatchObject({ data: expected });
    }
  });
});

describe('a node of another chain', () => {
  it.runIf(runsAll)('is rejected beside a node of the right chain, and never used for answers', async () => {
    const other = await startChain({ chainId: 'another-chain' });
    for (let block = 0; block < 5; block += 1) await other.devnet.commit();
    const stack = await over(chain.node, other.node);
    const answer = await stack.ask('{ head { height chainId } groups { totalCount } }');
    expect(answer.body.data).toMatchObject({ head: { height: chain.devnet.height.toString(), chainId: chain.devnet.chainId } });
    await chain.node.stop();
    const alone = await stack.ask(question, {}, { 'x-cosmos-block-height': '1' });
    expect(alone.body.data).toEqual({ groups: null });
    expect(codesOf(alone)).toHaveLength(1);
    await other.devnet.close();
  });
});

describe('no node at all', () => {
  it.runIf(runsAll)('is reported in bounded time, and introspection still works', async () => {
    await chain.node.stop();
    const stack = await startStack([chain.node.url], { upstream: { timeout: 500 } });
    stacks.push(stack);
    const [answer, took] = await timed(stack.ask(question));
    expect(codesOf(answer)).toEqual(['NODE_UNREACHABLE']);
    expect(took).toBeLessThan(8000);
    expect((await stack.ask('{ __typename }')).body.data).toEqual({ __typename: 'Query' });
  });
});

describe('a caller', () => {
  it('that disconnects causes no error and does not block later requests', async () => {
    const stack = await startStack([chain.node.url], { upstream: { timeout: 20_000 } });
    stacks.push(stack);
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 20_000 });
    const held: { release?: () => void } = {};
    chain.node.faults.gate = new Promise<void>((resolve) => {
      held.release = resolve;
    });
    const callArrived = new Promise<void>((resolve) => {
      chain.node.onCall = ({ method }) => void (method === 'abci_query' && resolve());
    });
    const leaving = new AbortController();
    const left = fetch(`${stack.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: question }),
      signal: leaving.signal,
    });
    await callArrived;
    leaving.abort();
    await expect(left).rejects.toThrow();
    held.release!();
    chain.node.heal();
    chain.node.onCall = undefined;
    expect((await stack.ask(question)).body).toMatchObject({ data: expected });
    expect(stack.masked).toEqual([]);
  });

  it.runIf(runsAll)('waits no longer than request.deadline: fields not read by then fail with NODE_TIMEOUT', async () => {
    const stack = await startStack([chain.node.url], { server: { limits: { 'request.deadline': 300 } } });
    stacks.push(stack);
    await stack.client.head.ready();
    chain.node.faults.answer = (calls) => (calls.some(({ method }) => method === 'abci_query') ? 'never' : undefined);
    const [answer, took] = await timed(stack.ask(question));
    expect(answer.body.errors?.[0]?.extensions).toEqual({ code: 'NODE_TIMEOUT', milliseconds: 300 });
    // Without the deadline, the call would time out after five seconds.
    expect(took).toBeLessThan(3000);
    expect(stack.masked).toEqual([]);
  });

  it('that sends an invalid request gets an error with a code, which does not repeat the request', async () => {
    const stack = await over(chain.node);
    const send = async (method: string, body?: string, type = 'application/json'): Promise<[number, string]> => {
      const response = await fetch(`${stack.server.url}/graphql`, {
        method,
        headers: { 'content-type': type },
        ...(body && { body }),
      });
      return [response.status, await response.text()];
    };
    const [badJson, noJson] = [await send('POST', '{"query": "secret'), await send('POST', '[]')];
    for (const [, text] of [badJson, noJson])
      expect(JSON.parse(text)).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    expect(badJson[1]).not.toContain('secret');
    expect((await send('DELETE'))[0]).toBe(405);
    expect((await send('POST', 'x'.repeat(1_500_001)))[0]).toBe(413);
    expect((await fetch(`${stack.server.url}/nowhere`)).status).toBe(404);
    expect((await stack.ask('{ nope }')).body.errors?.[0]?.extensions).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED' });
    expect(stack.masked).toEqual([]);
  });
});
