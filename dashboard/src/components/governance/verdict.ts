import { count } from '../../format/numbers.ts';
import { texts } from '../../language/language.ts';

interface Decidable {
  readonly status: string;
  readonly executorResult: string;
  readonly outcome: { readonly decision: string; readonly yesNeeded: string } | null;
}

/** What became of an accepted proposal. */
function acceptedWords(executorResult: string): string {
  const { proposal } = texts.value;
  if (executorResult === 'PROPOSAL_EXECUTOR_RESULT_FAILURE') return proposal.acceptedFailed;
  return executorResult === 'PROPOSAL_EXECUTOR_RESULT_SUCCESS' ? proposal.acceptedExecuted : proposal.acceptedWaiting;
}

/** What a proposal comes to with the tally that it has, in words. */
export function verdictOf({ status, executorResult, outcome }: Decidable): string {
  if (outcome === null) {
    if (status === 'PROPOSAL_STATUS_ACCEPTED') return acceptedWords(executorResult);
    if (status === 'PROPOSAL_STATUS_REJECTED') return texts.value.proposal.rejected;
    return status === 'PROPOSAL_STATUS_SUBMITTED' ? texts.value.proposal.open : texts.value.proposal.closedWithout;
  }
  if (outcome.decision === 'ACCEPTED') return texts.value.proposal.canPass;
  if (outcome.decision === 'REJECTED') return texts.value.proposal.cannotPass;
  return texts.value.proposal.weightMissing(count(outcome.yesNeeded));
}
