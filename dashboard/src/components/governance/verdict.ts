import { count } from '../../format/numbers.ts';

interface Decidable {
  readonly status: string;
  readonly executorResult: string;
  readonly outcome: { readonly decision: string; readonly yesNeeded: string } | null;
}

const accepted: Readonly<Record<string, string>> = {
  PROPOSAL_EXECUTOR_RESULT_FAILURE: 'Accepted, its execution failed',
  PROPOSAL_EXECUTOR_RESULT_SUCCESS: 'Accepted and executed',
};

/** What a proposal comes to with the tally that it has, in words. */
export function verdictOf({ status, executorResult, outcome }: Decidable): string {
  if (outcome === null) {
    if (status === 'PROPOSAL_STATUS_ACCEPTED') return accepted[executorResult] ?? 'Accepted, not executed';
    if (status === 'PROPOSAL_STATUS_REJECTED') return 'Rejected';
    return status === 'PROPOSAL_STATUS_SUBMITTED' ? 'Open' : 'Closed without a tally';
  }
  if (outcome.decision === 'ACCEPTED') return 'Has the weight to pass';
  if (outcome.decision === 'REJECTED') return 'Can no longer pass';
  return `Yes weight of ${count(outcome.yesNeeded)} is missing`;
}
