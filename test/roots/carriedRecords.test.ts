import { afterAll, beforeAll, expect, it } from 'vitest';
import { runsAll } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { createGroup, submitProposal, type TestGroup, vote } from '../support/groups.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain;
let stack: Stack;
let group: TestGroup;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  stack = await startStack([chain.node.url], { archive: { records: true } });
  group = await createGroup(
    chain,
    chain.accounts.slice(0, 3).map((account) => [account, '1']),
    { threshold: '3' },
  );
});

afterAll(async () => {
  expect(stack.masked).toEqual([]);
  await stack.close();
  await chain.devnet.close();
});

const query = `query ($policy: String!) {
  groupPolicy(address: $policy) { proposalRecords(first: 5) { totalCount nodes { id status tally { yesCount } votes { nodes { voter { address } } }
    electorate(voted: false) { totalCount } timeline { kind } } } }
}`;

/** The answer at the newest block, and where it comes from. */
async function ask(text = query): Promise<{ source: string | null; data: unknown; height: string }> {
  const { height } = chain.devnet;
  await stack.client.head.waitFor(height, { milliseconds: 30_000 });
  await stack.client.roots.settled(height);
  const response = await fetch(`${stack.server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: text, variables: { policy: group.policy } }),
  });
  const body = (await response.json()) as { data: unknown; errors?: unknown; extensions: { height: string } };
  expect(body.errors).toBeUndefined();
  expect(body.extensions.height).toBe(`${height}`);
  return { source: response.headers.get('cache-status'), data: body.data, height: body.extensions.height };
}

it.runIf(runsAll)(
  'answers with records are carried over blocks that do not change the group module, and not over those that do',
  async () => {
    const carried = 'stele; hit; detail=carried';
    const [alice, bob] = chain.accounts;
    const id = await submitProposal(chain, group, alice!);
    // The roots of the stores are learnt from the first answers on.
    for (let block = 0; block < 3; block += 1) {
      await ask();
      await chain.devnet.commit();
    }
    const before = await ask();
    for (let block = 0; block < 3; block += 1) {
      await chain.devnet.commit();
      const { source, data } = await ask();
      expect([source, data]).toEqual([carried, before.data]);
    }
    for (const account of [alice!, bob!]) {
      await chain.run(account, vote(account, id));
      const changed = await ask();
      expect(changed.source).toBe('stele; fwd=miss');
      expect(JSON.stringify(changed.data)).toContain(`"address":"${account.address}"`);
      await chain.devnet.commit();
      const next = await ask();
      expect([next.source, next.data]).toEqual([carried, changed.data]);
    }
  },
);

it('every carried answer equals the one of another document, which is executed', async () => {
  for (let block = 0; block < 4; block += 1) {
    if (block % 2 === 0) await submitProposal(chain, group, chain.accounts[block]!);
    else await chain.devnet.commit();
    const [one, other] = [await ask(), await ask(`# ${chain.devnet.height}\n${query}`)];
    expect(one.data).toEqual(other.data);
  }
});
