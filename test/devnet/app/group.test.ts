import { describe, expect, it } from 'vitest';
import type { TxResult } from '../../../packages/devnet/src/abci/abci.ts';
import { seconds } from '../../../packages/devnet/src/app/runtime/time.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { Query } from '../../../src/proto/cosmos/group/v1/query_pb.js';
import * as tx from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import { ProposalExecutorResult, ProposalStatus, VoteOption } from '../../../src/proto/cosmos/group/v1/types_pb.js';
import { type Club, club, groupEvents, log, maxExecutionSeconds, missing, threshold } from './clubs.ts';
import { message, second } from './harness.ts';

const { YES, NO, ABSTAIN, NO_WITH_VETO } = VoteOption;
const { SUBMITTED, ACCEPTED, REJECTED, ABORTED, WITHDRAWN } = ProposalStatus;
const { NOT_RUN, FAILURE } = ProposalExecutorResult;

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
      (c: Club) =>
        `msg does not have group policy authorization; expected ${c.policy}, got ${c.people[0]!.address}: unauthorized`,
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
