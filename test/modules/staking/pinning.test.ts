import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AccountDocument } from '../../../dashboard/src/gen/graphql.ts';
import { VoteOption } from '../../../src/proto/cosmos/gov/v1/gov_pb.js';
import { MsgVoteSchema } from '../../../src/proto/cosmos/gov/v1/tx_pb.js';
import { MsgUndelegateSchema } from '../../../src/proto/cosmos/staking/v1beta1/tx_pb.js';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url], {
    server: { limits: { 'graphql.cost': 1_000_000_000 } },
    client: { learnsRoots: false },
  });
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
  expect(stack.masked).toEqual([]);
});
beforeEach(async () => {
  chain.node.onCall = undefined;
  await commit();
  chain.node.counters.reset();
});

async function commit(): Promise<void> {
  await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
}

async function ask(document: string, variables: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const answer = await stack.ask(document, variables, headers);
  expect(answer.body.errors).toBeUndefined();
  return answer;
}

const reads = () => chain.node.counters.log.filter(({ method }) => method === 'abci_query');
const pathOf = ({ params }: { readonly params?: unknown }): string => (params as { path: string }).path;

/** Runs `change` when the node is asked with a path that ends so, before it answers, and waits until the server knows the new block. */
function during(path: string, change: () => Promise<unknown>): () => boolean {
  let changed = false;
  chain.node.onCall = async ({ method, params }) => {
    if (changed || method !== 'abci_query' || !pathOf({ params }).endsWith(path)) return;
    changed = true;
    await change();
    await commit();
  };
  return () => changed;
}

describe("the dashboard's page of an account with groups, attributes and stake", () => {
  it('takes a read for each fact, none of them twice, and none when it is asked again at the same height', async () => {
    const [, , , , , , , , user] = chain.accounts;
    const height = chain.devnet.height.toString();
    const first = await ask(String(AccountDocument), { address: user!.address }, { 'x-cosmos-block-height': height });
    const cold = reads();
    const texts = cold.map(({ params }) => JSON.stringify(params));
    expect(texts.length - new Set(texts).size).toBe(0);
    const ofStake = cold.map(pathOf).filter((path) => /staking|distribution|mint|slashing/.test(path));
    expect(ofStake.map((path) => path.slice(path.lastIndexOf('/') + 1)).toSorted()).toEqual([
      ...['DelegationTotalRewards', 'DelegatorDelegations', 'DelegatorUnbondingDelegations', 'DelegatorWithdrawAddress'],
      ...['Params', 'Redelegations', 'Validators'],
    ]);
    chain.node.counters.reset();
    const again = await ask(String(AccountDocument), { address: user!.address }, { 'x-cosmos-block-height': height });
    expect(again.body.data).toEqual(first.body.data);
    expect(reads()).toEqual([]);
  });
});

interface Stake {
  readonly account: {
    readonly staking: {
      readonly total: { readonly amount: string };
      readonly unbonding: readonly { readonly balance: { readonly amount: string } }[];
    };
  };
  readonly stakingPool: { readonly bonded: { readonly amount: string }; readonly notBonded: { readonly amount: string } };
}

describe('a block that is committed while an operation is read', () => {
  it('does not mix stake of before and after', async () => {
    const delegator = chain.accounts[0]!;
    const document = `{ account(address: "${delegator.address}") { staking {
      delegations { nodes { operatorAddress } } total { amount } unbonding { balance { amount } } } }
      stakingPool { bonded { amount } notBonded { amount } } }`;
    const sums = ({ account: { staking }, stakingPool: { bonded, notBonded } }: Stake) => ({
      own: BigInt(staking.total.amount) + staking.unbonding.reduce((sum, { balance }) => sum + BigInt(balance.amount), 0n),
      all: BigInt(bonded.amount) + BigInt(notBonded.amount),
      bonded: BigInt(bonded.amount),
    });
    const { data } = (await ask(document)).body;
    const before = sums(data as Stake);
    const { nodes } = (data as { account: { staking: { delegations: { nodes: { operatorAddress: string }[] } } } }).account
      .staking.delegations;
    await commit();
    const message = {
      ...{ delegatorAddress: delegator.address, validatorAddress: nodes[0]!.operatorAddress },
      amount: { denom: 'nhash', amount: '1000000000' },
    };
    const hasChanged = during('/DelegatorDelegations', () => chain.submit(delegator, any(MsgUndelegateSchema, message)));
    const mixed = sums((await ask(document)).body.data as Stake);
    expect(hasChanged()).toBe(true);
    expect(mixed).toEqual(before);
    const after = sums((await ask(document)).body.data as Stake);
    expect(after).toEqual({ own: before.own, all: before.all, bonded: before.bonded - 1_000_000_000n });
  });

  it('does not mix votes and tallies of a proposal of before and after', async () => {
    const voter = chain.accounts[3]!;
    const document = '{ govProposal(id: "7") { votes { totalCount } tally { yesCount } pendingValidators { address } } }';
    const hasChanged = during('/Proposal', () =>
      chain.submit(voter, any(MsgVoteSchema, { proposalId: 7n, voter: voter.address, option: VoteOption.YES })),
    );
    const before = (await ask(document)).body.data;
    expect(hasChanged()).toBe(true);
    expect(before).toMatchObject({ govProposal: { votes: { totalCount: '0' }, tally: { yesCount: '0' } } });
    const after = (await ask(document)).body.data as { govProposal: { tally: { yesCount: string } } };
    expect(after).toMatchObject({ govProposal: { votes: { totalCount: '1' } } });
    expect(BigInt(after.govProposal.tally.yesCount)).toBeGreaterThan(0n);
  });
});
