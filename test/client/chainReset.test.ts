import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Client, createClient, type SteleError } from '../../packages/client/src/index.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../support/issuer.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { type FaultyRelay, startFaultyRelay } from './relay.ts';

let issuer: TestIssuer;
let chain: TestChain;
let stack: Stack;
let relay: FaultyRelay;
let client: Client;
let errors: SteleError[];
let resets: SteleError[];

const start = (): Promise<Stack> => startStack([chain.node.url], { server: { auth: authenticatorOf(issuer) } });

beforeEach(async () => {
  issuer = await startIssuer();
  chain = await startChain({ bare: true });
  stack = await start();
  relay = await startFaultyRelay(stack.server.url);
  [errors, resets] = [[], []];
  client = createClient({
    url: `${relay.url}/graphql`,
    token: () => issuer.sign(),
    webSocket: WebSocket,
    onState: (_, error) => error !== undefined && errors.push(error),
    onReset: (error) => resets.push(error),
  });
});

afterEach(async () => {
  client.close();
  await relay.close();
  await stack.close();
  await chain.devnet.close();
  await issuer.close();
});

async function grow(blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block += 1) await chain.devnet.commit();
}

/** Cuts the connections, and replaces the server and its chain. The new chain has the same id and one block. */
async function restart(): Promise<void> {
  relay.cut();
  await stack.close();
  await chain.devnet.close();
  chain = await startChain({ bare: true });
  stack = await start();
  relay.target(stack.server.url);
}

const codes = (): string[] => errors.map(({ code }) => code).filter((code) => code !== 'CONNECTION_FAILED');
const blocks = 'subscription ($after: Int64) { newBlock(after: $after) { height hash } }';
const quiet = `subscription ($after: Int64) { transactions(where: [{ key: "no.event", op: EXISTS }], after: $after) { hash } }`;

describe('after the chain was restarted under the same id', () => {
  it.each([
    ['before any event', quiet, {}],
    ['before any event, from a height', quiet, { after: 1 }],
    ['after events', blocks, { after: 0 }],
  ])('a subscription that resumes %s fails with CHAIN_RESET at once', async (_, document, options) => {
    await grow(3);
    const events = client.subscribe<{ newBlock: { height: string } }>(document, {}, options);
    const first = events.next();
    if (document === blocks) for (const next of [first, events.next(), events.next(), events.next()]) await next;
    else await expect.poll(() => stack.server.subscriptions().subscribers).toBe(1);
    const next = document === blocks ? events.next() : first;
    next.catch(() => undefined);
    await restart();
    const begun = performance.now();
    await expect(next).rejects.toMatchObject({ code: 'CHAIN_RESET', facts: { latestHeight: '1' } });
    // Less than the five seconds for which a server waits for a block that a client names.
    expect(performance.now() - begun).toBeLessThan(4_000);
  });

  it('a subscription that begins again without a height has the events of the new chain alone', async () => {
    await grow(3);
    await restart();
    const events = client.subscribe<{ newBlock: { height: string; hash: string } }>(blocks, {}, { after: 0 });
    const { value } = await events.next();
    expect(value?.data?.newBlock).toEqual({ height: '1', hash: (await stack.client.block(1n)).blockId.hash });
  });

  it('a live query reports the reset and goes on with the new chain, below the old height', async () => {
    await grow(5);
    const results = client.live<{ head: { height: string; hash: string } }>('query @live { head { height hash } }');
    const { value: old } = await results.next();
    expect(old?.data.head.height).toBe('6');
    const next = results.next();
    await restart();
    const { value } = await next;
    expect(value?.data.head).toEqual({ height: '1', hash: (await stack.client.block(1n)).blockId.hash });
    expect([codes(), resets]).toMatchObject([[], [{ code: 'CHAIN_RESET', facts: { latestHeight: '1' } }]]);
    await grow(1);
    expect((await results.next()).value?.data.head.height).toBe('2');
  });
});

it('a server that was restarted over the same chain resumes every stream, also one whose first block is pruned', async () => {
  await grow(3);
  const events = client.subscribe<{ newBlock: { height: string } }>(blocks, {}, { after: 3 });
  expect((await events.next()).value?.height).toBe('4');
  const results = client.live<{ head: { height: string } }>('query @live { head { height } }');
  expect((await results.next()).value?.height).toBe('4');
  const next = [events.next(), results.next()];
  relay.cut();
  await stack.close();
  chain.node.prune(3n, { blocks: true });
  stack = await start();
  relay.target(stack.server.url);
  await grow(1);
  expect((await Promise.all(next)).map(({ value }) => value?.height)).toEqual(['5', '5']);
  expect([codes(), resets]).toEqual([[], []]);
});
