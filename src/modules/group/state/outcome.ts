import Big from 'big.js';
import { type Decimal, decimal, decimalText, percentOf } from '../../../reads/decimal.ts';
import type { DecisionPolicy, TallyResult } from './model.ts';

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

/** Divides with more digits than the chain has; the quotient is then rounded to the chain's 34 significant digits. */
const Wide = Big();
Wide.DP = 80;

/**
 * Divides as the chain does: 34 significant digits, rounded half up, like the decimal128 arithmetic of the SDK. No recording
 * confirms the rounding, because no recorded quotient is close to its percentage.
 */
function chainQuotient(part: Decimal, whole: Decimal): Decimal {
  const quotient = Wide(part).div(whole);
  return quotient.eq(0) ? quotient : quotient.prec(34, Big.roundHalfUp);
}

interface Rule {
  readonly accepts: (yes: Decimal) => boolean;
  /** Required yes weight. */
  readonly required: Decimal;
}

function ruleOf(policy: DecisionPolicy, total: Decimal): Rule | null {
  if (policy.kind === 'threshold') {
    const threshold = decimal(policy.threshold);
    const required = threshold.lt(total) ? threshold : total;
    return { required, accepts: (yes) => yes.gte(required) };
  }
  if (policy.kind === 'percentage') {
    const percentage = decimal(policy.percentage);
    return { required: percentage.times(total), accepts: (yes) => !total.eq(0) && chainQuotient(yes, total).gte(percentage) };
  }
  return null;
}

/**
 * Applies a decision policy to a tally and the total weight of the group, all at one height, by the rules of the chain
 * (docs/chain.md, "Votes and tallies"). A threshold policy accepts if yes >= min(threshold, total). A percentage policy accepts
 * if yes / total >= percentage, and never if the total is 0. Both reject as soon as all undecided weight would not suffice.
 * Returns null for a policy of an unknown type.
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
  const missing = rule.required.minus(yes);
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
