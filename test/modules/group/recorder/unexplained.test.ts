import { create, toBinary } from '@bufbuild/protobuf';
import { beforeEach, describe, expect, it } from 'vitest';
import { plainEvent, typedEvent } from '../../../../packages/devnet/src/app/runtime/events.ts';
import type { Fact } from '../../../../src/archive/facts.ts';
import type { Event } from '../../../../src/chain/base/execution.ts';
import type { CommittedBlock } from '../../../../src/chain/blocks/committedBlock.ts';
import { createRecorder } from '../../../../src/modules/group/recorder/recorder.ts';
import { MsgExecSchema as AuthorizedSchema } from '../../../../src/proto/cosmos/authz/v1beta1/tx_pb.js';
import { QueryProposalResponseSchema as GovProposalResponseSchema } from '../../../../src/proto/cosmos/gov/v1/query_pb.js';
import {
  EventSubmitProposalSchema,
  EventTallyErrorSchema,
  EventUpdateGroupPolicySchema,
  EventUpdateGroupSchema,
  EventWithdrawProposalSchema,
} from '../../../../src/proto/cosmos/group/v1/events_pb.js';
import {
  Exec,
  MsgUpdateGroupPolicyMetadataSchema,
  MsgWithdrawProposalSchema,
} from '../../../../src/proto/cosmos/group/v1/tx_pb.js';
import { ProposalExecutorResult, ProposalStatus, VoteOption } from '../../../../src/proto/cosmos/group/v1/types_pb.js';
import { QueryTriggerByIDResponseSchema } from '../../../../src/proto/provenance/trigger/v1/query_pb.js';
import { message } from '../../../devnet/app/harness.ts';
import {
  ann,
  atEnd,
  ballot,
  ben,
  block,
  cat,
  contractCall,
  decisionPolicy,
  exec,
  executed,
  own,
  pinsOf,
  policy,
  prunedEvent,
  type State,
  stateOf,
  submission,
  submitted,
  voted,
} from './constructed.ts';
import { createFactStore, type FactStore } from './factStore.ts';
import { factText } from './factText.ts';

let store: FactStore;
beforeEach(() => {
  store = createFactStore();
});

async function record(block: CommittedBlock, states: Readonly<Record<string, State>>): Promise<string[]> {
  const pin = pinsOf(states);
  const { height } = block.header;
  const facts: readonly Fact[] = await createRecorder().block(block, pin(height - 1n), pin(height), store);
  store.add(facts);
  return facts.map((fact) => factText(fact, (address) => address).replaceAll(/ [0-9A-F]{8} /g, ' tx '));
}

const proposed = '5.0 tx proposal tp1policy/1 of 1/1 by tp1ann, "T" "S" "" [] 60000000000ns';

/** Records a proposal at height 5. */
async function submitAt5(): Promise<void> {
  const open = stateOf({ status: ProposalStatus.SUBMITTED });
  expect(await record(block(5n, [[[submission([ann])], [own(submitted)]]]), { 4: stateOf(), 5: open })).toEqual([proposed]);
}

