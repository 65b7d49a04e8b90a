import { afterAll, beforeAll, expect, it } from 'vitest';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain;
const stacks: Stack[] = [];

beforeAll(async () => {
  chain = await startChain();
});

afterAll(async () => {
  for (const stack of stacks) await stack.close();
  await chain.devnet.close();
});

interface Answer {
  readonly data: {
    readonly groups: { readonly nodes: readonly { readonly policies: { readonly totalCount: string } | null }[] };
  };
  readonly errors?: readonly {
    readonly path: readonly (string | number)[];
    readonly extensions: Readonly<Record<string, unknown>>;
  }[];
  readonly extensions: { readonly cost: { readonly requested: number; readonly remaining: number } };
}

async function ask(limits: Record<string, number>, query: string): Promise<{ status: number; body: Answer }> {
  const stack = await startStack([chain.node.url], { server: { limits: { 'rate.computing': 0, ...limits } } });
  stacks.push(stack);
  const response = await fetch(`${stack.server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, extensions: { cost: true } }),
  });
  return { status: response.status, body: (await response.json()) as Answer };
}

const counted = '{ groups(first: 100) { nodes { policies { totalCount } } } }';

it('a totalCount in the items of a list costs 50 points for each list that is counted, and 5 for each that could be', async () => {
  const { body } = await ask({ 'rate.burst': 10_000, 'rate.points': 1 }, counted);
  const groups = body.data.groups.nodes.length;
  expect(groups).toBeGreaterThan(1);
  const points = 1 + 100 * (1 + 1 + 5) + 45 * groups;
  expect(body.extensions.cost).toMatchObject({ requested: points, remaining: 10_000 - points });
  // Before, the document cost 5,201 points.
  expect(points).toBeLessThan(1_300);
});

it('an operation that counts more lists than graphql.cost pays for is stopped, and the others are not counted', async () => {
  chain.node.counters.reset();
  const { body } = await ask({ 'graphql.cost': 701 + 45 }, counted);
  const [first, ...others] = body.data.groups.nodes;
  expect(first).toEqual({ policies: { totalCount: expect.any(String) } });
  expect(others.every(({ policies }) => policies === null)).toBe(true);
  expect(body.errors).toHaveLength(others.length);
  expect(body.errors![0]).toMatchObject({
    path: ['groups', 'nodes', 1, 'policies'],
    extensions: { code: 'OPERATION_TOO_COMPLEX', limit: 'graphql.cost', max: 746, value: '791' },
  });
  const counts = chain.node.counters.log.filter(({ params }) => JSON.stringify(params).includes('GroupPoliciesByGroup'));
  expect(counts).toHaveLength(1);
});

it.each([
  '{ groups(first: 100) { nodes { policies(first: 100) { nodes { proposals { totalCount } } } } } }',
  `{ groups(first: 100) { nodes { ${Array.from({ length: 30 }, (_, at) => `a${at}: policies(first: 10) { totalCount nodes { address } }`).join(' ')} } } }`,
])('a document that could count a list for each of many items is refused before anything is read: %s', async (query) => {
  chain.node.counters.reset();
  const { body } = await ask({ 'graphql.cost': 25_000 }, query);
  expect(body.errors).toMatchObject([{ extensions: { code: 'OPERATION_TOO_COMPLEX', limit: 'graphql.cost' } }]);
  expect(chain.node.counters.log.filter(({ method }) => method === 'abci_query')).toEqual([]);
});
