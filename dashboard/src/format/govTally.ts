import Big from 'big.js';
import { percent } from './numbers.ts';
import type { Counts } from './tally.ts';

/** What the rules of the governance module say of a tally. Percentages are 0 to 100. */
export interface GovRules {
  readonly passes: boolean;
  readonly reason: string;
  readonly bondedTokens: string;
  readonly turnoutPercent: string;
  readonly quorumPercent: string;
  readonly yesPercent: string;
  readonly thresholdPercent: string;
  readonly vetoPercent: string;
  readonly vetoThresholdPercent: string;
}

/** One rule of the governance module, and whether a tally meets it. */
export interface Condition {
  readonly name: string;
  /** What the tally has, 0 to 100. */
  readonly value: string;
  /** What is asked for, 0 to 100. */
  readonly limit: string;
  readonly isMet: boolean;
  /** Whether the rule is met, in words. */
  readonly words: string;
  /** What is asked for, in words. */
  readonly limitWords: string;
}

/** The rules of a proposal that is open: quorum, threshold and veto. The chain compares as these do: `at least`, `more than`, `at most`. */
export function conditionsOf(rules: GovRules): readonly Condition[] {
  const { turnoutPercent, quorumPercent, yesPercent, thresholdPercent, vetoPercent, vetoThresholdPercent } = rules;
  const hasQuorum = new Big(turnoutPercent).gte(quorumPercent);
  const hasYes = new Big(yesPercent).gt(thresholdPercent);
  const isVetoed = new Big(vetoPercent).gt(vetoThresholdPercent);
  return [
    {
      ...{ name: 'Turnout', value: turnoutPercent, limit: quorumPercent, isMet: hasQuorum },
      words: hasQuorum ? 'Quorum reached' : 'Quorum not reached',
      limitWords: `at least ${percent(quorumPercent)}`,
    },
    {
      ...{ name: 'Yes', value: yesPercent, limit: thresholdPercent, isMet: hasYes },
      words: hasYes ? 'Threshold reached' : 'Threshold not reached',
      limitWords: `more than ${percent(thresholdPercent)}`,
    },
    {
      ...{ name: 'Veto', value: vetoPercent, limit: vetoThresholdPercent, isMet: !isVetoed },
      words: isVetoed ? 'Vetoed' : 'Not vetoed',
      limitWords: `at most ${percent(vetoThresholdPercent)}`,
    },
  ];
}

const reasons: Readonly<Record<string, string>> = {
  PASSES: 'Would pass now',
  NO_STAKE: 'Would fail now: nothing is bonded',
  NO_QUORUM: 'Would fail now: too few votes',
  ALL_ABSTAIN: 'Would fail now: all abstain',
  VETO: 'Would fail now: vetoed',
  BELOW_THRESHOLD: 'Would fail now: too few yes votes',
};

const statuses: Readonly<Record<string, string>> = {
  PROPOSAL_STATUS_DEPOSIT_PERIOD: 'Collects deposits',
  PROPOSAL_STATUS_VOTING_PERIOD: 'Open',
  PROPOSAL_STATUS_PASSED: 'Passed and executed',
  PROPOSAL_STATUS_REJECTED: 'Rejected',
  PROPOSAL_STATUS_FAILED: 'Passed, and its execution failed',
};

/** What a proposal of the governance module comes to with the tally that it has, in words. */
export function govVerdict({
  status,
  outcome,
}: {
  readonly status: string;
  readonly outcome: Pick<GovRules, 'reason'> | null;
}): string {
  return (outcome === null ? undefined : reasons[outcome.reason]) ?? statuses[status] ?? 'Closed';
}

/** The yes votes of a tally without the abstentions, and the veto in all votes, as percentages. 0 without votes. */
export function govShares({ yesCount, noCount, abstainCount, noWithVetoCount }: Counts): {
  readonly yes: string;
  readonly veto: string;
} {
  const decided = new Big(yesCount).plus(noCount).plus(noWithVetoCount);
  const all = decided.plus(abstainCount);
  const part = (of: string, total: Big): string => (total.gt(0) ? new Big(of).div(total).times(100).toFixed() : '0');
  return { yes: part(yesCount, decided), veto: part(noWithVetoCount, all) };
}

/** The weight of an option of a vote, such as `0.6`, as a percentage. Empty for a vote that has one option. */
export function weightWords(weight: string): string {
  return new Big(weight).eq(1) ? '' : percent(new Big(weight).times(100).toFixed());
}
