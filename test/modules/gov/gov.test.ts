import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProposalStatus } from '../../../src/proto/cosmos/gov/v1/gov_pb.js';
import { decText } from '../../../src/reads/decimal.ts';
import { govState, stateAt } from '../../recordings/gov.ts';
import { createGovNode, type GovNode } from '../../replay/govNode.ts';
import { some } from '../../support/atRandom.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let node: GovNode;
let stack: Stack;
const recorded = govState('gov');
const heights = Object.keys(recorded.state);

beforeAll(async () => {
  node = await createGovNode();
  stack = await startStack([node.url], { client: { learnsRoots: false } });
  await node.subscribed();
  for (const height of heights.slice(1)) {
    node.emit(BigInt(height));
    await stack.client.head.waitFor(BigInt(height), { milliseconds: 10_000 });
  }
});
afterAll(async () => {
  await stack.close();
  await node.close();
  expect(stack.masked).toEqual([]);
});

/** Asks at a height of the recording. */
async function ask(query: string, height: string, variables = {}) {
  const { body } = await stack.ask(query, variables, { 'x-cosmos-block-height': height });
  return body;
}

const document = `query ($id: ID!) { govProposal(id: $id) {
  id status title summary metadata submitTime depositEndTime votingStartTime votingEndTime expedited failedReason
  proposer { address } totalDeposit { denom amount } messages { type }
  tally { yesCount abstainCount noCount noWithVetoCount }
  votes(first: 100) { nodes { voter { address } options { option weight } metadata } }
  deposits { nodes { depositor { address } amount { denom amount } } }
} }`;

const timeText = (time: { readonly seconds: bigint; readonly nanos: number } | undefined): string | null =>
  time === undefined
    ? null
    : `${new Date(Number(time.seconds) * 1000).toISOString().slice(0, 19)}${time.nanos === 0 ? '' : `.${String(time.nanos).padStart(9, '0').replace(/0+$/, '')}`}Z`;

describe('a proposal', () => {
  it.each(some(heights, 8))('is at height %s as the node stored it, with its votes, deposits and tally', async (height) => {
    const state = stateAt(recorded, height);
    for (const id of state.ids) {
      const { data, errors } = await ask(document, height, { id });
      expect(errors).toBeUndefined();
      const stored = state.proposal(id);
      const { govProposal: shown } = data as { govProposal: Record<string, unknown> | null };
      if (stored === undefined) {
        expect(shown).toBeNull();
        continue;
      }
      const tally = state.tally(id)!;
      expect(shown).toMatchObject({
        ...{ id, status: `PROPOSAL_STATUS_${ProposalStatus[stored.status]}`, title: stored.title, summary: stored.summary },
        ...{ metadata: stored.metadata, expedited: stored.expedited, failedReason: stored.failedReason },
        submitTime: timeText(stored.submitTime),
        depositEndTime: timeText(stored.depositEndTime),
        votingStartTime: timeText(stored.votingStartTime),
        votingEndTime: timeText(stored.votingEndTime),
        proposer: { address: stored.proposer },
        totalDeposit: stored.totalDeposit.map(({ denom, amount }) => ({ denom, amount })),
        messages: stored.messages.map(({ typeUrl }) => ({ type: typeUrl })),
        tally: {
          ...{ yesCount: tally.yesCount, abstainCount: tally.abstainCount },
          ...{ noCount: tally.noCount, noWithVetoCount: tally.noWithVetoCount },
        },
      });
      const votes = (shown as { votes: { nodes: { voter: { address: string } }[] } }).votes.nodes;
      expect(votes.map(({ voter }) => voter.address).toSorted()).toEqual(
        state
          .votes(id)
          .map(({ voter }) => voter)
          .toSorted(),
      );
    }
    expect(node.unrecorded).toEqual([]);
  });
});

describe('a list of proposals', () => {
  it('is in pages, and can be of one status', async () => {
    const { data } = await ask(
      '{ govProposals(first: 3, after: null) { nodes { id } pageInfo { hasNextPage endCursor } } }',
      '312',
    );
    const { govProposals: page } = data as { govProposals: { nodes: { id: string }[]; pageInfo: { endCursor: string } } };
    expect(page).toMatchObject({ nodes: [{ id: '3' }, { id: '4' }, { id: '5' }], pageInfo: { hasNextPage: true } });
    const next = await ask('query ($after: String) { govProposals(first: 2, after: $after) { nodes { id } } }', '312', {
      after: page.pageInfo.endCursor,
    });
    expect(next.data).toEqual({ govProposals: { nodes: [{ id: '6' }, { id: '7' }] } });
    const deposit = await ask('{ govProposals(status: PROPOSAL_STATUS_DEPOSIT_PERIOD) { nodes { id status } } }', '312');
    expect(deposit.data).toEqual({ govProposals: { nodes: [{ id: '12', status: 'PROPOSAL_STATUS_DEPOSIT_PERIOD' }] } });
  });
});

