import type { Any } from '@bufbuild/protobuf/wkt';
import {
  type DecisionPolicyWindows,
  PercentageDecisionPolicySchema,
  type TallyResult,
  ThresholdDecisionPolicySchema,
} from '../../../../../../src/proto/cosmos/group/v1/types_pb.js';
import { abciError } from '../../runtime/abciErrors.ts';
import { unpackAny } from '../../runtime/keeper.ts';
import { lengthOf } from '../../runtime/time.ts';
import { add, compare, divide, isZero, requirePositive, subtract } from './decimal.ts';

/** The decision of a policy on a tally. `final`: further votes cannot change it. */
export interface Decision {
  readonly allow: boolean;
  readonly final: boolean;
}

/** A decoded decision policy. Durations are in nanoseconds. */
export interface DecisionPolicy {
  readonly votingPeriod: bigint;
  readonly minExecutionPeriod: bigint;
  /** Decides on a tally. Throws if the tally exceeds the total weight. */
  readonly decide: (tally: TallyResult, totalWeight: string) => Decision;
}

function threshold(value: string): DecisionPolicy['decide'] {
  return (tally, totalWeight) => {
    // If the total weight falls below the threshold, the total weight is sufficient.
    const needed = compare(value, totalWeight) <= 0 ? value : totalWeight;
    if (compare(tally.yesCount, needed) >= 0) return { allow: true, final: true };
    const atMost = add(tally.yesCount, undecided(tally, totalWeight));
    return { allow: false, final: compare(atMost, needed) < 0 };
  };
}

function percentage(value: string): DecisionPolicy['decide'] {
  return (tally, totalWeight) => {
    if (isZero(totalWeight)) return { allow: false, final: true };
    if (compare(divide(tally.yesCount, totalWeight), value) >= 0) return { allow: true, final: true };
    const atMost = add(tally.yesCount, undecided(tally, totalWeight));
    return { allow: false, final: compare(divide(atMost, totalWeight), value) < 0 };
  };
}

function undecided(tally: TallyResult, totalWeight: string): string {
  const countedWeight = [tally.abstainCount, tally.noCount, tally.noWithVetoCount].reduce(add, tally.yesCount);
  return subtract(totalWeight, countedWeight);
}

function windowsOf(windows: DecisionPolicyWindows | undefined): Pick<DecisionPolicy, 'votingPeriod' | 'minExecutionPeriod'> {
  const votingPeriod = lengthOf(windows?.votingPeriod);
  if (votingPeriod === 0n) throw abciError('groupInvalid', 'voting period cannot be zero');
  return { votingPeriod, minExecutionPeriod: lengthOf(windows?.minExecutionPeriod) };
}

/**
 * Decodes and checks the decision policy in an Any: positive threshold, percentage above 0 and at most 1, nonzero voting
 * period. Throws errors of codespace group; their texts are not recorded.
 */
export function decisionPolicyOf(any: Any | undefined): DecisionPolicy {
  const byThreshold = unpackAny(ThresholdDecisionPolicySchema, any);
  if (byThreshold !== undefined) {
    requirePositive(byThreshold.threshold, 'threshold');
    return { ...windowsOf(byThreshold.windows), decide: threshold(byThreshold.threshold) };
  }
  const byPercentage = unpackAny(PercentageDecisionPolicySchema, any);
  if (byPercentage !== undefined) {
    requirePositive(byPercentage.percentage, 'percentage');
    if (compare(byPercentage.percentage, '1') > 0) throw abciError('groupInvalid', 'percentage must be > 0 and <= 1');
    return { ...windowsOf(byPercentage.windows), decide: percentage(byPercentage.percentage) };
  }
  throw abciError('groupEmpty', 'decision policy');
}
