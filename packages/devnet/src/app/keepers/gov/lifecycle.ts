import { type Params, type Proposal, ProposalStatus } from '../../../../../../src/proto/cosmos/gov/v1/gov_pb.js';
import { AbciError, PlainError } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { plainEvent } from '../../runtime/events.ts';
import { lengthOf, momentOf, timestampOf } from '../../runtime/time.ts';
import { burnCoins, readBalance, sendCoins } from '../bank/state.ts';
import {
  dueProposals,
  govAccount,
  readParams,
  removeProposal,
  removeVotes,
  saveProposal,
  sumOf,
  takeDeposits,
} from './state.ts';
import { countVotes } from './tally.ts';

/**
 * Pays all deposits on a proposal back. If the messages of a proposal have spent them, a real chain stops here; the devnet pays back what is left for the first
 * depositors.
 */
function refundDeposits(context: Context, id: bigint): void {
  for (const { depositor, amount } of takeDeposits(context, id)) {
    const coins = sumOf([amount]);
    const isLeft = coins.every((coin) => readBalance(context, govAccount, coin.denom) >= coin.amount);
    if (isLeft) sendCoins(context, govAccount, decodeAddress(depositor), coins);
  }
}

function burnDeposits(context: Context, id: bigint): void {
  const coins = sumOf(takeDeposits(context, id).map(({ amount }) => amount));
  const isLeft = coins.every((coin) => readBalance(context, govAccount, coin.denom) >= coin.amount);
  if (isLeft && coins.length > 0) burnCoins(context, govAccount, coins);
}

/** Executes the messages of a proposal, all or none. Returns the text of the error and of the log if one fails. */
function execute(context: Context, { messages }: Proposal): { readonly reason: string; readonly log: string } | undefined {
  const fork = context.fork();
  for (const [index, message] of messages.entries()) {
    try {
      fork.run(message);
    } catch (error) {
      if (!(error instanceof AbciError || error instanceof PlainError)) throw error;
      const log = `passed, but msg ${index} (${message.typeUrl}) failed on execution: ${error.message}`;
      return { reason: error.message, log };
    }
  }
  context.merge(fork);
  return undefined;
}

/** Drops a proposal that did not get its deposit in time. */
function drop(context: Context, { id }: Proposal, { burnProposalDepositPrevote }: Params): void {
  removeProposal(context, id);
  if (burnProposalDepositPrevote) burnDeposits(context, id);
  else refundDeposits(context, id);
  context.emit(
    plainEvent('inactive_proposal', [
      ['proposal_id', String(id)],
      ['proposal_result', 'proposal_dropped'],
    ]),
  );
}

/** Counts the votes, deletes them, and executes what passes. An expedited proposal that does not pass becomes a regular one without votes, and keeps its deposits. */
function decide(context: Context, proposal: Proposal, params: Params): void {
  const { tally, passes, burnsDeposits } = countVotes(context, proposal, params);
  removeVotes(context, proposal.id);
  const isConverted = proposal.expedited && !passes;
  if (!isConverted) (burnsDeposits ? burnDeposits : refundDeposits)(context, proposal.id);
  let [result, log] = ['proposal_rejected', 'rejected'];
  const decided: Proposal = { ...proposal, finalTallyResult: tally };
  if (passes) {
    const failure = execute(context, proposal);
    decided.status = failure === undefined ? ProposalStatus.PASSED : ProposalStatus.FAILED;
    decided.failedReason = failure?.reason ?? '';
    [result, log] = failure === undefined ? ['proposal_passed', 'passed'] : ['proposal_failed', failure.log];
  } else if (isConverted) {
    decided.expedited = false;
    decided.votingEndTime = timestampOf(momentOf(proposal.votingStartTime) + lengthOf(params.votingPeriod));
    [result, log] = ['expedited_proposal_rejected', 'expedited proposal converted to regular'];
  } else {
    decided.status = ProposalStatus.REJECTED;
  }
  saveProposal(context, decided);
  context.emit(
    plainEvent('active_proposal', [
      ['proposal_id', String(proposal.id)],
      ['proposal_result', result],
      ['proposal_log', log],
    ]),
  );
}

/** Drops and decides the proposals whose periods are over. Recorded. */
export function endBlock(context: Context): void {
  const { time } = context.block;
  const [inactive, active] = [dueProposals(context, 'inactive', time), dueProposals(context, 'active', time)];
  if (inactive.length + active.length === 0) return;
  const params = readParams(context);
  for (const proposal of inactive) drop(context, proposal, params);
  for (const proposal of active) decide(context, proposal, params);
}