describe('what no message explains', () => {
  it('a vote of a contract is read from the state', async () => {
    await submitAt5();
    const after = stateOf({
      status: ProposalStatus.SUBMITTED,
      votes: [
        [ann, VoteOption.NO],
        [cat, VoteOption.YES],
      ],
    });
    const txs = [
      [[contractCall], [own(voted)]],
      [[ballot(ann, VoteOption.NO)], [own(voted)]],
    ] as const;
    expect(
      await record(
        block(
          6n,
          txs.map(([messages, events]) => [[...messages], events]),
        ),
        { 5: stateOf(), 6: after },
      ),
    ).toEqual(['6.0 tx vote of tp1cat YES "" OTHER', '6.1 tx vote of tp1ann NO "" MESSAGE']);
  });

  it('a vote that decides a proposal at once is in no state: the tally and the weights name its voter', async () => {
    await submitAt5();
    const events = [voted, prunedEvent, executed(ProposalExecutorResult.SUCCESS)].map((event) => own(event));
    expect(await record(block(6n, [[[contractCall], events]]), { 5: stateOf(), 6: stateOf() })).toEqual([
      '6.0 tx vote of tp1cat YES "" OTHER',
      '6.1 tx close DECIDED by - ACCEPTED 2/0/0/0 computed 2/0/0/0 group 1 policy 1 total 4',
      '6.2 tx prune ACCEPTED',
      '6.3 tx execution by - SUCCESS ""',
    ]);
  });

  it.each([
    [
      'several members have the missing weight',
      {
        5: stateOf({
          weights: [
            [ann, '2'],
            [ben, '2'],
            [cat, '1'],
          ],
        }),
      },
    ],
    [
      'no combination of members has it',
      {
        5: stateOf({
          weights: [
            [ann, '1'],
            [ben, '1'],
            [cat, '3'],
          ],
        }),
      },
    ],
    ['the members are not known', { 6: stateOf() }],
  ])('a vote that decides a proposal at once is unexplained, and has nothing to compare, if %s', async (_, states) => {
    await submitAt5();
    const events = [voted, prunedEvent, executed(ProposalExecutorResult.SUCCESS)].map((event) => own(event));
    const facts = await record(block(6n, [[[contractCall], events]]), states);
    expect(facts).toContain('6.0 tx unexplained vote 7');
    expect(facts.find((fact) => fact.includes(' close '))).toMatch('2/0/0/0 computed none');
  });

  it('two votes of contracts that decide a proposal together are named together', async () => {
    await submitAt5();
    const events = [voted, voted, prunedEvent, executed(ProposalExecutorResult.SUCCESS)].map((event) => own(event));
    expect((await record(block(6n, [[[contractCall], events]]), { 5: stateOf(), 6: stateOf() })).slice(0, 3)).toEqual([
      '6.0 tx vote of tp1ann YES "" OTHER',
      '6.1 tx vote of tp1ben YES "" OTHER',
      '6.2 tx close DECIDED by - ACCEPTED 2/0/0/0 computed 2/0/0/0 group 1 policy 1 total 4',
    ]);
  });

  it('a proposal of a contract is read from the state, or is known by its id alone', async () => {
    const open = stateOf({ status: ProposalStatus.SUBMITTED });
    expect(await record(block(5n, [[[contractCall], [own(submitted)]]]), { 4: stateOf(), 5: open })).toEqual([proposed]);
    store = createFactStore();
    const events = [submitted, voted].map((event) => own(event));
    expect(await record(block(5n, [[[contractCall], events]]), { 4: stateOf(), 5: stateOf() })).toEqual([
      '5.0 tx unexplained proposal 7',
      '5.1 tx unexplained vote 7',
    ]);
  });

  it('a vote of a contract within an authorization is not taken for the vote beside it', async () => {
    await submitAt5();
    const after = stateOf({
      status: ProposalStatus.SUBMITTED,
      votes: [
        [ann, VoteOption.NO],
        [cat, VoteOption.YES],
      ],
    });
    const within = message(AuthorizedSchema, { grantee: ben, msgs: [contractCall, ballot(ann, VoteOption.NO)] });
    const indexed = (index: number): Event =>
      own({ ...voted, attributes: [...voted.attributes, { key: 'authz_msg_index', value: String(index), index: true }] });
    expect(await record(block(6n, [[[within], [indexed(0), indexed(1)]]]), { 5: stateOf(), 6: after })).toEqual([
      '6.0 tx vote of tp1cat YES "" OTHER',
      '6.1 tx vote of tp1ann NO "" AUTHORIZATION',
    ]);
  });

  it('changes of a group and of a policy are read from the state, and abort', async () => {
    await submitAt5();
    const after = stateOf({
      version: 2n,
      totalWeight: '3',
      weights: [
        [ann, '1'],
        [cat, '2'],
      ],
      policyVersion: 2n,
      status: ProposalStatus.ABORTED,
    });
    const events = [
      typedEvent(EventUpdateGroupSchema, { groupId: 1n }),
      typedEvent(EventUpdateGroupPolicySchema, { address: policy }),
    ].map((event) => own(event));
    expect(await record(block(6n, [[[contractCall], events]]), { 5: stateOf(), 6: after })).toEqual([
      '6.0 tx group 1/2 other by -, admin tp1ann, "", 3: tp1ann=1 tp1cat=2',
      '6.1 tx close ABORTED by - ABORTED none computed none group 2 policy 1 total 3',
      `6.1 tx policy tp1policy/2 of 1 other by -, admin tp1ann, "", ThresholdDecisionPolicy ${decisionPolicy.value.length}`,
    ]);
  });
});

