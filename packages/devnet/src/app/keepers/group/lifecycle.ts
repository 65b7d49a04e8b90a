import {
  EventExecSchema,
  EventProposalPrunedSchema,
  EventTallyErrorSchema,
} from '../../../../../../src/proto/cosmos/group/v1/events_pb.js';
import {
  type GroupPolicyInfo,
  type Proposal,
  ProposalExecutorResult,
  ProposalStatus,
  ProposalStatusSchema,
} from '../../../../../../src/proto/cosmos/group/v1/types_pb.js';
import { AbciError, abciError, PlainError, wrapping } from '../../runtime/abciErrors.ts';
import type { Context } from '../../runtime/context.ts';
import { typedEvent } from '../../runtime/events.ts';
import { goTime, momentOf, timeKey } from '../../runtime/time.ts';
import { sizedKey } from '../../state/bytes.ts';
import { decisionPolicyOf } from './policy.ts';
import {
  addressKey,
  groupKeys,
  groupStore,
  indexedRows,
  loadGroup,
  loadPolicy,
  loadProposal,
  policies,
  proposals,
  votes,
  votesOf,
} from './state.ts';
import { tallyOf } from './tally.ts';

/** Returns the chain's name of a status. */
export function statusName(status: ProposalStatus): string {
  return ProposalStatusSchema.value[status]?.name ?? String(status);
}

function pruneVotes(context: Context, proposalId: bigint): void {
  for (const { vote } of [...votesOf(context, proposalId)]) votes.remove(context, vote);
}

function pruneProposal(context: Context, proposal: Proposal): void {
  pruneVotes(context, proposal.id);
  proposals.remove(context, proposal);
}

/** Returns the policy of a proposal. Throws `load group policy: group policy: not found` if there is none. */
export function policyOfProposal(context: Context, proposal: Proposal): GroupPolicyInfo {
  return wrapping('load group policy', () => loadPolicy(context, proposal.groupPolicyAddress));
}

/**
 * Counts the votes. If the result is final, by the policy or because the voting period is over, stores the tally, deletes the
 * votes and sets the status to ACCEPTED or REJECTED. Otherwise `proposal` does not change. Throws if the tally fails.
 */
function settle(context: Context, proposal: Proposal, policy: GroupPolicyInfo): void {
  const tally = tallyOf(context, proposal, policy.groupId);
  const { totalWeight } = loadGroup(context, policy.groupId);
  const decision = decisionPolicyOf(policy.decisionPolicy).decide(tally, totalWeight);
  if (!decision.final && context.block.time <= momentOf(proposal.votingPeriodEnd)) return;
  pruneVotes(context, proposal.id);
  proposal.finalTallyResult = tally;
  proposal.status = decision.allow ? ProposalStatus.ACCEPTED : ProposalStatus.REJECTED;
}

/** Settles a proposal whose voting period is over. If the tally fails, the proposal is rejected with an event. */
function settleAtEnd(context: Context, proposal: Proposal, policy: GroupPolicyInfo): void {
  try {
    settle(context, proposal, policy);
  } catch (error) {
    if (!(error instanceof AbciError) || error.code === 11) throw error;
    pruneVotes(context, proposal.id);
    proposal.status = ProposalStatus.REJECTED;
    context.emit(typedEvent(EventTallyErrorSchema, { proposalId: proposal.id, errorMessage: error.message }));
  }
}

function runMessages(context: Context, proposal: Proposal, policy: GroupPolicyInfo): void {
  const { minExecutionPeriod } = decisionPolicyOf(policy.decisionPolicy);
  const earliest = momentOf(proposal.submitTime) + minExecutionPeriod;
  if (context.block.time < earliest) {
    throw abciError('groupInvalid', `must wait until ${goTime(earliest)} to execute proposal ${proposal.id}`);
  }
  proposal.messages.forEach((message, index) => {
    wrapping(`message ${message.typeUrl} at position ${index}`, () => context.run(message));
  });
}

