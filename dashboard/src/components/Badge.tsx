import type { Standing } from '../format/standing.ts';
import { texts } from '../language/language.ts';

/** The tone of a badge. */
export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'plain';

const tones: Readonly<Record<string, Tone>> = {
  PROPOSAL_STATUS_SUBMITTED: 'info',
  PROPOSAL_STATUS_ACCEPTED: 'good',
  PROPOSAL_STATUS_REJECTED: 'bad',
  PROPOSAL_STATUS_DEPOSIT_PERIOD: 'warn',
  PROPOSAL_STATUS_VOTING_PERIOD: 'info',
  PROPOSAL_STATUS_PASSED: 'good',
  PROPOSAL_STATUS_FAILED: 'bad',
  PROPOSAL_STATUS_CANCELLED: 'plain',
  PROPOSAL_STATUS_DROPPED: 'plain',
  PROPOSAL_STATUS_WITHDRAWN: 'plain',
  PROPOSAL_STATUS_ABORTED: 'plain',
  PROPOSAL_EXECUTOR_RESULT_NOT_RUN: 'plain',
  PROPOSAL_EXECUTOR_RESULT_FAILURE: 'bad',
  PROPOSAL_EXECUTOR_RESULT_SUCCESS: 'good',
  MARKER_STATUS_ACTIVE: 'good',
  MARKER_STATUS_PROPOSED: 'info',
  MARKER_STATUS_FINALIZED: 'info',
  MARKER_STATUS_CANCELLED: 'plain',
  MARKER_STATUS_DESTROYED: 'plain',
  MARKER_TYPE_COIN: 'plain',
  MARKER_TYPE_RESTRICTED: 'warn',
  VOTE_OPTION_YES: 'good',
  VOTE_OPTION_NO: 'bad',
  VOTE_OPTION_ABSTAIN: 'plain',
  VOTE_OPTION_NO_WITH_VETO: 'bad',
  HEALTHY: 'good',
  LAGGING: 'warn',
  DOWN: 'bad',
  EJECTED: 'bad',
  WRONG_CHAIN: 'bad',
};

/** A value of an enum of the API in words; other texts as they are. */
export function enumWords(value: string): string {
  const words: Readonly<Record<string, string>> = texts.value.enums;
  return words[value] ?? value.toLowerCase().replaceAll('_', ' ');
}

/** A value of an enum of the API, with a colour. */
export function Badge({ of }: { readonly of: string }) {
  return (
    <span class="badge" data-tone={tones[of] ?? 'plain'}>
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
  return <Tag tone={standingTones[of]}>{texts.value.standings[of]}</Tag>;
}
