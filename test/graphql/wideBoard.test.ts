import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApplication } from '../../packages/devnet/src/app/application.ts';
import { policyAddress } from '../../packages/devnet/src/app/fixtures/fixtures.ts';
import { createGenesis } from '../../packages/devnet/src/app/genesis/genesis.ts';
import type { HistoryStep } from '../../packages/devnet/src/app/runtime/genesisState.ts';
import { createAccounts } from '../../packages/devnet/src/app/runtime/wallet.ts';
import type { NodeCall } from '../../packages/devnet/src/node/faults/faults.ts';
import {
  MsgCreateGroupPolicySchema,
  MsgCreateGroupSchema,
  MsgSubmitProposalSchema,
  MsgVoteSchema,
} from '../../src/proto/cosmos/group/v1/tx_pb.js';
import { ThresholdDecisionPolicySchema, VoteOption } from '../../src/proto/cosmos/group/v1/types_pb.js';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain;
let stack: Stack;

const people = 30;
const proposals = 20;
const votesEach = 20;

/** A group of thirty members with twenty proposals. Twenty members, different each time, have voted on each proposal. */
function history(): HistoryStep[] {
  const accounts = createAccounts(people);
  const at = (index: number): string => accounts[index % people]!.address;
  const [admin, policy] = [at(0), policyAddress(1n)];
  const windows = { votingPeriod: { seconds: 86_400n }, minExecutionPeriod: {} };
  const decision = any(ThresholdDecisionPolicySchema, { threshold: '29', windows });
  const members = accounts.map(({ address }) => ({ address, weight: '1' }));
  const messages = [
    any(MsgCreateGroupSchema, { admin, members, metadata: 'Wide' }),
    any(MsgCreateGroupPolicySchema, { admin, groupId: 1n, metadata: 'Board', decisionPolicy: decision }),
    ...Array.from({ length: proposals }, (_, index) =>
      any(MsgSubmitProposalSchema, {
        groupPolicyAddress: policy,
        proposers: [at(index)],
        title: `Number ${index + 1}`,
        summary: '',
      }),
    ),
    ...Array.from({ length: proposals * votesEach }, (_, index) => {
      const proposal = Math.floor(index / votesEach);
      return any(MsgVoteSchema, { proposalId: BigInt(proposal + 1), voter: at(proposal + index), option: VoteOption.YES });
    }),
  ];
  return messages.map((message) => ({ secondsBefore: 60, message }));
}

beforeAll(async () => {
  const genesis = { ...createGenesis({ bare: true }), history: history() };
  chain = await startChain({ application: createApplication({ genesis }) });
  stack = await startStack([chain.node.url], { client: { learnsRoots: false } });
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
 * Makes the node answer in rounds: it holds batches until no more arrive, then answers them together. Reads that depend on an answer
 * fall into the next round. Returns the number of batches in each round.
 */
async function inRounds<T>(work: Promise<T>): Promise<{ readonly result: T; readonly rounds: readonly number[] }> {
  const rounds: number[] = [];
  const seen = new Set<number>();
  let held: (() => void)[] = [];
  chain.node.onCall = ({ batch }: NodeCall) => {
    if (seen.has(batch)) return undefined;
    seen.add(batch);
    return new Promise((resolve) => held.push(resolve));
  };
  let done = false;
  const result = work.finally(() => {
    done = true;
  });
  while (!done) {
    // A round is complete when no batch arrived during 200 turns of the event loop.
    let before = -1;
    while (held.length !== before && !done) {
      before = held.length;
      for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    const round = held;
    held = [];
    if (round.length > 0) rounds.push(round.length);
    for (const release of round) release();
  }
  chain.node.onCall = undefined;
  return { result: await result, rounds };
}

it('a board with balances and attributes of voters needs only distinct reads, in one round for each level', async () => {
  await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });

  chain.node.counters.reset();
  const { result, rounds } = await inRounds(stack.ask(document, { policy: policyAddress(1n) }));
  expect(result.body.errors).toBeUndefined();
  const { nodes } = (result.body.data as Board).proposalsByGroupPolicy;
  expect(nodes.map(({ votes }) => votes.nodes.length)).toEqual(Array.from({ length: proposals }, () => votesEach));

  const reads = chain.node.counters.log.map(({ method, params }) => {
    expect(method).toBe('abci_query');
    const { path, data } = params as { path: string; data: string };
    return `${path} ${data}`;
  });
  expect(new Set(reads).size).toBe(reads.length);
  const of = (name: string): number => reads.filter((read) => read.startsWith(`/${name} `)).length;
  expect(of('cosmos.group.v1.Query/ProposalsByGroupPolicy')).toBe(1);
  expect(of('cosmos.group.v1.Query/VotesByProposal')).toBe(20);
  const voters = of('provenance.attribute.v1.Query/Attributes');
  expect(voters).toBe(people);
  expect(of('cosmos.bank.v1beta1.Query/AllBalances')).toBe(voters);
  expect(reads).toHaveLength(21 + 2 * voters);
  // One round each for the proposals, their votes, and the balances and attributes of all voters.
  expect(rounds).toHaveLength(3);
  expect(rounds.reduce((sum, batches) => sum + batches)).toBeLessThanOrEqual(1 + 2 + Math.ceil((2 * voters) / 10) + 1);
});