/**
 * Executes a proposal (MsgExec, EXEC_TRY). Settles it if it is open, and executes its messages if it is accepted and was not
 * executed. Success deletes the proposal. After a failure, it can be executed again. An undecided proposal is not an error.
 */
export function execute(context: Context, proposalId: bigint): ProposalExecutorResult {
  const proposal = loadProposal(context, proposalId);
  if (proposal.status !== ProposalStatus.SUBMITTED && proposal.status !== ProposalStatus.ACCEPTED) {
    throw abciError('groupInvalid', `not possible to exec with proposal status: ${statusName(proposal.status)}`);
  }
  const policy = policyOfProposal(context, proposal);
  if (proposal.status === ProposalStatus.SUBMITTED) settle(context, proposal, policy);

  let logs = '';
  if (proposal.status === ProposalStatus.ACCEPTED) {
    const attempt = context.fork();
    try {
      runMessages(attempt, proposal, policy);
      context.merge(attempt);
      proposal.executorResult = ProposalExecutorResult.SUCCESS;
    } catch (error) {
      if (error instanceof AbciError && error.codespace === 'sdk' && error.code === 11) throw error;
      if (!(error instanceof AbciError) && !(error instanceof PlainError)) throw error;
      proposal.executorResult = ProposalExecutorResult.FAILURE;
      logs = `proposal execution failed on proposal ${proposalId}, because of error ${error.message}`;
    }
  }
  const { executorResult: result, status } = proposal;
  if (result === ProposalExecutorResult.SUCCESS) {
    pruneProposal(context, proposal);
    const tallyResult = proposal.finalTallyResult;
    context.emit(typedEvent(EventProposalPrunedSchema, { proposalId, status, ...(tallyResult && { tallyResult }) }));
  } else {
    proposals.save(context, proposal);
  }
  context.emit(typedEvent(EventExecSchema, { proposalId, result, logs }));
  return result;
}

/** Aborts every open proposal of a changed policy, without events. */
export function abortProposals(context: Context, policyAddress: string): void {
  const prefix = groupKeys.proposalByPolicy + sizedKey(addressKey(policyAddress));
  for (const row of [...indexedRows(context, prefix)]) {
    const proposal = proposals.load(context, row.key);
    if (proposal.status !== ProposalStatus.SUBMITTED) continue;
    proposal.status = ProposalStatus.ABORTED;
    proposals.save(context, proposal);
  }
}

function endingBefore(context: Context, time: bigint): Proposal[] {
  const prefix = groupKeys.proposalByVotingPeriodEnd;
  const limit = sizedKey(timeKey(time));
  const ended: Proposal[] = [];
  for (const entry of context.entries(groupStore, prefix)) {
    const key = entry.key.slice(prefix.length);
    if (key.slice(0, limit.length) >= limit) break;
    ended.push(proposals.load(context, key.slice(limit.length)));
  }
  return ended;
}

/**
 * Runs at the end of a block. Settles proposals whose voting period is over, without an event, or deletes them if they were
 * aborted or withdrawn. Deletes proposals whose execution period is over.
 */
export function endBlock(context: Context, maxExecutionPeriod: bigint): void {
  const { time } = context.block;
  for (const proposal of endingBefore(context, time)) {
    const { id: proposalId, status } = proposal;
    if (status === ProposalStatus.ABORTED || status === ProposalStatus.WITHDRAWN) {
      pruneProposal(context, proposal);
      context.emit(typedEvent(EventProposalPrunedSchema, { proposalId, status }));
    } else if (status === ProposalStatus.SUBMITTED) {
      settleAtEnd(context, proposal, policies.load(context, sizedKey(addressKey(proposal.groupPolicyAddress))));
      proposals.save(context, proposal);
    }
  }
  for (const proposal of endingBefore(context, time - maxExecutionPeriod)) {
    const { id: proposalId, status, finalTallyResult: tallyResult } = proposal;
    pruneProposal(context, proposal);
    context.emit(typedEvent(EventProposalPrunedSchema, { proposalId, status, ...(tallyResult && { tallyResult }) }));
  }
}
