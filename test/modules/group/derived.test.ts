import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import {
  MsgCreateGroupWithPolicySchema,
  MsgLeaveGroupSchema,
  MsgSubmitProposalSchema,
  MsgUpdateGroupPolicyMetadataSchema,
  MsgVoteSchema,
} from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import { ThresholdDecisionPolicySchema, VoteOption } from '../../../src/proto/cosmos/group/v1/types_pb.js';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

/**
 * A group with members of weights 1, 2 and 2.5, a threshold of 3, a voting period of 20 s and a minimum execution period of 5
 * s.
 */
let chain: TestChain;
let stack: Stack;
let policy: string;

const start = 1_900_000_000_000_000_000n;

beforeAll(async () => {
  chain = await startChain({ bare: true, genesisTime: start });
  stack = await startStack([chain.node.url]);
  const [admin, second, third] = chain.accounts;
  const created = await chain.run(
    admin!,
    any(MsgCreateGroupWithPolicySchema, {
      admin: admin!.address,
      members: [
        { address: admin!.address, weight: '1' },
        { address: second!.address, weight: '2' },
        { address: third!.address, weight: '2.5', metadata: 'third' },
      ],
      decisionPolicy: any(ThresholdDecisionPolicySchema, {
        threshold: '3',
        windows: { votingPeriod: { seconds: 20n, nanos: 0 }, minExecutionPeriod: { seconds: 5n, nanos: 500_000_000 } },
      }),
    }),
  );
  policy = JSON.parse(created.get('cosmos.group.v1.EventCreateGroupPolicy')!.address!) as string;
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

it('memberships of an account are its members in the groups, by group', async () => {
  const address = chain.accounts[2]!.address;
  const { body } = await stack.ask(`{ account(address: "${address}") {
    memberships { totalCount nodes { groupId weight weightPercent metadata account { address } } }
    groups { nodes { id } }
  } }`);
  const id = expect.any(String);
  expect(body.data).toEqual({
    account: {
      memberships: {
        totalCount: '1',
        nodes: [
          { groupId: id, weight: '2.5', weightPercent: '45.454545454545454545', metadata: 'third', account: { address } },
        ],
      },
      groups: { nodes: [{ id }] },
    },
  });
});

async function submit(): Promise<string> {
  const [admin] = chain.accounts;
  const send = { fromAddress: policy, toAddress: admin!.address, amount: [{ denom: 'nhash', amount: '5' }] };
  const submitted = await chain.run(
    admin!,
    any(MsgSubmitProposalSchema, {
      groupPolicyAddress: policy,
      proposers: [admin!.address],
      title: 'Pay',
      summary: 'Pay',
      messages: [any(MsgSendSchema, send)],
    }),
  );
  return JSON.parse(submitted.get('cosmos.group.v1.EventSubmitProposal')!.proposal_id!) as string;
}

async function ask(document: string, variables: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  const { body } = await stack.ask(document, variables);
  expect(body.errors).toBeUndefined();
  return body.data as Record<string, unknown>;
}

const document = `query ($id: ID!) {
  proposal(id: $id) {
    status submitTime votingPeriodEnd votingTimeLeft executableFrom
    tally { yesCount } outcome { decision totalWeight undecidedWeight yesNeeded yesPercent votedPercent }
    pendingVoters { totalCount nodes { weight weightPercent metadata account { address } } }
    votes { nodes { option member { weight } } }
    messages { type json }
  }
}`;

describe('derived fields of a proposal', () => {
  it('the derived fields follow a proposal from submission to the end of its voting period', async () => {
    const [admin, second, third] = chain.accounts;
    const id = await submit();
    const fresh = (await ask(document, { id })).proposal as Record<string, unknown>;
    expect(fresh).toMatchObject({
      status: 'PROPOSAL_STATUS_SUBMITTED',
      votingTimeLeft: '20s',
      tally: { yesCount: '0' },
      outcome: {
        decision: 'UNDECIDED',
        totalWeight: '5.5',
        undecidedWeight: '5.5',
        yesNeeded: '3',
        yesPercent: '0',
        votedPercent: '0',
      },
      pendingVoters: { totalCount: '3' },
      messages: [
        {
          type: '/cosmos.bank.v1beta1.MsgSend',
          json: {
            '@type': '/cosmos.bank.v1beta1.MsgSend',
            fromAddress: policy,
            toAddress: admin!.address,
            amount: [{ denom: 'nhash', amount: '5' }],
          },
        },
      ],
    });
    const times = fresh as { submitTime: string; votingPeriodEnd: string; executableFrom: string };
    expect(Date.parse(times.votingPeriodEnd) - Date.parse(times.submitTime)).toBe(20_000);
    expect(Date.parse(times.executableFrom) - Date.parse(times.submitTime)).toBe(5_500);

    await chain.run(second!, any(MsgVoteSchema, { proposalId: BigInt(id), voter: second!.address, option: VoteOption.YES }));
    const voted = (await ask(document, { id })).proposal;
    expect(voted).toMatchObject({
      votingTimeLeft: '19s',
      outcome: { decision: 'UNDECIDED', undecidedWeight: '3.5', yesNeeded: '1', yesPercent: '36.363636363636363636' },
      pendingVoters: {
        totalCount: '2',
        nodes: expect.arrayContaining([
          { weight: '2.5', weightPercent: '45.454545454545454545', metadata: 'third', account: { address: third!.address } },
        ]),
      },
      votes: { nodes: [{ option: 'VOTE_OPTION_YES', member: { weight: '2' } }] },
    });

    // A member who left is neither counted nor a pending voter.
    await chain.run(second!, any(MsgLeaveGroupSchema, { address: second!.address, groupId: 1n }));
    expect((await ask(document, { id })).proposal).toMatchObject({
      tally: { yesCount: '0' },
      outcome: { totalWeight: '3.5', undecidedWeight: '3.5', yesNeeded: '3' },
      pendingVoters: { totalCount: '2' },
      votes: { nodes: [{ option: 'VOTE_OPTION_YES', member: null }] },
    });

    await chain.devnet.commit({ elapse: 30_000 });
    expect((await ask(document, { id })).proposal).toMatchObject({
      status: 'PROPOSAL_STATUS_REJECTED',
      votingTimeLeft: null,
      outcome: null,
      pendingVoters: null,
      tally: { yesCount: '0' },
      votes: { nodes: [] },
    });
  });

  it('tally and outcome are null if the chain has no tally', async () => {
    const [admin] = chain.accounts;
    const id = await submit();
    await chain.run(
      admin!,
      any(MsgUpdateGroupPolicyMetadataSchema, { admin: admin!.address, groupPolicyAddress: policy, metadata: 'new' }),
    );
    expect((await ask(document, { id })).proposal).toMatchObject({
      status: 'PROPOSAL_STATUS_ABORTED',
      tally: null,
      outcome: null,
      pendingVoters: null,
    });
    expect(await ask('query ($id: ID!) { tallyResult(proposalId: $id) { yesCount } }', { id })).toEqual({ tallyResult: null });
    expect(await ask('{ tallyResult(proposalId: 999) { yesCount } proposal(id: "18446744073709551615") { id } }')).toEqual({
      tallyResult: null,
      proposal: null,
    });
  });
});

describe('proposals of an account', () => {
  it('returns the proposals of all groups, filtered by status and by missing vote', async () => {
    const [admin, , third] = chain.accounts;
    const [first, second] = [await submit(), await submit()];
    await chain.run(third!, any(MsgVoteSchema, { proposalId: BigInt(first), voter: third!.address, option: VoteOption.NO }));
    const document = `query ($me: String!) {
      account(address: $me) {
        all: groupProposals { totalCount }
        open: groupProposals(status: [PROPOSAL_STATUS_SUBMITTED]) { nodes { id } }
        awaiting: groupProposals(awaitingVote: true) { totalCount nodes { id } }
        last: groupProposals(first: 1, reverse: true) { nodes { id } pageInfo { hasNextPage endCursor } }
        groups { nodes { proposals(status: [PROPOSAL_STATUS_REJECTED]) { totalCount } policies { nodes { proposals(status: [PROPOSAL_STATUS_ABORTED]) { totalCount } } } } }
      }
    }`;
    expect(await ask(document, { me: third!.address })).toMatchObject({
      account: {
        all: { totalCount: '4' },
        open: { nodes: [{ id: first }, { id: second }] },
        awaiting: { totalCount: '1', nodes: [{ id: second }] },
        last: { nodes: [{ id: second }], pageInfo: { hasNextPage: true } },
        groups: { nodes: [{ proposals: { totalCount: '1' }, policies: { nodes: [{ proposals: { totalCount: '1' } }] } }] },
      },
    });
    expect(await ask(document, { me: admin!.address })).toMatchObject({ account: { awaiting: { totalCount: '2' } } });
    expect(await ask(document, { me: chain.accounts[8]!.address })).toMatchObject({
      account: { all: { totalCount: '0' }, open: { nodes: [] }, groups: { nodes: [] } },
    });
  });
});