describe('messages outside of transactions', () => {
  it('of a trigger are those of the state before its event was detected', async () => {
    await submitAt5();
    const trigger = { id: 3n, actions: [ballot(cat, VoteOption.YES, Exec.TRY)] };
    const response = toBinary(QueryTriggerByIDResponseSchema, create(QueryTriggerByIDResponseSchema, { trigger }));
    const waiting = { 'provenance.trigger.v1.Query/TriggerByID': response };
    const ran = (id: number, success: boolean): Event =>
      plainEvent('provenance.trigger.v1.EventTriggerExecuted', [
        ['owner', '"tp1cat"'],
        ['success', `${success}`],
        ['trigger_id', `"${id}"`],
      ]);
    // Its event was detected at 8, so the state of 7 is the last one with it. It waited in the queue until 10.
    const states = { 7: { ...stateOf(), ...waiting }, 8: stateOf(), 9: stateOf(), 10: stateOf() };
    const events = [ran(2, false), voted, prunedEvent, executed(ProposalExecutorResult.SUCCESS), ran(3, true)];
    expect(await record(block(10n, [], events), states)).toEqual([
      '10.0 - vote of tp1cat YES "" OTHER',
      '10.1 - close DECIDED by tp1cat ACCEPTED 2/0/0/0 computed 2/0/0/0 group 1 policy 1 total 4',
      '10.2 - prune ACCEPTED',
      '10.3 - execution by tp1cat SUCCESS ""',
    ]);
  });

  it('of a governance proposal are in the state', async () => {
    await submitAt5();
    const proposal = { id: 2n, messages: [ballot(cat, VoteOption.YES, Exec.TRY)] };
    const passed = {
      'cosmos.gov.v1.Query/Proposal': toBinary(GovProposalResponseSchema, create(GovProposalResponseSchema, { proposal })),
    };
    const events = [
      voted,
      prunedEvent,
      executed(ProposalExecutorResult.SUCCESS),
      plainEvent('active_proposal', [
        ['proposal_id', '2'],
        ['proposal_result', 'proposal_passed'],
      ]),
    ].map(atEnd);
    expect(await record(block(6n, [], events), { 5: stateOf(), 6: { ...stateOf(), ...passed } })).toEqual([
      '6.0 - vote of tp1cat YES "" OTHER',
      '6.1 - close DECIDED by tp1cat ACCEPTED 2/0/0/0 computed 2/0/0/0 group 1 policy 1 total 4',
      '6.2 - prune ACCEPTED',
      '6.3 - execution by tp1cat SUCCESS ""',
    ]);
  });
});

