import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  EventSubmitProposalSchema,
  EventVoteSchema,
  EventWithdrawProposalSchema,
} from '../../../../../../src/proto/cosmos/group/v1/events_pb.js';
import {
  Exec,
  MsgExecResponseSchema,
  MsgExecSchema,
  type MsgSubmitProposal,
  MsgSubmitProposalResponseSchema,
  MsgSubmitProposalSchema,
  type MsgVote,
  MsgVoteResponseSchema,
  MsgVoteSchema,
  type MsgWithdrawProposal,
  MsgWithdrawProposalResponseSchema,
  MsgWithdrawProposalSchema,
} from '../../../../../../src/proto/cosmos/group/v1/tx_pb.js';
import {
  ProposalExecutorResult,
  ProposalSchema,
  ProposalStatus,
  VoteOption,
  VoteSchema,
} from '../../../../../../src/proto/cosmos/group/v1/types_pb.js';
import { abciError, wrapping } from '../../runtime/abciErrors.ts';
import type { Context } from '../../runtime/context.ts';
import { typedEvent } from '../../runtime/events.ts';
import { type DecodedMessage, type MessageHandler, onMessage } from '../../runtime/keeper.ts';
import { momentOf, timestampOf } from '../../runtime/time.ts';
import { requireAddress, requireDistinct, requireId, requireSameTitle, requireShort, requireShortSummary } from './checks.ts';
import { execute, policyOfProposal, statusName } from './lifecycle.ts';
import { decisionPolicyOf } from './policy.ts';
import { addressKey, findMember, loadGroup, loadPolicy, loadProposal, nextNumber, proposals, votes } from './state.ts';
import { emptyTally } from './tally.ts';

/** Decodes the messages in a proposal: the router's `decode`. */
export type DecodeMessage = (message: Any) => DecodedMessage;

function vote(context: Context, message: Pick<MsgVote, 'proposalId' | 'voter' | 'option' | 'metadata' | 'exec'>): void {
  requireId(message.proposalId, 'proposal id');
  if (message.option === VoteOption.UNSPECIFIED) throw abciError('groupEmpty', 'vote option');
  if (VoteOption[message.option] === undefined) throw abciError('groupInvalid', 'vote option');
  requireAddress(message.voter, 'voter');
  requireShort(message.metadata, 'vote metadata');

  const proposal = loadProposal(context, message.proposalId);
  if (proposal.status !== ProposalStatus.SUBMITTED) throw abciError('groupInvalid', 'proposal not open for voting');
  if (context.block.time > momentOf(proposal.votingPeriodEnd)) {
    throw abciError('groupExpired', 'voting period has ended already');
  }
  const { groupId } = policyOfProposal(context, proposal);
  if (findMember(context, groupId, addressKey(message.voter)) === undefined) {
    throw abciError('notFound', `voter address: ${message.voter}`);
  }
  const { proposalId, voter, option, metadata } = message;
  const row = create(VoteSchema, { proposalId, voter, option, metadata, submitTime: timestampOf(context.block.time) });
  if (votes.find(context, votes.rowKey(row)) !== undefined) throw abciError('ormUnique', 'store vote');
  votes.save(context, row);
  context.emit(typedEvent(EventVoteSchema, { proposalId }));
  if (message.exec === Exec.TRY) execute(context, proposalId);
}

function requireProposers(context: Context, message: MsgSubmitProposal): void {
  if (message.proposers.length === 0) throw abciError('groupEmpty', 'proposers');
  for (const proposer of message.proposers) requireAddress(proposer, 'proposer');
  requireDistinct(message.proposers);
  const { groupId } = wrapping(`load group policy: ${message.groupPolicyAddress}`, () =>
    loadPolicy(context, message.groupPolicyAddress),
  );
  for (const proposer of message.proposers) {
    if (findMember(context, groupId, addressKey(proposer)) === undefined) {
      throw abciError('groupUnauthorized', `not in group: ${proposer}`);
    }
  }
}

