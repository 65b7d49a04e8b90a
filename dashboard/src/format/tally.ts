import Big from 'big.js';
import { texts } from '../language/language.ts';
import { count } from './numbers.ts';

/** Weights by option, as the API returns them. */
export interface Counts {
  readonly yesCount: string;
  readonly noCount: string;
  readonly abstainCount: string;
  readonly noWithVetoCount: string;
}

/** The rule of a group policy. */
export interface Rule {
  readonly type: string;
  readonly threshold?: string;
  readonly percentage?: string;
  readonly windows: { readonly votingPeriod: string; readonly minExecutionPeriod: string } | null;
}

/** One part of a tally bar. */
export interface Part {
  readonly option: 'yes' | 'abstain' | 'no' | 'veto' | 'open';
  readonly name: string;
  readonly weight: string;
  /** Share of the bar, 0 to 100. */
  readonly share: number;
}

const share = (weight: Big, total: Big): number => (total.gt(0) ? Math.min(100, weight.div(total).times(100).toNumber()) : 0);

/**
 * The parts of a tally bar over the total weight of the group. The weight of those who have not voted is the rest, and is left out once the
 * tally is final.
 */
export function partsOf(counts: Counts, totalWeight: string, isOpen: boolean): readonly Part[] {
  const weights = [
    ['yes', texts.value.proposal.yes, counts.yesCount],
    ['abstain', texts.value.proposal.abstain, counts.abstainCount],
    ['no', texts.value.proposal.no, counts.noCount],
    ['veto', texts.value.proposal.veto, counts.noWithVetoCount],
  ] as const;
  const voted = weights.reduce((sum, [, , weight]) => sum.plus(weight), new Big(0));
  const total = new Big(totalWeight).gt(voted) ? new Big(totalWeight) : voted;
  const rest = total.minus(voted);
  return [
    ...weights.map(([option, name, weight]) => ({ option, name, weight, share: share(new Big(weight), total) })),
    {
      option: 'open',
      name: isOpen ? texts.value.proposal.notVoted : texts.value.proposal.didNotVote,
      weight: rest.toFixed(),
      share: share(rest, total),
    },
  ];
}

/** The share of the total weight that has voted, 0 to 100, as decimal text. */
export function votedPercent({ yesCount, noCount, abstainCount, noWithVetoCount }: Counts, totalWeight: string): string {
  const voted = new Big(yesCount).plus(noCount).plus(abstainCount).plus(noWithVetoCount);
  return percentOf(voted.toFixed(), totalWeight);
}

/** The share of a weight in a total, 0 to 100, as decimal text. */
export function percentOf(weight: string, totalWeight: string): string {
  return String(share(new Big(weight), new Big(totalWeight)));
}

/** The yes weight that the rule asks for. undefined for a rule of an unknown type. */
export function requiredWeight({ threshold, percentage }: Rule, totalWeight: string): string | undefined {
  const total = new Big(totalWeight);
  if (threshold !== undefined) return total.lt(threshold) ? total.toFixed() : threshold;
  return percentage === undefined ? undefined : total.times(percentage).toFixed();
}

/** Where the required weight is on the bar, 0 to 100. undefined if it is unknown, or the group has no weight. */
export function markOf(rule: Rule, totalWeight: string): number | undefined {
  const required = requiredWeight(rule, totalWeight);
  const total = new Big(totalWeight);
  return required === undefined || total.lte(0) ? undefined : share(new Big(required), total);
}

/** The rule in words. */
export function ruleWords({ threshold, percentage, type }: Rule): string {
  if (threshold !== undefined) return texts.value.proposal.thresholdRule(count(threshold));
  if (percentage !== undefined) return texts.value.proposal.percentageRule(count(new Big(percentage).times(100).toFixed()));
  return type.slice(type.lastIndexOf('.') + 1);
}

/** What the outcome of an open proposal says of a vote. */
export interface OpenOutcome {
  readonly yesNeeded: string;
  readonly undecidedWeight: string;
}

/**
 * What the vote of one who has not voted would decide: `accepts` if its yes is enough, `rejects` if its no makes acceptance impossible, `both`, or nothing.
 */
export function decidesBy(
  { yesNeeded, undecidedWeight }: OpenOutcome,
  weight: string,
): 'accepts' | 'rejects' | 'both' | undefined {
  const needed = new Big(yesNeeded);
  const open = new Big(undecidedWeight);
  if (needed.lte(0) || open.lt(needed)) return undefined;
  const accepts = new Big(weight).gte(needed);
  const rejects = open.minus(weight).lt(needed);
  if (accepts && rejects) return 'both';
  return accepts ? 'accepts' : rejects ? 'rejects' : undefined;
}
