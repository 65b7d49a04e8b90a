import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BundleJson, decodeBundle } from '../../../packages/verify/src/bundle.ts';
import { decodePartialTree, equalBytes, readStoreRoot } from '../../../packages/verify/src/index.ts';
import { computedNow, plans, type HeldReads } from '../../../packages/verify/src/plans/index.ts';
import { createLightClient } from '../../../src/chain/lightClient/lightClient.ts';
import { type TestChain, startChain } from '../../support/chain.ts';
import { createGroup, submitProposal, type TestGroup, vote } from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';

/** Several validators, of which some are absent or vote for no block. */
const cosigners = (height: bigint) => [
  { seed: 'b', power: 900_000_000n },
  { seed: 'c', power: 800_000_000n, ...(height % 3n === 0n && { vote: 'ABSENT' as const }) },
  { seed: 'd', power: 10_000_000n, vote: 'NIL' as const },
];

let chain: TestChain;
let stack: Stack;
let group: TestGroup;

beforeAll(async () => {
  chain = await startChain({ cosigners });
  const [one, two, three] = chain.accounts;
  group = await createGroup(chain, [
    [one!, '1'],
    [two!, '1'],
    [three!, '1'],
  ]);
  stack = await startStack([chain.node.url], { upstream: { light: createLightClient({}) } });
  const id = await submitProposal(chain, group, one!);
  await chain.run(two!, vote(two!, id));
  await chain.devnet.commit();
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

it('first', async () => {
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 20_000 });
  const document = '{ proposals: proposalsByGroupPolicy(address: "ADDRESS") { nodes { id status votes { nodes { option } } tally { yesCount } } } }';
  console.log(chain.devnet.height, JSON.stringify((await stack.ask(document.replace('ADDRESS', group.policy), {}, { 'accept-proof': '1' })), null, 1));
});