function submit(context: Context, message: MsgSubmitProposal, decode: DecodeMessage): bigint {
  requireAddress(message.groupPolicyAddress, 'group policy');
  requireShort(message.title, 'proposal Title');
  requireShort(message.metadata, 'metadata');
  requireShortSummary(message.summary);
  requireSameTitle(message.metadata, message.title, message.summary);
  requireProposers(context, message);
  for (const inner of message.messages) {
    const signers = decode(inner).signers;
    const other = signers.find((signer) => signer !== message.groupPolicyAddress);
    if (other !== undefined) {
      const text = `msg does not have group policy authorization; expected ${message.groupPolicyAddress}, got ${other}`;
      throw abciError('groupUnauthorized', text);
    }
  }

  const policy = loadPolicy(context, message.groupPolicyAddress);
  const { votingPeriod } = decisionPolicyOf(policy.decisionPolicy);
  const { time } = context.block;
  const proposal = create(ProposalSchema, {
    id: nextNumber(context, 'proposal'),
    groupPolicyAddress: message.groupPolicyAddress,
    metadata: message.metadata,
    proposers: message.proposers,
    submitTime: timestampOf(time),
    groupVersion: loadGroup(context, policy.groupId).version,
    groupPolicyVersion: policy.version,
    status: ProposalStatus.SUBMITTED,
    finalTallyResult: emptyTally(),
    votingPeriodEnd: timestampOf(time + votingPeriod),
    executorResult: ProposalExecutorResult.NOT_RUN,
    messages: message.messages,
    title: message.title,
    summary: message.summary,
  });
  proposals.save(context, proposal);
  const proposalId = proposal.id;
  context.emit(typedEvent(EventSubmitProposalSchema, { proposalId }));
  if (message.exec === Exec.TRY) {
    for (const voter of message.proposers) {
      wrapping(`the proposal was created but failed on vote for voter ${voter}`, () =>
        vote(context, { proposalId, voter, option: VoteOption.YES, metadata: '', exec: Exec.UNSPECIFIED }),
      );
    }
    wrapping('the proposal was created but failed on exec', () => execute(context, proposalId));
  }
  return proposalId;
}

function withdraw(context: Context, { proposalId, address }: MsgWithdrawProposal): void {
  requireId(proposalId, 'proposal id');
  requireAddress(address, 'group policy admin / proposer');
  const proposal = loadProposal(context, proposalId);
  if (proposal.status !== ProposalStatus.SUBMITTED) {
    throw abciError('groupInvalid', `cannot withdraw a proposal with the status of ${statusName(proposal.status)}`);
  }
  if (policyOfProposal(context, proposal).admin !== address && !proposal.proposers.includes(address)) {
    throw abciError('unauthorized', `given address is neither group policy admin nor in proposers: ${address}`);
  }
  proposal.status = ProposalStatus.WITHDRAWN;
  proposals.save(context, proposal);
  context.emit(typedEvent(EventWithdrawProposalSchema, { proposalId }));
}

/** The messages of proposals and votes. `decode` finds the signers of the messages in a proposal. */
export function proposalMessages(decode: DecodeMessage): MessageHandler[] {
  return [
    onMessage(
      MsgSubmitProposalSchema,
      MsgSubmitProposalResponseSchema,
      (message) => message.proposers,
      (context, message) => ({ proposalId: submit(context, message, decode) }),
    ),
    onMessage(
      MsgWithdrawProposalSchema,
      MsgWithdrawProposalResponseSchema,
      (message) => [message.address],
      (context, message) => {
        withdraw(context, message);
        return {};
      },
    ),
    onMessage(
      MsgVoteSchema,
      MsgVoteResponseSchema,
      (message) => [message.voter],
      (context, message) => {
        vote(context, message);
        return {};
      },
    ),
    onMessage(
      MsgExecSchema,
      MsgExecResponseSchema,
      (message) => [message.executor],
      (context, message) => {
        requireId(message.proposalId, 'proposal id');
        requireAddress(message.executor, 'executor');
        return { result: execute(context, message.proposalId) };
      },
    ),
  ];
}
