import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  MsgCreateGroupWithPolicySchema,
  MsgExecSchema,
  MsgSubmitProposalSchema,
  MsgVoteSchema,
} from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import {
  PercentageDecisionPolicySchema,
  ThresholdDecisionPolicySchema,
  VoteOption,
} from '../../../src/proto/cosmos/group/v1/types_pb.js';
import { fc, runsAll } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  stack = await startStack([chain.node.url]);
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const hundredths = (value: number): string => (value / 100).toString();
const windows = { votingPeriod: { seconds: 86_400n, nanos: 0 }, minExecutionPeriod: { seconds: 0n, nanos: 0 } };

const policies = fc.oneof(
  fc
    .integer({ min: 1, max: 900 })
    .map((value) => any(ThresholdDecisionPolicySchema, { threshold: hundredths(value), windows })),
  fc
    .integer({ min: 1, max: 100 })
    .map((value) => any(PercentageDecisionPolicySchema, { percentage: hundredths(value), windows })),
);
const members = fc.array(
  fc.record({
    weight: fc.integer({ min: 1, max: 300 }).map(hundredths),
    vote: fc.constantFrom(
      undefined,
      VoteOption.YES,
      VoteOption.YES,
      VoteOption.NO,
      VoteOption.ABSTAIN,
      VoteOption.NO_WITH_VETO,
    ),
  }),
  { minLength: 1, maxLength: 8 },
);

interface State {
  readonly proposal: {
    readonly status: string;
    readonly outcome: { readonly decision: string; readonly yesNeeded: string } | null;
    readonly tally: object;
    readonly votes: { readonly totalCount: string };
  } | null;
}

async function read(id: string): Promise<State> {
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  const answer = await stack.ask(
    `query ($id: ID!) {
      proposal(id: $id) {
        status outcome { decision yesNeeded } tally { yesCount noCount abstainCount noWithVetoCount } votes { totalCount }
      }
    }`,
    { id },
  );
  expect(answer.body.errors).toBeUndefined();
  return answer.body.data as State;
}

it.runIf(runsAll)(
  'the outcome predicts the result of an execution, for random groups, weights, policies and votes',
  async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(policies, members, async (decisionPolicy, group) => {
        const [admin] = chain.accounts;
        const created = await chain.run(
          admin!,
          any(MsgCreateGroupWithPolicySchema, {
            admin: admin!.address,
            members: group.map(({ weight }, index) => ({ address: chain.accounts[index]!.address, weight })),
            decisionPolicy,
          }),
        );
        const address = JSON.parse(created.get('cosmos.group.v1.EventCreateGroupPolicy')!.address!) as string;
        const submitted = await chain.run(
          admin!,
          any(MsgSubmitProposalSchema, {
            groupPolicyAddress: address,
            proposers: [admin!.address],
            title: 'Random',
            summary: 'Random',
          }),
        );
        const id = JSON.parse(submitted.get('cosmos.group.v1.EventSubmitProposal')!.proposal_id!) as string;
        for (const [index, { vote }] of group.entries()) {
          const voter = chain.accounts[index]!;
          if (vote !== undefined)
            await chain.submit(voter, any(MsgVoteSchema, { proposalId: BigInt(id), voter: voter.address, option: vote }));
        }
        await chain.devnet.commit();

        const before = await read(id);
        const decision = before.proposal!.outcome!.decision;
        seen.set(decision, (seen.get(decision) ?? 0) + 1);
        const executed = await chain.run(admin!, any(MsgExecSchema, { proposalId: BigInt(id), executor: admin!.address }));
        const result = JSON.parse(executed.get('cosmos.group.v1.EventExec')!.result!) as string;
        const after = await read(id);
        switch (decision) {
          case 'ACCEPTED':
            expect(before.proposal!.outcome!.yesNeeded).toBe('0');
            expect([result, after.proposal]).toEqual(['PROPOSAL_EXECUTOR_RESULT_SUCCESS', null]);
            break;
          case 'REJECTED':
            expect(result).toBe('PROPOSAL_EXECUTOR_RESULT_NOT_RUN');
            expect(after.proposal).toEqual({
              ...before.proposal,
              status: 'PROPOSAL_STATUS_REJECTED',
              outcome: null,
              votes: { totalCount: '0' },
            });
            break;
          default:
            expect(result).toBe('PROPOSAL_EXECUTOR_RESULT_NOT_RUN');
            expect(after).toEqual(before);
        }
      }),
      { numRuns: 60 },
    );
    expect([...seen.keys()].sort()).toEqual(['ACCEPTED', 'REJECTED', 'UNDECIDED']);
  },
  180_000,
);
