import type { RecordedMember, RecordedTally, VoteFact } from '../../../archive/facts.ts';
import { VoteOption } from '../../../proto/cosmos/group/v1/types_pb.js';
import { type Decimal, decimal, decimalText, isDecimal } from '../../../reads/decimal.ts';

/** Members of a group by address. */
export type Members = ReadonlyMap<string, RecordedMember>;

/** Adds to and takes from a decimal, exactly as the chain does. Returns null if one of them is not a decimal of at most 999 digits. */
export function changedBy(value: string, added: string, taken: string): string | null {
  if (![value, added, taken].every(isDecimal)) return null;
  return decimalText(decimal(value).plus(decimal(added)).minus(decimal(taken)));
}

/** A tally in which every count is 0. */
export const zeroTally: RecordedTally = { yesCount: '0', abstainCount: '0', noCount: '0', noWithVetoCount: '0' };

/**
 * Counts votes by the present weights of the members. The votes of accounts that are not members do not count. Returns null if a weight is not a
 * decimal of at most 999 digits.
 */
export function countVotes(votes: readonly VoteFact[], members: Members): RecordedTally | null {
  const counts = new Map<number, Decimal>();
  for (const { voter, option } of votes) {
    const weight = members.get(voter)?.weight;
    if (weight === undefined) continue;
    if (!isDecimal(weight)) return null;
    counts.set(option, (counts.get(option) ?? decimal('0')).plus(decimal(weight)));
  }
  const count = (option: VoteOption): string => decimalText(counts.get(option) ?? decimal('0'));
  return {
    yesCount: count(VoteOption.YES),
    abstainCount: count(VoteOption.ABSTAIN),
    noCount: count(VoteOption.NO),
    noWithVetoCount: count(VoteOption.NO_WITH_VETO),
  };
}
