import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NodeCall } from '../../src/devnet/node/faults.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const document = `query ($policy: String!) {
  proposalsByGroupPolicy(address: $policy, first: 20) {
    nodes {
      votes(first: 20) {
        nodes {
          voter {
            attributes(first: 5) { nodes { name value } }
            balances(first: 5) { nodes { denom amount } }
          }
        }
      }
    }
  }
}`;

interface Board {
  readonly proposalsByGroupPolicy: {
    readonly nodes: readonly { readonly votes: { readonly nodes: readonly { readonly voter: unknown }[] } }[];
  };
}

/**
 * Lets the node answer in rounds: the batches that have come are held until no more come, then answered together. What has to wait for
 * an answer comes in the next round. Gives how many batches each round had.
 */
async function inRounds<T>(work: Promise<T>): Promise<{ readonly result: T; readonly rounds: readonly number[] }> {
  const rounds: number[] = [];
  const seen = new Set<number>();
  let held: (() => void)[] = [];
  chain.node.onCall = ({ batch }: NodeCall) => {
    if (seen.has(batch)) return undefined;
    seen.add(batch);
    return new Promise((go) => held.push(go));
  };
  let done = false;
  const result = work.finally(() => {
    done = true;
  });
  while (!done) {
    // As many batches at two looks, with turns of the event loop for every socket between them, are all of them.
    let before = -1;
    while (held.length !== before && !done) {
      before = held.length;
      for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    const round = held;
    held = [];
    if (round.length > 0) rounds.push(round.length);
    for (const go of round) go();
  }
  chain.node.onCall = undefined;
  return { result: await result, rounds };
}

it('a board with what each voter holds and is said to be: distinct reads alone, in no more rounds than the query is deep', async () => {
  const { body } = await stack.ask(
    '{ groups { nodes { policies { nodes { address proposals(first: 0) { totalCount } } } } } }',
  );
  const { groups } = body.data as {
    groups: { nodes: { policies: { nodes: { address: string; proposals: { totalCount: string } }[] } }[] };
  };
  const policies = groups.nodes.flatMap(({ policies: { nodes } }) => nodes);
  const [policy] = policies.toSorted((a, b) => Number(b.proposals.totalCount) - Number(a.proposals.totalCount));
  await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 5000 });

  chain.node.counters.reset();
  const { result, rounds } = await inRounds(stack.ask(document, { policy: policy!.address }));
  expect(result.body.errors).toBeUndefined();
  const proposals = (result.body.data as Board).proposalsByGroupPolicy.nodes;
  expect(proposals).toHaveLength(20);

  const asked = chain.node.counters.log.map(({ method, params }) => {
    expect(method).toBe('abci_query');
    const { path, data } = params as { path: string; data: string };
    return `${path} ${data}`;
  });
  expect(new Set(asked).size).toBe(asked.length);
  const of = (name: string): number => asked.filter((each) => each.startsWith(`/${name} `)).length;
  expect(of('cosmos.group.v1.Query/ProposalsByGroupPolicy')).toBe(1);
  expect(of('cosmos.group.v1.Query/VotesByProposal')).toBe(20);
  const votes = proposals.flatMap((proposal) => proposal.votes.nodes);
  const voters = of('provenance.attribute.v1.Query/Attributes');
  expect(voters).toBeGreaterThan(10);
  expect(votes.length).toBeGreaterThan(voters);
  expect(of('cosmos.bank.v1beta1.Query/AllBalances')).toBe(voters);
  expect(asked).toHaveLength(21 + 2 * voters);
  // Proposals, their votes, and all that is asked of the voters at once, whichever module it comes from.
  expect(rounds).toHaveLength(3);
  expect(rounds.reduce((sum, batches) => sum + batches)).toBeLessThanOrEqual(1 + 2 + Math.ceil((2 * voters) / 10) + 1);
});
