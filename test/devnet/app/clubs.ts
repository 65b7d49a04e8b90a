import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import type { AbciEvent, TxResult } from '../../../packages/devnet/src/abci/abci.ts';
import { packAny } from '../../../packages/devnet/src/app/runtime/keeper.ts';
import { durationOf, seconds } from '../../../packages/devnet/src/app/runtime/time.ts';
import { MsgSendResponseSchema, MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { Query } from '../../../src/proto/cosmos/group/v1/query_pb.js';
import * as tx from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import {
  PercentageDecisionPolicySchema,
  ThresholdDecisionPolicySchema,
  type VoteOption,
} from '../../../src/proto/cosmos/group/v1/types_pb.js';
import { createChain, message } from './harness.ts';

/** `max_execution_period` of the module, in s. */
export const maxExecutionSeconds = 50;

const windows = (voting: number, wait = 0) => ({
  votingPeriod: durationOf(seconds(voting)),
  minExecutionPeriod: durationOf(seconds(wait)),
});

/** A policy that takes a sum of weights. `voting` and `wait` are its voting period and least time before an execution, in s. */
export const threshold = (value: string, voting = 100, wait = 0): Any =>
  packAny(
    ThresholdDecisionPolicySchema,
    create(ThresholdDecisionPolicySchema, { threshold: value, windows: windows(voting, wait) }),
  );

/** A policy that takes a share of all weights. */
export const percentage = (value: string, voting = 100, wait = 0): Any =>
  packAny(
    PercentageDecisionPolicySchema,
    create(PercentageDecisionPolicySchema, { percentage: value, windows: windows(voting, wait) }),
  );

/** A group of the first accounts with these weights and one policy. Account 9 is its admin and not a member. */
export function club(decisionPolicy: Any, weights: readonly string[] = ['1', '1', '1'], asAdmin = false) {
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

export type Club = ReturnType<typeof club>;

/** The code, the codespace and the text of a refused transaction. */
export const log = ({ code, codespace, log: text }: TxResult): unknown[] => [
  code,
  codespace,
  text.replace('failed to execute message; message index: 0: ', ''),
];

/** The events of the group module as text. */
export const groupEvents = (events: readonly AbciEvent[]): string[] =>
  events
    .filter(({ type }) => type.startsWith('cosmos.group'))
    .map(({ type, attributes }) => `${type.slice(16)} ${attributes.map(({ key, value }) => `${key}=${value}`).join(' ')}`);

/** The error of a proposal that does not exist. */
export const missing = 'load proposal: not found: unknown request';
