import { type Decimal, decimalOf, printed, sumOf } from './decimal.ts';
import type { Tally } from './tally.ts';

/** Decision of a decision policy on a tally: the result of an execution now. */
export type TallyDecision = 'ACCEPTED' | 'REJECTED' | 'UNDECIDED';

/**
 * The result of applying a decision policy to a tally. Weights and percentages are decimal text; percentages are null if the
 * total weight is 0.
 */
export interface ProposalOutcome {
  readonly decision: TallyDecision;
  readonly totalWeight: string;
  readonly undecidedWeight: string;
  readonly yesNeeded: string;
  readonly yesPercent: string | null;
  readonly abstainPercent: string | null;
  readonly noPercent: string | null;
  readonly noWithVetoPercent: string | null;
  readonly votedPercent: string | null;
}

/** The part of a decision policy that decides: a threshold, a percentage (0 to 1), or neither. */
export type DecisionRule =
  | { readonly kind: 'threshold'; readonly threshold: string }
  | { readonly kind: 'percentage'; readonly percentage: string }
  | { readonly kind: 'other' };

const zero = decimalOf('0');
const negated = ({ units, decimals }: Decimal): Decimal => ({ units: -units, decimals });
const less = (a: Decimal, b: Decimal): Decimal => sumOf(a, negated(b));
const atLeast = (a: Decimal, b: Decimal): boolean => less(a, b).units >= 0n;
const product = (a: Decimal, b: Decimal): Decimal => ({ units: a.units * b.units, decimals: a.decimals + b.decimals });

/** Prints a number without trailing zeros. */
const shortText = (value: Decimal): string =>
  printed(value).replace(/\.?0+$/, (zeros, _, text) => (text.includes('.') ? '' : zeros));

/** Most decimals of a percentage. Further digits are cut off, never rounded up. */
const percentDecimals = 18;

/** `part` as a percentage of `whole`, cut after 18 decimals; null if `whole` is 0. */
export function percent(part: Decimal, whole: Decimal): string | null {
  if (whole.units === 0n) return null;
  const shift = BigInt(percentDecimals + 2 + whole.decimals);
  const units = (part.units * 10n ** shift) / (whole.units * 10n ** BigInt(part.decimals));
  return shortText({ units, decimals: percentDecimals });
}

/**
 * Divides as the chain does: 34 significant digits, rounded half up, like the decimal128 arithmetic of the SDK. No recording
 * confirms the rounding, because no recorded quotient is close to its percentage.
 */
function chainQuotient(part: Decimal, whole: Decimal): Decimal {
  const longer = String(whole.units).length - String(part.units).length;
  const shift = Math.max(0, 36 + longer) + Math.max(0, part.decimals - whole.decimals);
  const quotient = (part.units * 10n ** BigInt(shift)) / whole.units;
  const excess = Math.max(1, String(quotient).length - 34);
  const rounded = (quotient / 10n ** BigInt(excess - 1) + 5n) / 10n;
  const decimals = shift - excess + part.decimals - whole.decimals;
  return decimals < 0 ? { units: rounded * 10n ** BigInt(-decimals), decimals: 0 } : { units: rounded, decimals };
}

interface Rule {
  readonly accepts: (yes: Decimal) => boolean;
  /** Required yes weight. */
  readonly required: Decimal;
}

function ruleOf(policy: DecisionRule, total: Decimal): Rule | null {
  if (policy.kind === 'threshold') {
    const threshold = decimalOf(policy.threshold);
    const required = atLeast(threshold, total) ? total : threshold;
    return { required, accepts: (yes) => atLeast(yes, required) };
  }
  if (policy.kind === 'percentage') {
    const percentage = decimalOf(policy.percentage);
    return {
      required: product(percentage, total),
      accepts: (yes) => total.units !== 0n && atLeast(chainQuotient(yes, total), percentage),
    };
  }
  return null;
}

/**
 * Applies a decision policy to a tally and the total weight of the group, all at one height, by the rules of the chain
 * (docs/chain.md, "Votes and tallies"). A threshold policy accepts if yes >= min(threshold, total). A percentage policy accepts
 * if yes / total >= percentage, and never if the total is 0. Both reject as soon as all undecided weight would not suffice.
 * Returns null for a policy of an unknown type.
 */
export function proposalOutcome(policy: DecisionRule, tally: Tally, totalWeight: string): ProposalOutcome | null {
  const total = decimalOf(totalWeight);
  const rule = ruleOf(policy, total);
  if (rule === null) return null;
  const yes = decimalOf(tally.yesCount);
  const [abstain, no, veto] = [tally.abstainCount, tally.noCount, tally.noWithVetoCount].map(decimalOf);
  if (abstain === undefined || no === undefined || veto === undefined) return null;
  const voted = [abstain, no, veto].reduce(sumOf, yes);
  const undecided = less(total, voted);
  const missing = less(rule.required, yes);
  return {
    decision: rule.accepts(yes) ? 'ACCEPTED' : rule.accepts(sumOf(yes, undecided)) ? 'UNDECIDED' : 'REJECTED',
    totalWeight: shortText(total),
    undecidedWeight: shortText(undecided),
    yesNeeded: shortText(missing.units > 0n ? missing : zero),
    yesPercent: percent(yes, total),
    abstainPercent: percent(abstain, total),
    noPercent: percent(no, total),
    noWithVetoPercent: percent(veto, total),
    votedPercent: percent(voted, total),
  };
}
