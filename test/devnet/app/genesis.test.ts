import { describe, expect, it } from 'vitest';
import { createFixtures } from '../../../packages/devnet/src/app/fixtures/fixtures.ts';
import { createGenesis } from '../../../packages/devnet/src/app/genesis/genesis.ts';
import { Query as BankQuery } from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { Query } from '../../../src/proto/cosmos/group/v1/query_pb.js';
import { ProposalExecutorResult, ProposalStatus } from '../../../src/proto/cosmos/group/v1/types_pb.js';
import { createChain } from './harness.ts';

const { SUBMITTED, ACCEPTED, REJECTED, ABORTED, WITHDRAWN } = ProposalStatus;
const all = { limit: 1000n };

describe('the genesis of the devnet', () => {
  const chain = createChain(createGenesis());
  const { policies } = createFixtures(chain.accounts);
  const lists = Object.entries(policies).map(([name, { address: policy }]) => ({
    name,
    proposals: chain.query(Query.method.proposalsByGroupPolicy, { address: policy, pagination: all }).proposals,
  }));
  const proposals = lists.flatMap((list) => list.proposals);
  const votesOf = (proposalId: bigint) => chain.query(Query.method.votesByProposal, { proposalId, pagination: all }).votes;

  it('has the groups and policies of the fixtures, at their addresses', () => {
    const { groups } = chain.query(Query.method.groups, {});
    expect(groups.map(({ metadata, totalWeight }) => [metadata, totalWeight])).toEqual([
      ['Assembly', '32.0'],
      ['Treasury council', '8.00'],
      ['Grants committee', '6'],
      ['Operations desk', '4'],
    ]);
    const listed = groups.flatMap(({ id }) => chain.query(Query.method.groupPoliciesByGroup, { groupId: id }).groupPolicies);
    expect(listed.map(({ address }) => address).sort()).toEqual(
      Object.values(policies)
        .map(({ address }) => address)
        .sort(),
    );
    const kinds = new Set(listed.map(({ decisionPolicy }) => decisionPolicy?.typeUrl));
    expect([...kinds].sort()).toEqual([
      '/cosmos.group.v1.PercentageDecisionPolicy',
      '/cosmos.group.v1.ThresholdDecisionPolicy',
    ]);
    expect(chain.query(Query.method.groupMembers, { groupId: 1n }).members).toHaveLength(20);
  });

  it('has proposals of every status and outcome, and a full page of them for the board', () => {
    expect(proposals.length).toBeGreaterThanOrEqual(40);
    expect(new Set(proposals.map(({ status }) => status))).toEqual(
      new Set([SUBMITTED, ACCEPTED, REJECTED, ABORTED, WITHDRAWN]),
    );
    expect(new Set(proposals.map(({ executorResult }) => executorResult))).toEqual(
      new Set([ProposalExecutorResult.NOT_RUN, ProposalExecutorResult.FAILURE]),
    );
    expect(lists.find(({ name }) => name === 'board')!.proposals.length).toBeGreaterThanOrEqual(25);
    // The first ones were executed, and therefore deleted.
    expect(proposals.some(({ id }) => id < 3n)).toBe(false);
  });

  it('has between 0 and 20 votes on open proposals, and none if the tally is final', () => {
    const counts = proposals.filter(({ status }) => status === SUBMITTED).map(({ id }) => votesOf(id).length);
    expect([Math.min(...counts), Math.max(...counts)]).toEqual([0, 20]);
    expect(new Set(counts).size).toBeGreaterThan(12);
    const final = proposals.filter(({ status }) => status === ACCEPTED || status === REJECTED);
    expect(final.flatMap(({ id }) => votesOf(id))).toEqual([]);
  });

  it('gives the ten accounts 10^15 nhash, less their expenses', () => {
    const balances = chain.accounts.map(
      ({ address }) => chain.query(BankQuery.method.balance, { address, denom: 'nhash' }).balance?.amount,
    );
    expect(balances.slice(8)).toEqual(Array(2).fill('1000000000000000'));
    expect(balances.every((amount) => BigInt(amount ?? 0) >= 10n ** 15n)).toBe(true);
  });

  it('is the same every time', () => {
    const again = createChain(createGenesis());
    expect(Buffer.from(again.block().appHash)).toEqual(Buffer.from(chain.block().appHash));
  });

  it('has only accounts if bare', () => {
    const bare = createChain(createGenesis({ bare: true }));
    expect(bare.query(Query.method.groups, {}).groups).toEqual([]);
    expect(bare.accounts.map(({ address }) => bare.account(address).accountNumber)).toEqual([...Array(10).keys()].map(BigInt));
  });
});
