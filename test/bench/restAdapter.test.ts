import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Child, startChild } from '../../bench/child.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain;
let stack: Stack;
let adapter: Child;

beforeAll(async () => {
  chain = await startChain();
  [stack, adapter] = await Promise.all([startStack([chain.node.url]), startChild('comparison/restAdapter', [chain.node.url])]);
});

afterAll(async () => {
  await Promise.all([stack.close(), adapter.stop()]);
  await chain.devnet.close();
});

async function get(url: string): Promise<readonly [number, unknown]> {
  const response = await fetch(url);
  return [response.status, await response.json()];
}

const policy = 'tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf';

it.each([
  `proposals_by_group_policy/${policy}?pagination.limit=20&pagination.offset=10&pagination.count_total=true`,
  'proposals/32/tally',
  'votes_by_proposal/32?pagination.limit=3',
  `group_policy_info/${policy}`,
  'group_info/1',
  'group_members/1?pagination.limit=2',
])('%s is answered as the REST API of a node answers it, with one call', async (path) => {
  const expected = await get(`${stack.server.url}/rest/cosmos/group/v1/${path}`);
  chain.node.counters.reset();
  expect(await get(`${adapter.url}/cosmos/group/v1/${path}`)).toEqual(expected);
  expect(expected[0]).toBe(200);
  expect(chain.node.counters.calls).toBe(1);
});

it('a path that a board does not need, and a refusal of the chain, are errors', async () => {
  expect(await get(`${adapter.url}/cosmos/bank/v1beta1/supply`)).toMatchObject([501, { code: 12 }]);
  const [status, body] = await get(`${adapter.url}/cosmos/group/v1/group_info/999`);
  expect([status, body]).toMatchObject([500, { message: expect.stringContaining('not found') }]);
});
