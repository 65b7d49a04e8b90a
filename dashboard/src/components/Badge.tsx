import { type Standing, standingWords } from '../format/standing.ts';

/** The tone of a badge. */
export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'plain';

const tones: Readonly<Record<string, readonly [text: string, tone: Tone]>> = {
  PROPOSAL_STATUS_SUBMITTED: ['Open', 'info'],
  PROPOSAL_STATUS_ACCEPTED: ['Accepted', 'good'],
  PROPOSAL_STATUS_REJECTED: ['Rejected', 'bad'],
  PROPOSAL_STATUS_DEPOSIT_PERIOD: ['Deposit period', 'warn'],
  PROPOSAL_STATUS_VOTING_PERIOD: ['Open', 'info'],
  PROPOSAL_STATUS_PASSED: ['Passed', 'good'],
  PROPOSAL_STATUS_FAILED: ['Execution failed', 'bad'],
  PROPOSAL_STATUS_CANCELLED: ['Cancelled', 'plain'],
  PROPOSAL_STATUS_DROPPED: ['Deposit not reached', 'plain'],
  PROPOSAL_STATUS_WITHDRAWN: ['Withdrawn', 'plain'],
  PROPOSAL_STATUS_ABORTED: ['Aborted', 'plain'],
  PROPOSAL_EXECUTOR_RESULT_NOT_RUN: ['Not executed', 'plain'],
  PROPOSAL_EXECUTOR_RESULT_FAILURE: ['Execution failed', 'bad'],
  PROPOSAL_EXECUTOR_RESULT_SUCCESS: ['Executed', 'good'],
  MARKER_STATUS_ACTIVE: ['Active', 'good'],
  MARKER_STATUS_PROPOSED: ['Proposed', 'info'],
  MARKER_STATUS_FINALIZED: ['Finalized', 'info'],
  MARKER_STATUS_CANCELLED: ['Cancelled', 'plain'],
  MARKER_STATUS_DESTROYED: ['Destroyed', 'plain'],
  MARKER_TYPE_COIN: ['Coin', 'plain'],
  MARKER_TYPE_RESTRICTED: ['Restricted', 'warn'],
  VOTE_OPTION_YES: ['Yes', 'good'],
  VOTE_OPTION_NO: ['No', 'bad'],
  VOTE_OPTION_ABSTAIN: ['Abstain', 'plain'],
  VOTE_OPTION_NO_WITH_VETO: ['No with veto', 'bad'],
  HEALTHY: ['Healthy', 'good'],
  LAGGING: ['Lagging', 'warn'],
  DOWN: ['Down', 'bad'],
  EJECTED: ['Ejected', 'bad'],
  WRONG_CHAIN: ['Wrong chain', 'bad'],
};

/** A value of an enum of the API in words; other texts as they are. */
export function enumWords(value: string): string {
  return tones[value]?.[0] ?? value.toLowerCase().replaceAll('_', ' ');
}

/** A value of an enum of the API, with a colour. */
export function Badge({ of }: { readonly of: string }) {
  return (
    <span class="badge" data-tone={tones[of]?.[1] ?? 'plain'}>
      {enumWords(of)}
    </span>
  );
}

/** A text with a colour. */
export function Tag({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: string }) {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  );
}

const standingTones: Readonly<Record<Standing, Tone>> = { passing: 'good', failing: 'warn', lost: 'bad', decided: 'plain' };

/** How a proposal stands. */
export function StandingTag({ of }: { readonly of: Standing }) {
  return <Tag tone={standingTones[of]}>{standingWords[of]}</Tag>;
}
