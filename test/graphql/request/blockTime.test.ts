import { afterEach, expect, it } from 'vitest';
import { http } from '../../../src/chain/transports/http.ts';
import { asObject, objectAt, textAt } from '../../../src/chain/wire/json.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const running: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

async function start(before = 0): Promise<{ chain: TestChain; stack: Stack }> {
  const chain = await startChain();
  running.push(() => chain.devnet.close());
  for (let block = 0; block < before; block += 1) await chain.devnet.commit();
  const stack = await startStack([chain.node.url]);
  running.push(() => stack.close());
  await stack.client.head.ready();
  await expect.poll(() => stack.client.head.stats().isSubscribed, { interval: 2 }).toBe(true);
  await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
  return { chain, stack };
}

/** The time in the header of a block, as the node prints it. */
async function timeOf(chain: TestChain, height: bigint): Promise<string> {
  const node = http(chain.node.url);
  const time = await node.call(
    'block',
    { height: `${height}` },
    {
      decode: (json) => textAt(objectAt(objectAt(asObject(json, 'block'), 'block'), 'header'), 'time'),
    },
  );
  await node.close();
  return time;
}

async function ask({ server }: Stack, query: string, extensions: object = {}, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, extensions }),
  });
  return { source: response.headers.get('cache-status'), body: (await response.json()) as Record<string, object> };
}

it.each([
  ['head { height time }', '{ groups(first: 1) { nodes { id } } head { height time __typename } }', {}],
  ['extensions.time', '{ groups(first: 1) { nodes { id } } }', { time: true }],
])('%s is written into an answer that is carried over blocks that do not change it', async (_, query, extensions) => {
  const { chain, stack } = await start();
  const sources: (string | null)[] = [];
  for (let block = 0; block < 6; block += 1) {
    const height = await chain.devnet.commit();
    await stack.client.head.waitFor(height, { milliseconds: 30_000 });
    await stack.client.roots.settled(height);
    const time = await timeOf(chain, height);
    chain.node.counters.reset();
    const { source, body } = await ask(stack, query, extensions);
    sources.push(source);
    const isWished = Object.keys(extensions).length > 0;
    expect(body.extensions).toMatchObject({ height: `${height}`, ...(isWished && { time }) });
    expect(body.data).toEqual({
      groups: { nodes: [{ id: '1' }] },
      ...(!isWished && { head: { height: `${height}`, time, __typename: 'Block' } }),
    });
    if (block > 2) expect(chain.node.counters.log.filter(({ method }) => method !== 'status')).toEqual([]);
  }
  // The roots of the stores that it was read from are learnt from then on.
  expect(sources.slice(3)).toEqual(Array(3).fill('stele; hit; detail=carried'));
});

it('the time of a block that this process has not seen is read, once', async () => {
  const { chain, stack } = await start(3);
  const time = await timeOf(chain, 2n);
  chain.node.counters.reset();
  for (const source of ['stele; fwd=miss', 'stele; hit']) {
    const answer = await ask(stack, '{ groups(first: 1) { nodes { id } } }', { time: true }, { 'x-cosmos-block-height': '2' });
    expect(answer).toMatchObject({ source, body: { extensions: { height: '2', time } } });
  }
  expect(chain.node.counters.log.filter(({ method }) => method === 'block')).toHaveLength(1);
  const { body } = await ask(stack, '{ head { height time } at(height: 2) { head { height time } } }');
  expect(body.data).toEqual({
    head: { height: `${chain.devnet.height}`, time: await timeOf(chain, chain.devnet.height) },
    at: { head: { height: '2', time } },
  });
});

it('other fields of the head are read, and a block that arrives meanwhile changes nothing', async () => {
  const { chain, stack } = await start();
  const { height } = chain.devnet;
  chain.node.onCall = async ({ params }) => {
    if (!JSON.stringify(params)?.includes('group.v1.Query')) return;
    chain.node.onCall = undefined;
    await chain.devnet.commit();
  };
  const { body } = await ask(stack, '{ head { height time hash } groups(first: 1) { nodes { id asOfHeight } } }', {
    time: true,
  });
  const time = await timeOf(chain, height);
  expect(chain.devnet.height).toBe(height + 1n);
  expect(body).toMatchObject({
    data: { head: { height: `${height}`, time, hash: expect.any(String) }, groups: { nodes: [{ asOfHeight: `${height}` }] } },
    extensions: { height: `${height}`, time },
  });
});

it('without the wish, no time is added; an error keeps the height', async () => {
  const { stack } = await start();
  const { extensions } = (await ask(stack, '{ head { height } }')).body;
  expect(extensions).not.toHaveProperty('time');
  expect(extensions).toMatchObject({ height: '2' });
  const { body } = await ask(stack, '{ group(id: "x") { id } }', { time: true });
  expect(body.errors).toBeDefined();
});
