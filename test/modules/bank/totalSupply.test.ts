import { afterAll, beforeAll, expect, it } from 'vitest';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

interface Page {
  readonly totalSupply: {
    readonly nodes: readonly { readonly denom: string }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url], { client: { learnsRoots: false } });
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const supply = 'totalSupply(first: 3) { nodes { denom amount metadata { name } } pageInfo { hasNextPage } }';

/** The paths that a function queries, in order. */
async function queried(run: () => Promise<unknown>): Promise<string[]> {
  chain.node.counters.reset();
  await run();
  return chain.node.counters.log
    .filter(({ method }) => method === 'abci_query')
    .map(({ params }) => String((params as { path: string }).path).replace(/^.*Query\//, ''));
}

it('one page is one read, and one for the metadata of each denom; the same denoms are not read again', async () => {
  const ask = () => stack.ask(`{ ${supply} }`);
  expect((await queried(ask)).toSorted()).toEqual(['DenomMetadata', 'DenomMetadata', 'DenomMetadata', 'TotalSupply']);
  expect(await queried(ask)).toEqual([]);
});

it('pages have every denom once, in order', async () => {
  const all = '{ totalSupply(first: 100) { totalCount nodes { denom } } }';
  const { totalSupply } = (await stack.ask(all)).body.data as {
    totalSupply: { totalCount: string; nodes: { denom: string }[] };
  };
  const denoms = totalSupply.nodes.map(({ denom }) => denom);
  expect(denoms.length).toBe(Number(totalSupply.totalCount));
  expect(denoms.toSorted()).toEqual(denoms);
  const paged: string[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const document = `query ($after: String) { totalSupply(first: 2, after: $after) { nodes { denom } pageInfo { hasNextPage endCursor } } }`;
    const { body }: { body: { data?: unknown } } = await stack.ask(document, { after });
    const { nodes, pageInfo }: Page['totalSupply'] = (body.data as Page).totalSupply;
    paged.push(...nodes.map(({ denom }) => denom));
    ({ hasNextPage: more, endCursor: after } = pageInfo);
  }
  expect(paged).toEqual(denoms);
});

it('is read at one height while the chain goes on, and fails alone', async () => {
  await chain.devnet.commit();
  const heights = new Set<string>();
  chain.node.onCall = async ({ method, params }) => {
    if (method !== 'abci_query') return;
    heights.add((params as { height: string }).height);
    if (heights.size === 1 && chain.devnet.height === begin) await chain.devnet.commit();
  };
  const begin = chain.devnet.height;
  const document = '{ totalSupply(first: 4) { nodes { denom amount display { amount } metadata { name } } } }';
  const { height, body } = await stack.ask(document);
  chain.node.onCall = undefined;
  expect([body.errors, height, [...heights]]).toEqual([undefined, `${begin}`, [`${begin}`]]);
  expect(chain.devnet.height).toBe(begin + 1n);
  chain.node.faults.forge = ({ method }, result) =>
    method === 'abci_query' ? { response: { ...(result as { response: object }).response, value: '//8=' } } : result;
  try {
    const { body } = await stack.ask(`{ head { chainId } ${supply} }`);
    expect(body.data).toEqual({ head: { chainId: chain.devnet.chainId }, totalSupply: null });
    expect(body.errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [['totalSupply'], 'NODE_INVALID_RESPONSE'],
    ]);
  } finally {
    chain.node.faults.forge = undefined;
  }
});
