import Big from 'big.js';
import { texts } from '../language/language.ts';
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
  readonly option: 'abstain' | 'yes' | 'veto';
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
      ...{
        option: 'abstain',
        name: texts.value.proposal.turnout,
        value: turnoutPercent,
        limit: quorumPercent,
        isMet: hasQuorum,
      },
      words: hasQuorum ? texts.value.proposal.quorumReached : texts.value.proposal.quorumMissed,
      limitWords: texts.value.proposal.atLeast(percent(quorumPercent)),
    },
    {
      ...{ option: 'yes', name: texts.value.proposal.yes, value: yesPercent, limit: thresholdPercent, isMet: hasYes },
      words: hasYes ? texts.value.proposal.thresholdReached : texts.value.proposal.thresholdMissed,
      limitWords: texts.value.proposal.moreThan(percent(thresholdPercent)),
    },
    {
      ...{
        option: 'veto',
        name: texts.value.proposal.vetoOption,
        value: vetoPercent,
        limit: vetoThresholdPercent,
        isMet: !isVetoed,
      },
      words: isVetoed ? texts.value.proposal.vetoed : texts.value.proposal.notVetoed,
      limitWords: texts.value.proposal.atMost(percent(vetoThresholdPercent)),
    },
  ];
}

/** What a proposal of the governance module comes to with the tally that it has, in words. */
export function govVerdict({
  status,
  outcome,
}: {
  readonly status: string;
  readonly outcome: Pick<GovRules, 'reason'> | null;
}): string {
  const reasons: Readonly<Record<string, string>> = texts.value.govReasons;
  const statuses: Readonly<Record<string, string>> = texts.value.govStatuses;
  return (outcome === null ? undefined : reasons[outcome.reason]) ?? statuses[status] ?? texts.value.words.closed;
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
