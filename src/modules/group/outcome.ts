import Big from 'big.js';
import { type Decimal, decimal, decimalText, percentOf } from '../../reads/decimal.ts';
import type { DecisionPolicy, TallyResult } from './model.ts';

/** What a decision policy says of a tally: what executing now would do. */
export type TallyDecision = 'ACCEPTED' | 'REJECTED' | 'UNDECIDED';

/** A tally put to a decision policy. Weights and percents are decimal text; percents are null when the total weight is 0. */
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

/** Quotients are taken with more digits than the chain keeps, and then cut to the 34 significant ones that its decimals have. */
const Wide = Big();
Wide.DP = 80;

/**
 * `part` over `whole` as the chain divides: 34 significant digits, half up. (The digits are those of the SDK's decimal128
 * arithmetic: not in the recordings, where no quotient is near its percentage.)
 */
function chainQuotient(part: Decimal, whole: Decimal): Decimal {
  const quotient = Wide(part).div(whole);
  return quotient.eq(0) ? quotient : quotient.prec(34, Big.roundHalfUp);
}

interface Rule {
  readonly accepts: (yes: Decimal) => boolean;
  /** Yes weight that is enough. */
  readonly enough: Decimal;
}

function ruleOf(policy: DecisionPolicy, total: Decimal): Rule | null {
  if (policy.kind === 'threshold') {
    const threshold = decimal(policy.threshold);
    const enough = threshold.lt(total) ? threshold : total;
    return { enough, accepts: (yes) => yes.gte(enough) };
  }
  if (policy.kind === 'percentage') {
    const percentage = decimal(policy.percentage);
    return { enough: percentage.times(total), accepts: (yes) => !total.eq(0) && chainQuotient(yes, total).gte(percentage) };
  }
  return null;
}

/**
 * What `policy` says of `tally` when the group weighs `totalWeight`, all of one height, by the chain's own rules (chain.md 3.6):
 * a threshold is met by yes >= min(threshold, total), a percentage by yes / total >= percentage and never by a group of weight 0;
 * rejected as soon as even all undecided weight would not be enough. Only yes counts; the other options only count as decided.
 * null for a policy of an unknown type.
 */
export function proposalOutcome(policy: DecisionPolicy, tally: TallyResult, totalWeight: string): ProposalOutcome | null {
  const total = decimal(totalWeight);
  const rule = ruleOf(policy, total);
  if (rule === null) return null;
  const yes = decimal(tally.yesCount);
  const abstain = decimal(tally.abstainCount);
  const no = decimal(tally.noCount);
  const veto = decimal(tally.noWithVetoCount);
  const voted = yes.plus(abstain).plus(no).plus(veto);
  const undecided = total.minus(voted);
  const missing = rule.enough.minus(yes);
  return {
    decision: rule.accepts(yes) ? 'ACCEPTED' : rule.accepts(yes.plus(undecided)) ? 'UNDECIDED' : 'REJECTED',
    totalWeight: decimalText(total),
    undecidedWeight: decimalText(undecided),
    yesNeeded: decimalText(missing.gt(0) ? missing : decimal('0')),
    yesPercent: percentOf(yes, total),
    abstainPercent: percentOf(abstain, total),
    noPercent: percentOf(no, total),
    noWithVetoPercent: percentOf(veto, total),
    votedPercent: percentOf(voted, total),
  };
}