describe('rare cases', () => {
  it('each of several proposers votes', async () => {
    const events = [submitted, voted, voted, prunedEvent, executed(ProposalExecutorResult.SUCCESS)].map((event) => own(event));
    expect(await record(block(5n, [[[submission([ann, ben], Exec.TRY)], events]]), { 4: stateOf(), 5: stateOf() })).toEqual([
      '5.0 tx proposal tp1policy/1 of 1/1 by tp1ann,tp1ben, "T" "S" "" [] 60000000000ns',
      '5.1 tx vote of tp1ann YES "" PROPOSER',
      '5.2 tx vote of tp1ben YES "" PROPOSER',
      '5.3 tx close DECIDED by tp1ann ACCEPTED 2/0/0/0 computed 2/0/0/0 group 1 policy 1 total 4',
      '5.4 tx prune ACCEPTED',
      '5.5 tx execution by tp1ann SUCCESS ""',
    ]);
  });

  it('of several executions in a block, the last one has rejected', async () => {
    await submitAt5();
    const notRun = executed(ProposalExecutorResult.NOT_RUN);
    const messages = [exec(ann), ballot(cat, VoteOption.NO), ballot(ben, VoteOption.NO, Exec.TRY)];
    const events = [own(notRun), own(voted, 1), own(voted, 2), own(notRun, 2)];
    const rejected = stateOf({ status: ProposalStatus.REJECTED, finalNo: '3' });
    expect(await record(block(6n, [[messages, events]]), { 5: stateOf(), 6: rejected })).toEqual([
      '6.0 tx execution by tp1ann NOT_RUN ""',
      '6.1 tx vote of tp1cat NO "" MESSAGE',
      '6.2 tx vote of tp1ben NO "" MESSAGE',
      '6.3 tx close DECIDED by tp1ben REJECTED 0/0/3/0 computed 0/0/3/0 group 1 policy 1 total 4',
      '6.4 tx execution by tp1ben NOT_RUN ""',
    ]);
  });

  it('an execution in the first block after the voting period ends the voting, before the block does', async () => {
    await submitAt5();
    const events = [own(executed(ProposalExecutorResult.NOT_RUN))];
    const rejected = stateOf({ status: ProposalStatus.REJECTED });
    expect(await record(block(66n, [[[exec(ann)], events]]), { 65: stateOf(), 66: rejected })).toEqual([
      '66.0 tx close VOTING_ENDED by tp1ann REJECTED 0/0/0/0 computed 0/0/0/0 group 1 policy 1 total 4',
      '66.1 tx execution by tp1ann NOT_RUN ""',
    ]);
  });

  it('a proposal that updates its own policy aborts the others, not itself', async () => {
    const update = message(MsgUpdateGroupPolicyMetadataSchema, { admin: ann, groupPolicyAddress: policy, metadata: 'new' });
    const other = typedEvent(EventSubmitProposalSchema, { proposalId: 8n });
    const both = [submission([ann], Exec.UNSPECIFIED, [update]), submission([ben])];
    await record(block(5n, [[both, [own(submitted), own(other, 1)]]]), { 4: stateOf(), 5: stateOf() });
    const events = [
      voted,
      typedEvent(EventUpdateGroupPolicySchema, { address: policy }),
      prunedEvent,
      executed(ProposalExecutorResult.SUCCESS),
    ].map((event) => own(event));
    const after = stateOf({ policyVersion: 2n });
    expect(await record(block(6n, [[[ballot(cat, VoteOption.YES, Exec.TRY)], events]]), { 5: stateOf(), 6: after })).toEqual([
      '6.0 tx vote of tp1cat YES "" MESSAGE',
      '6.1 tx close DECIDED by tp1cat ACCEPTED 2/0/0/0 computed 2/0/0/0 group 1 policy 1 total 4',
      '6.2 tx close ABORTED by tp1ann ABORTED none computed none group 1 policy 1 total 4',
      `6.2 tx policy tp1policy/2 of 1 metadata by tp1ann, admin tp1ann, "new", ThresholdDecisionPolicy ${decisionPolicy.value.length}`,
      '6.3 tx prune ACCEPTED',
      '6.4 tx execution by tp1cat SUCCESS ""',
    ]);
    expect([store.proposals.get(7n)!.close!.by, store.proposals.get(8n)!.close!.by]).toEqual(['DECIDED', 'ABORTED']);
  });

  it('a proposal that withdraws itself while it is executed is accepted', async () => {
    const withdrawal = message(MsgWithdrawProposalSchema, { proposalId: 7n, address: policy });
    const tried = [submission([cat], Exec.TRY, [withdrawal])];
    const withdrawn = typedEvent(EventWithdrawProposalSchema, { proposalId: 7n });
    const events = [submitted, voted, withdrawn, prunedEvent, executed(ProposalExecutorResult.SUCCESS)].map((event) =>
      own(event),
    );
    expect((await record(block(5n, [[tried, events]]), { 4: stateOf(), 5: stateOf() })).slice(2)).toEqual([
      '5.2 tx close DECIDED by tp1cat ACCEPTED 2/0/0/0 computed 2/0/0/0 group 1 policy 1 total 4',
      '5.3 tx prune ACCEPTED',
      '5.4 tx execution by tp1cat SUCCESS ""',
    ]);
  });

  it('a tally that fails at the end of voting rejects, with a tally of zero and nothing to compare', async () => {
    await submitAt5();
    await record(block(6n, [[[ballot(ann, VoteOption.YES)], [own(voted)]]]), { 5: stateOf(), 6: stateOf() });
    const failure = atEnd(typedEvent(EventTallyErrorSchema, { proposalId: 7n, errorMessage: 'no' }));
    const rejected = stateOf({ status: ProposalStatus.REJECTED });
    expect(await record(block(66n, [], [failure]), { 65: stateOf(), 66: rejected })).toEqual([
      '66.0 - close VOTING_ENDED by - REJECTED 0/0/0/0 computed none group 1 policy 1 total 4',
    ]);
  });

  it('without any state, messages and the recorded votes suffice for the rest', async () => {
    await submitAt5();
    expect(
      await record(
        block(6n, [
          [
            [ballot(cat, VoteOption.YES, Exec.TRY)],
            [voted, executed(ProposalExecutorResult.FAILURE)].map((event) => own(event)),
          ],
        ]),
        {},
      ),
    ).toEqual([
      '6.0 tx vote of tp1cat YES "" MESSAGE',
      '6.1 tx close DECIDED by tp1cat ACCEPTED none computed none group null policy null total null',
      '6.2 tx execution by tp1cat FAILURE ""',
    ]);
  });

  it('a weight with an enormous exponent is not counted', async () => {
    await submitAt5();
    const heavy = stateOf({ weights: [[cat, '1e9999']] });
    const events = [voted, prunedEvent, executed(ProposalExecutorResult.SUCCESS)].map((event) => own(event));
    expect((await record(block(6n, [[[ballot(cat, VoteOption.YES, Exec.TRY)], events]]), { 5: heavy, 6: heavy }))[1]).toBe(
      '6.1 tx close DECIDED by tp1cat ACCEPTED 2/0/0/0 computed none group 1 policy 1 total 4',
    );
  });

  it('a failed transaction and a block without group events record nothing, and read nothing', async () => {
    await submitAt5();
    const failed = block(6n, [[[ballot(cat, VoteOption.YES)], [own(voted)]]]);
    const refused = {
      ...failed,
      transactions: failed.transactions.map((each) => ({ ...each, result: { ...each.result, code: 5 } })),
    };
    expect(await record(refused, {})).toEqual([]);
    expect(await record(block(7n, [[[contractCall], [plainEvent('transfer', [['amount', '1nhash']])]]]), {})).toEqual([]);
  });
});
