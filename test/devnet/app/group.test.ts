import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import type { AbciEvent, TxResult } from '../../../src/devnet/abci/abci.ts';
import { decisionPolicyOf } from '../../../src/devnet/app/keepers/group/policy.ts';
import { packAny } from '../../../src/devnet/app/runtime/keeper.ts';
import { durationOf, seconds } from '../../../src/devnet/app/runtime/time.ts';
import { MsgSendResponseSchema, MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { Query } from '../../../src/proto/cosmos/group/v1/query_pb.js';
import * as tx from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import {
  PercentageDecisionPolicySchema,
  ProposalExecutorResult,
  ProposalStatus,
  TallyResultSchema,
  ThresholdDecisionPolicySchema,
  VoteOption,
} from '../../../src/proto/cosmos/group/v1/types_pb.js';
import { createChain, message, second } from './harness.ts';

const { YES, NO, ABSTAIN, NO_WITH_VETO } = VoteOption;
const { SUBMITTED, ACCEPTED, REJECTED, ABORTED, WITHDRAWN } = ProposalStatus;
const { NOT_RUN, FAILURE } = ProposalExecutorResult;
const maxExecutionSeconds = 50;

const windows = (voting: number, wait = 0) => ({
  votingPeriod: durationOf(seconds(voting)),
  minExecutionPeriod: durationOf(seconds(wait)),
});
const threshold = (value: string, voting = 100, wait = 0): Any =>
  packAny(
    ThresholdDecisionPolicySchema,
    create(ThresholdDecisionPolicySchema, { threshold: value, windows: windows(voting, wait) }),
  );
const percentage = (value: string, voting = 100, wait = 0): Any =>
  packAny(
    PercentageDecisionPolicySchema,
    create(PercentageDecisionPolicySchema, { percentage: value, windows: windows(voting, wait) }),
  );

/** A group of the first accounts with these weights and one policy. Account 9 is its admin and not a member. */
function club(decisionPolicy: Any, weights: readonly string[] = ['1', '1', '1'], asAdmin = false) {
  const chain = createChain({ bare: true, maxExecutionSeconds });
  const people = chain.accounts;
  const admin = people[9]!;
  const members = weights.map((weight, index) => ({ address: people[index]!.address, weight, metadata: '' }));
  const created = chain.run(
    admin,
    message(tx.MsgCreateGroupWithPolicySchema, { admin: admin.address, members, decisionPolicy, groupPolicyAsAdmin: asAdmin }),
    tx.MsgCreateGroupWithPolicyResponseSchema,
  );
  const { groupId, groupPolicyAddress: policy } = created;
  const gift = { fromAddress: admin.address, toAddress: policy, amount: [{ denom: 'nhash', amount: '1000' }] };
  chain.run(admin, message(MsgSendSchema, gift), MsgSendResponseSchema);

  const pay = (amount: string): Any =>
    message(MsgSendSchema, { fromAddress: policy, toAddress: admin.address, amount: [{ denom: 'nhash', amount }] });
  const submission = (messages: Any[], more: object = {}): Any =>
    message(tx.MsgSubmitProposalSchema, {
      groupPolicyAddress: policy,
      proposers: [people[0]!.address],
      messages,
      title: 'T',
      ...more,
    });
  const submit = (messages: Any[] = [], more: object = {}): bigint =>
    chain.run(people[0]!, submission(messages, more), tx.MsgSubmitProposalResponseSchema).proposalId;
  const ballot = (proposalId: bigint, voter: number, option: VoteOption, exec = tx.Exec.UNSPECIFIED): Any =>
    message(tx.MsgVoteSchema, { proposalId, voter: people[voter]!.address, option, exec });
  const vote = (proposalId: bigint, voter: number, option: VoteOption, exec?: tx.Exec): TxResult =>
    chain.deliver(people[voter]!, [ballot(proposalId, voter, option, exec)]);
  const exec = (proposalId: bigint): TxResult =>
    chain.deliver(people[0]!, [message(tx.MsgExecSchema, { proposalId, executor: people[0]!.address })]);
  const proposal = (proposalId: bigint) => chain.query(Query.method.proposal, { proposalId }).proposal!;
  const state = (proposalId: bigint) => {
    const { status, executorResult } = proposal(proposalId);
    return [status, executorResult];
  };
  const tally = (proposalId: bigint): string[] => {
    const counted = chain.query(Query.method.tallyResult, { proposalId }).tally!;
    return [counted.yesCount, counted.abstainCount, counted.noCount, counted.noWithVetoCount];
  };
  const voters = (proposalId: bigint): number => chain.query(Query.method.votesByProposal, { proposalId }).votes.length;
  return { chain, people, admin, groupId, policy, pay, submission, submit, ballot, vote, exec, proposal, state, tally, voters };
}

const log = ({ code, codespace, log: text }: TxResult): unknown[] => [
  code,
  codespace,
  text.replace('failed to execute message; message index: 0: ', ''),
];
const groupEvents = (events: readonly AbciEvent[]): string[] =>
  events
    .filter(({ type }) => type.startsWith('cosmos.group'))
    .map(({ type, attributes }) => `${type.slice(16)} ${attributes.map(({ key, value }) => `${key}=${value}`).join(' ')}`);
const missing = 'load proposal: not found: unknown request';

describe('decision policies', () => {
  const decide = (
    policy: Any,
    [yesCount = '', abstainCount = '', noCount = '', noWithVetoCount = '']: string[],
    total: string,
  ): string => {
    const tally = create(TallyResultSchema, { yesCount, abstainCount, noCount, noWithVetoCount });
    const { allow, final } = decisionPolicyOf(policy).decide(tally, total);
    return allow ? (final ? 'accepted' : '?') : final ? 'rejected' : 'undecided';
  };
  it.each([
    ['threshold met', threshold('2'), ['2', '0', '0', '0'], '3', 'accepted'],
    ['threshold missed by a little', threshold('2.5'), ['2.49', '0', '0', '0'], '5', 'undecided'],
    ['threshold out of reach', threshold('2'), ['0', '1', '1', '0'], '3', 'rejected'],
    ['threshold just within reach', threshold('2'), ['0', '0', '0', '1'], '3', 'undecided'],
    ['threshold above the whole group', threshold('10'), ['3', '0', '0', '0'], '3', 'accepted'],
    ['threshold above the whole group, one against', threshold('10'), ['2', '0', '0.5', '0'], '3', 'rejected'],
    ['percentage met', percentage('0.5'), ['1.5', '0', '0', '0'], '3', 'accepted'],
    ['percentage of a third, to 34 digits', percentage(`0.${'3'.repeat(34)}`), ['1', '0', '0', '0'], '3', 'accepted'],
    ['percentage of a third, one digit more', percentage(`0.${'3'.repeat(34)}1`), ['1', '0', '0', '0'], '3', 'undecided'],
    ['percentage of two thirds, rounded up', percentage(`0.${'6'.repeat(33)}7`), ['2', '0', '0', '0'], '3', 'accepted'],
    ['percentage out of reach', percentage('0.7'), ['1', '1', '0', '0'], '3', 'rejected'],
    ['percentage of nothing', percentage('0.1'), ['0', '0', '0', '0'], '0', 'rejected'],
    ['all of it', percentage('1'), ['2', '0', '0', '0'], '3', 'undecided'],
  ] as const)('%s', (_, policy, tally, total, decision) => {
    expect(decide(policy, [...tally], total)).toBe(decision);
  });

  it.each([
    ['percentage above 1', percentage('1.01'), 'percentage must be > 0 and <= 1: invalid value'],
    ['no voting period', threshold('1', 0), 'voting period cannot be zero: invalid value'],
    ['threshold 0', threshold('0'), 'threshold: expected a positive decimal, got 0: invalid value'],
    ['no policy', packAny(MsgSendSchema, create(MsgSendSchema)), 'decision policy: value is empty'],
  ])('%s is rejected', (_, policy, text) => {
    expect(() => decisionPolicyOf(policy)).toThrow(text);
  });
});

describe('a proposal', () => {
  it('that passes is executed and deleted with its votes, with the events in order', () => {
    const { chain, submit, vote, exec, pay, voters } = club(threshold('2'));
    const id = submit([pay('700')]);
    vote(id, 0, YES);
    vote(id, 1, YES);
    const result = exec(id);
    expect(groupEvents(result.events)).toEqual([
      `EventProposalPruned proposal_id="1" status="PROPOSAL_STATUS_ACCEPTED" tally_result={"yes_count":"2","abstain_count":"0","no_count":"0","no_with_veto_count":"0"} msg_index=0`,
      `EventExec logs="" proposal_id="1" result="PROPOSAL_EXECUTOR_RESULT_SUCCESS" msg_index=0`,
    ]);
    expect(() => chain.query(Query.method.proposal, { proposalId: id })).toThrow(missing);
    expect(() => chain.query(Query.method.tallyResult, { proposalId: id })).toThrow(missing);
    expect(voters(id)).toBe(0);
    expect(log(exec(id))).toEqual([38, 'sdk', 'load proposal: not found']);
  });

  it('that is undecided does not change when executed, without an error', () => {
    const { submit, vote, exec, state, voters } = club(threshold('2'));
    const id = submit();
    vote(id, 0, YES);
    expect(groupEvents(exec(id).events)).toEqual([
      'EventExec logs="" proposal_id="1" result="PROPOSAL_EXECUTOR_RESULT_NOT_RUN" msg_index=0',
    ]);
    expect([...state(id), voters(id)]).toEqual([SUBMITTED, NOT_RUN, 1]);
  });

  it('that cannot pass any more is rejected when executed during the voting period', () => {
    const { submit, vote, exec, state, voters, tally } = club(threshold('2'));
    const id = submit();
    vote(id, 0, NO_WITH_VETO);
    vote(id, 1, ABSTAIN);
    expect(tally(id)).toEqual(['0', '1', '0', '1']);
    exec(id);
    expect([...state(id), voters(id), tally(id)]).toEqual([REJECTED, NOT_RUN, 0, ['0', '1', '0', '1']]);
    expect(log(exec(id))).toEqual([
      6,
      'group',
      'not possible to exec with proposal status: PROPOSAL_STATUS_REJECTED: invalid value',
    ]);
    expect(log(vote(id, 2, YES))).toEqual([6, 'group', 'proposal not open for voting: invalid value']);
  });

  it('whose messages fail is accepted without their changes, and can be executed again', () => {
    const { chain, people, policy, submit, vote, exec, pay, state } = club(threshold('1'));
    const id = submit([pay('600'), pay('600')]);
    vote(id, 0, YES);
    const events = exec(id).events;
    expect(groupEvents(events)).toEqual([
      `EventExec logs="proposal execution failed on proposal 1, because of error message /cosmos.bank.v1beta1.MsgSend at position 1: spendable balance 400nhash is smaller than 600nhash: insufficient funds" proposal_id="1" result="PROPOSAL_EXECUTOR_RESULT_FAILURE" msg_index=0`,
    ]);
    // Both nested messages were executed, and cost a fee.
    expect(JSON.stringify(events.at(-1))).toContain('"additionalfee","value":"2nhash"');
    expect(state(id)).toEqual([ACCEPTED, FAILURE]);
    const more = { fromAddress: people[3]!.address, toAddress: policy, amount: [{ denom: 'nhash', amount: '200' }] };
    chain.deliver(people[3]!, [message(MsgSendSchema, more)]);
    expect(groupEvents(exec(id).events).at(-1)).toContain('SUCCESS');
    expect(() => state(id)).toThrow(missing);
  });

  it('can only be executed after the minimum execution period', () => {
    const { chain, submit, vote, exec, pay, state, proposal } = club(threshold('1', 100, 30));
    const id = submit([pay('1')]);
    vote(id, 0, YES);
    const [event] = groupEvents(exec(id).events);
    expect(event).toBe(
      `EventExec logs="proposal execution failed on proposal 1, because of error must wait until 2026-11-21 02:48:34 +0000 UTC to execute proposal 1: invalid value" proposal_id="1" result="PROPOSAL_EXECUTOR_RESULT_FAILURE" msg_index=0`,
    );
    expect([...state(id), proposal(id).submitTime?.nanos]).toEqual([ACCEPTED, FAILURE, 0]);
    chain.block([], 30n * second);
    expect(groupEvents(exec(id).events).at(-1)).toContain('SUCCESS');
  });

  it('is settled at the end of its voting period without an event, and later pruned with one', () => {
    const { chain, submit, vote, pay, state, tally, voters, proposal } = club(threshold('2', 20));
    const accepted = submit([pay('1')]);
    const rejected = submit([pay('1')]);
    vote(accepted, 0, YES);
    vote(accepted, 1, YES);
    vote(rejected, 0, YES);
    const end = proposal(accepted).votingPeriodEnd!;
    const until = (moment: bigint) => chain.block([], moment - chain.state.time);
    const ends = end.seconds * second + BigInt(end.nanos);
    until(ends);
    expect(state(accepted)).toEqual([SUBMITTED, NOT_RUN]);
    const block = until(ends + 1n);
    expect(groupEvents(block.events)).toEqual([]);
    expect([...state(accepted), voters(accepted), tally(accepted)]).toEqual([ACCEPTED, NOT_RUN, 0, ['2', '0', '0', '0']]);
    until(ends + 2n * second);
    expect([...state(rejected), tally(rejected)]).toEqual([REJECTED, NOT_RUN, ['1', '0', '0', '0']]);
    expect(groupEvents(until(ends + seconds(maxExecutionSeconds)).events)).toEqual([]);
    expect(groupEvents(until(ends + seconds(maxExecutionSeconds + 5)).events)).toEqual([
      `EventProposalPruned proposal_id="1" status="PROPOSAL_STATUS_ACCEPTED" tally_result={"yes_count":"2","abstain_count":"0","no_count":"0","no_with_veto_count":"0"} mode=EndBlock`,
      `EventProposalPruned proposal_id="2" status="PROPOSAL_STATUS_REJECTED" tally_result={"yes_count":"1","abstain_count":"0","no_count":"0","no_with_veto_count":"0"} mode=EndBlock`,
    ]);
    expect(() => state(accepted)).toThrow(missing);
  });

  it('accepts no vote in a block after its voting period, although it is still open when the block begins', () => {
    const { chain, people, submit, ballot } = club(threshold('2', 20));
    const id = submit();
    expect(log(chain.deliver(people[0]!, [ballot(id, 0, YES)], 30n * second))).toEqual([
      9,
      'group',
      'voting period has ended already: expired',
    ]);
  });

  it('can be withdrawn only by a proposer or the admin, keeps its votes, and is pruned when its voting period ends', () => {
    const { chain, people, admin, submit, vote, state, voters } = club(threshold('2', 20));
    const [one, two] = [submit(), submit()];
    vote(one, 1, YES);
    const withdraw = (proposalId: bigint, by: typeof admin): TxResult =>
      chain.deliver(by, [message(tx.MsgWithdrawProposalSchema, { proposalId, address: by.address })]);
    const stranger = people[1]!;
    expect(log(withdraw(one, stranger))).toEqual([
      4,
      'sdk',
      `given address is neither group policy admin nor in proposers: ${stranger.address}: unauthorized`,
    ]);
    expect(groupEvents(withdraw(one, people[0]!).events)).toEqual(['EventWithdrawProposal proposal_id="1" msg_index=0']);
    withdraw(two, admin);
    expect([...state(one), voters(one), ...state(two)]).toEqual([WITHDRAWN, NOT_RUN, 1, WITHDRAWN, NOT_RUN]);
    expect(log(withdraw(one, people[0]!))).toEqual([
      6,
      'group',
      'cannot withdraw a proposal with the status of PROPOSAL_STATUS_WITHDRAWN: invalid value',
    ]);
    expect(() => chain.query(Query.method.tallyResult, { proposalId: one })).toThrow(
      "can't get the tally of a proposal with status PROPOSAL_STATUS_WITHDRAWN: invalid value: unknown request",
    );
    expect(groupEvents(chain.block([], 60n * second).events)).toEqual([
      'EventProposalPruned proposal_id="1" status="PROPOSAL_STATUS_WITHDRAWN" tally_result=null mode=EndBlock',
      'EventProposalPruned proposal_id="2" status="PROPOSAL_STATUS_WITHDRAWN" tally_result=null mode=EndBlock',
    ]);
    expect(voters(one)).toBe(0);
  });

  it('is aborted by any update of its policy while open, and by no update of its group', () => {
    const { chain, people, admin, policy, groupId, submit, vote, exec, state } = club(threshold('1'));
    const decided = submit();
    vote(decided, 0, NO);
    vote(decided, 1, NO);
    vote(decided, 2, NO);
    exec(decided);
    const open = submit();
    const members = [{ address: people[4]!.address, weight: '1' }];
    chain.run(
      admin,
      message(tx.MsgUpdateGroupMembersSchema, { admin: admin.address, groupId, memberUpdates: members }),
      tx.MsgUpdateGroupMembersResponseSchema,
    );
    expect(state(open)).toEqual([SUBMITTED, NOT_RUN]);
    const update = chain.deliver(admin, [
      message(tx.MsgUpdateGroupPolicyMetadataSchema, { admin: admin.address, groupPolicyAddress: policy, metadata: 'new' }),
    ]);
    expect(groupEvents(update.events)).toEqual([`EventUpdateGroupPolicy address="${policy}" msg_index=0`]);
    expect([...state(open), ...state(decided)]).toEqual([ABORTED, NOT_RUN, REJECTED, NOT_RUN]);
    const next = submit();
    const decisionPolicy = threshold('2');
    chain.deliver(admin, [
      message(tx.MsgUpdateGroupPolicyDecisionPolicySchema, {
        admin: admin.address,
        groupPolicyAddress: policy,
        decisionPolicy,
      }),
    ]);
    expect(state(next)[0]).toBe(ABORTED);
    const last = submit();
    const newAdmin = people[0]!.address;
    chain.deliver(admin, [
      message(tx.MsgUpdateGroupPolicyAdminSchema, { admin: admin.address, groupPolicyAddress: policy, newAdmin }),
    ]);
    expect(state(last)[0]).toBe(ABORTED);
    const { info } = chain.query(Query.method.groupPolicyInfo, { address: policy });
    expect([info?.version, info?.admin, info?.decisionPolicy]).toEqual([4n, newAdmin, decisionPolicy]);
    expect(chain.query(Query.method.groupPoliciesByAdmin, { admin: admin.address }).groupPolicies).toEqual([]);
    expect(chain.query(Query.method.groupPoliciesByAdmin, { admin: newAdmin }).groupPolicies).toHaveLength(1);
  });

  it('can be voted on and executed in one transaction with EXEC_TRY', () => {
    const { chain, people, submission, submit, vote, pay, state } = club(threshold('2'), ['2', '1']);
    const at = (result: TxResult): string[] => groupEvents(result.events).map((event) => event.split(' ')[0]!);
    const alone = chain.deliver(people[0]!, [submission([pay('1')], { exec: tx.Exec.TRY })]);
    expect(at(alone)).toEqual(['EventSubmitProposal', 'EventVote', 'EventProposalPruned', 'EventExec']);
    const id = submit([pay('1')]);
    expect(at(vote(id, 1, YES, tx.Exec.TRY))).toEqual(['EventVote', 'EventExec']);
    expect(state(id)).toEqual([SUBMITTED, NOT_RUN]);
    expect(at(vote(id, 0, YES, tx.Exec.TRY))).toEqual(['EventVote', 'EventProposalPruned', 'EventExec']);
  });

  it('can execute group messages for its policy, by the same handlers', () => {
    const { chain, people, policy, submit, vote, exec } = club(threshold('1'));
    const admin = people[5]!;
    const outer = chain.run(
      admin,
      message(tx.MsgCreateGroupWithPolicySchema, {
        admin: admin.address,
        members: [{ address: policy, weight: '1' }],
        decisionPolicy: threshold('1'),
      }),
      tx.MsgCreateGroupWithPolicyResponseSchema,
    );
    const inner = message(tx.MsgSubmitProposalSchema, {
      groupPolicyAddress: outer.groupPolicyAddress,
      proposers: [policy],
      title: 'of a policy',
    });
    const id = submit([inner]);
    vote(id, 0, YES);
    expect(groupEvents(exec(id).events).map((event) => event.split(' ')[0])).toEqual([
      'EventSubmitProposal',
      'EventProposalPruned',
      'EventExec',
    ]);
    const { proposals } = chain.query(Query.method.proposalsByGroupPolicy, { address: outer.groupPolicyAddress });
    expect(proposals.map(({ title, proposers }) => [title, proposers])).toEqual([['of a policy', [policy]]]);
  });

  it.each([
    [
      'by an account outside the group',
      (c: Club) => ({ proposers: [c.people[7]!.address] }),
      7,
      (c: Club) => `not in group: ${c.people[7]!.address}: unauthorized`,
    ],
    ['without proposers', () => ({ proposers: [] }), 2, () => 'proposers: value is empty'],
    ['with a title of 256 bytes', () => ({ title: 'ä'.repeat(128) }), 4, () => 'proposal Title: limit exceeded'],
    [
      'with metadata of another title',
      () => ({ metadata: '{"title":"other"}' }),
      1,
      () => "metadata title 'other' must equal proposal title 'T'",
    ],
    [
      'with a message of another account',
      (c: Club) => ({ messages: [message(MsgSendSchema, { fromAddress: c.people[0]!.address })] }),
      7,
      () => 'msg does not have group policy authorization: unauthorized',
    ],
  ] as const)('%s is rejected', (_, more, code, text) => {
    const c = club(threshold('1'));
    const change = more(c);
    const signer = 'proposers' in change && change.proposers.length > 0 ? c.people[7]! : c.people[0]!;
    const any = c.submission([], change);
    if ('proposers' in change && change.proposers.length === 0) {
      // It needs no signature, so as the message of another proposal it reaches the handler.
      const id = c.submit([any]);
      c.vote(id, 0, YES);
      expect(groupEvents(c.exec(id).events)[0]).toContain(text(c));
      return;
    }
    expect(log(c.chain.deliver(signer, [any])).filter((_part, index) => index !== 1)).toEqual([code, text(c)]);
  });

  it('accepts metadata that is not JSON, and JSON that matches', () => {
    const { submit, proposal } = club(threshold('1'));
    expect(
      [submit([], { metadata: 'ipfs://x' }), submit([], { metadata: '{"title":"T","more":1}' })].map(
        (id) => proposal(id).metadata,
      ),
    ).toEqual(['ipfs://x', '{"title":"T","more":1}']);
  });
});

type Club = ReturnType<typeof club>;

describe('votes', () => {
  it('count with the current weights of the members, and those of former members do not count', () => {
    const { chain, people, admin, groupId, submit, vote, tally } = club(threshold('100'), ['2.5', '0.25', '1.50', '4']);
    const id = submit();
    for (const [voter, option] of [YES, YES, NO, NO_WITH_VETO].entries()) vote(id, voter, option);
    expect(tally(id)).toEqual(['2.75', '0', '1.50', '4']);
    const leave = chain.deliver(people[1]!, [message(tx.MsgLeaveGroupSchema, { address: people[1]!.address, groupId })]);
    expect(groupEvents(leave.events)).toEqual([
      `EventLeaveGroup address="${people[1]!.address}" group_id="${groupId}" msg_index=0`,
    ]);
    expect(tally(id)).toEqual(['2.5', '0', '1.50', '4']);
    const memberUpdates = [
      { address: people[0]!.address, weight: '10' },
      { address: people[3]!.address, weight: '0' },
      { address: people[6]!.address, weight: '0.125' },
    ];
    const update = message(tx.MsgUpdateGroupMembersSchema, { admin: admin.address, groupId, memberUpdates });
    expect(groupEvents(chain.deliver(admin, [update]).events)).toEqual([`EventUpdateGroup group_id="${groupId}" msg_index=0`]);
    expect(tally(id)).toEqual(['10', '0', '1.50', '0']);
    const { info } = chain.query(Query.method.groupInfo, { groupId });
    expect([info?.totalWeight, info?.version]).toEqual(['11.625', 3n]);
    expect(log(chain.deliver(people[1]!, [message(tx.MsgLeaveGroupSchema, { address: people[1]!.address, groupId })]))).toEqual(
      [38, 'sdk', `${people[1]!.address} is not part of group 1: not found`],
    );
  });

  it('of a former member do not block a proposal, and a former member cannot vote', () => {
    const { chain, people, groupId, submit, vote, exec, state } = club(percentage('1'), ['1', '1']);
    const id = submit();
    vote(id, 1, NO);
    chain.deliver(people[1]!, [message(tx.MsgLeaveGroupSchema, { address: people[1]!.address, groupId })]);
    vote(id, 0, YES);
    exec(id);
    expect(() => state(id)).toThrow(missing);
    const next = submit();
    expect(log(vote(next, 1, YES))).toEqual([38, 'sdk', `voter address: ${people[1]!.address}: not found`]);
  });

  it('count once, and need an option', () => {
    const { submit, vote } = club(threshold('2'));
    const id = submit();
    vote(id, 0, YES);
    expect(log(vote(id, 0, NO))).toEqual([13, 'legacy_orm', 'store vote: unique constraint violation']);
    expect(log(vote(id, 1, VoteOption.UNSPECIFIED))).toEqual([2, 'group', 'vote option: value is empty']);
    expect(log(vote(99n, 1, YES))).toEqual([38, 'sdk', 'load proposal: not found']);
  });
});

describe('groups and policies', () => {
  it('can be their own admins, and then change by proposal only', () => {
    const { chain, admin, groupId, policy, submit, vote, exec } = club(threshold('1'), ['1', '1'], true);
    const info = () => chain.query(Query.method.groupInfo, { groupId }).info;
    expect([info()?.admin, chain.query(Query.method.groupPolicyInfo, { address: policy }).info?.admin]).toEqual([
      policy,
      policy,
    ]);
    const update = (by: string): Any => message(tx.MsgUpdateGroupMetadataSchema, { admin: by, groupId, metadata: 'changed' });
    expect(log(chain.deliver(admin, [update(admin.address)]))[0]).toBe(4);
    const id = submit([update(policy)]);
    vote(id, 1, YES);
    exec(id);
    expect([info()?.metadata, info()?.version]).toEqual(['changed', 3n]);
  });

  it.each([
    ['no weight', [{ address: 0, weight: '0' }], 6, 'weight: expected a positive decimal, got 0: invalid value'],
    ['a weight below zero', [{ address: 0, weight: '-1' }], 6, 'weight: expected a positive decimal, got -1: invalid value'],
    ['a weight that is no number', [{ address: 0, weight: 'NaN' }], 6, 'invalid decimal string: NaN: invalid value'],
    [
      'the same member twice',
      [
        { address: 0, weight: '1' },
        { address: 0, weight: '2' },
      ],
      3,
      'address: MEMBER: duplicate value',
    ],
  ])('cannot have %s', (_, list, code, text) => {
    const chain = createChain();
    const [admin] = chain.accounts;
    const members = list.map(({ address, weight }) => ({ address: chain.accounts[address]!.address, weight }));
    const result = chain.deliver(admin!, [message(tx.MsgCreateGroupSchema, { admin: admin!.address, members })]);
    expect(log(result)).toEqual([code, 'group', text.replace('MEMBER', admin!.address)]);
    expect(chain.query(Query.method.groups, {}).groups).toEqual([]);
  });

  it('can get another admin, whose lists then contain them', () => {
    const { chain, people, admin, groupId } = club(threshold('1'));
    const newAdmin = people[3]!.address;
    chain.run(
      admin,
      message(tx.MsgUpdateGroupAdminSchema, { admin: admin.address, groupId, newAdmin }),
      tx.MsgUpdateGroupAdminResponseSchema,
    );
    const ids = (of: string): bigint[] => chain.query(Query.method.groupsByAdmin, { admin: of }).groups.map(({ id }) => id);
    expect([ids(admin.address), ids(newAdmin)]).toEqual([[], [groupId]]);
    const second = message(tx.MsgCreateGroupPolicySchema, { admin: newAdmin, groupId, decisionPolicy: percentage('0.5') });
    const { address } = chain.run(people[3]!, second, tx.MsgCreateGroupPolicyResponseSchema);
    expect(chain.account(address).pubKey?.typeUrl).toBe('/cosmos.auth.v1beta1.ModuleCredential');
    expect(chain.query(Query.method.groupPoliciesByGroup, { groupId }).groupPolicies).toHaveLength(2);
  });

  it('reject a policy whose proposals could never be executed', () => {
    const { chain, admin, groupId } = club(threshold('1'));
    const late = message(tx.MsgCreateGroupPolicySchema, {
      admin: admin.address,
      groupId,
      decisionPolicy: threshold('1', 100, 151),
    });
    expect(log(chain.deliver(admin, [late]))[2]).toBe(
      'min_execution_period should be smaller than voting_period + max_execution_period: invalid value',
    );
  });

  it('reject the removal of an unknown member', () => {
    const { chain, people, admin, groupId } = club(threshold('1'));
    const memberUpdates = [{ address: people[8]!.address, weight: '0' }];
    expect(
      log(chain.deliver(admin, [message(tx.MsgUpdateGroupMembersSchema, { admin: admin.address, groupId, memberUpdates })])),
    ).toEqual([38, 'sdk', 'unknown member: not found']);
  });
});