describe('what a tally would decide', () => {
  const outcome = `query ($id: ID!) { govProposal(id: $id) { votingTimeLeft outcome {
    passes reason burnsDeposits turnoutPercent yesPercent vetoPercent quorumPercent thresholdPercent vetoThresholdPercent
  } pendingValidators { operatorAddress } } }`;

  it.each([
    ['3', '326', { passes: true, reason: 'PASSES', thresholdPercent: '50' }],
    ['6', '326', { passes: false, reason: 'VETO', burnsDeposits: true, vetoThresholdPercent: '33.4' }],
    ['7', '316', { passes: true, reason: 'PASSES', thresholdPercent: '66.7' }],
    ['9', '317', { passes: false, reason: 'BELOW_THRESHOLD', burnsDeposits: false }],
    ['11', '327', { passes: false, reason: 'NO_QUORUM', quorumPercent: '33.4' }],
  ])('of proposal %s at height %s is what the next block decided', async (id, height, expected) => {
    const { data, errors } = await ask(outcome, height, { id });
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({ govProposal: { outcome: expected } });
  });

  it('is null for a decided proposal, as are the time left and the validators', async () => {
    const { data } = await ask(outcome, '329', { id: '3' });
    expect(data).toEqual({ govProposal: { votingTimeLeft: null, outcome: null, pendingValidators: null } });
  });

  it('names the bonded validators that have not voted', async () => {
    const { data } = await ask(outcome, '312', { id: '4' });
    const { govProposal } = data as { govProposal: { pendingValidators: { operatorAddress: string }[] } };
    const voters = stateAt(recorded, '312')
      .votes('4')
      .map(({ voter }) => voter);
    const pending = stateAt(recorded, '312').validators.filter(({ account }) => !voters.includes(account));
    expect(govProposal.pendingValidators.map(({ operatorAddress }) => operatorAddress).toSorted()).toEqual(
      pending.map(({ operator }) => operator).toSorted(),
    );
  });
});

describe('the votes of an account', () => {
  const votesOf = `query ($address: String!) { account(address: $address) { govVotes(first: 2) {
    totalCount pageInfo { hasNextPage } nodes { proposalId voter { address } options { option weight } }
  } } }`;

  it('are those on proposals that are not decided, at the height of the operation', async () => {
    for (const height of some(heights, 3)) {
      const state = stateAt(recorded, height);
      const all = state.ids.flatMap((id) => state.votes(id).map((vote) => ({ ...vote, id })));
      for (const voter of new Set(all.map((vote) => vote.voter))) {
        const cast = all.filter((vote) => vote.voter === voter).toSorted((a, b) => Number(a.id) - Number(b.id));
        const { data, errors } = await ask(votesOf, height, { address: voter });
        expect(errors).toBeUndefined();
        // The chain stores a weight as the voter wrote it, such as `1` or `0.500000000000000000`.
        const read = JSON.parse(JSON.stringify(data), (key, value: unknown) =>
          key === 'weight' ? Number(value) : value,
        ) as unknown;
        expect(read).toEqual({
          account: {
            govVotes: {
              totalCount: String(cast.length),
              pageInfo: { hasNextPage: cast.length > 2 },
              nodes: cast.slice(0, 2).map(({ id, options }) => ({
                ...{ proposalId: id, voter: { address: voter } },
                options: options.map(({ option, weight }) => ({
                  option: `VOTE_OPTION_${option}`,
                  weight: Number(decText(weight)),
                })),
              })),
            },
          },
        });
      }
    }
  });

  it('take a call for the list and one for each vote', async () => {
    const fresh = await startStack([node.url], { client: { learnsRoots: false } });
    const state = stateAt(recorded, '320');
    const [voter] = state.ids.flatMap((id) => state.votes(id).map((vote) => vote.voter));
    node.reset();
    const { body } = await fresh.ask(
      'query ($address: String!) { account(address: $address) { govVotes { nodes { proposalId } } } }',
      { address: voter },
      { 'x-cosmos-block-height': '320' },
    );
    const { account } = body.data as { account: { govVotes: { nodes: unknown[] } } };
    const paths = node.calls.flatMap(({ params }) => (typeof params.path === 'string' ? [params.path] : []));
    expect(paths.filter((path) => path.endsWith('/Proposals'))).toHaveLength(1);
    expect(paths.filter((path) => path.endsWith('/Vote'))).toHaveLength(account.govVotes.nodes.length);
    expect(paths).toHaveLength(1 + account.govVotes.nodes.length);
    await fresh.close();
  });
});

describe('requests', () => {
  it('a proposal with its tally, votes, deposits and outcome takes six calls, and none when it is asked again', async () => {
    const query = `query ($id: ID!) { govProposal(id: $id) { title tally { yesCount } outcome { passes } votes { nodes { metadata } }
      deposits { nodes { amount { denom } } } } }`;
    const fresh = await startStack([node.url], { client: { learnsRoots: false } });
    const at = { 'x-cosmos-block-height': '320' };
    node.reset();
    expect((await fresh.ask(query, { id: '5' }, at)).body.errors).toBeUndefined();
    const paths = node.calls.flatMap(({ params }) => (typeof params.path === 'string' ? [params.path] : []));
    expect(paths.toSorted()).toEqual(
      ['Deposits', 'Params', 'Proposal', 'TallyResult', 'Votes']
        .map((method) => `/cosmos.gov.v1.Query/${method}`)
        .concat('/cosmos.staking.v1beta1.Query/Pool'),
    );
    node.reset();
    await fresh.ask(query, { id: '5' }, at);
    expect(node.calls).toEqual([]);
    await fresh.close();
  });
});

it.each(['x', '-1', '18446744073709551616'])('the id %s is BAD_USER_INPUT', async (id) => {
  const { errors } = await ask('query ($id: ID!) { govProposal(id: $id) { id } }', '320', { id });
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'id' });
});
