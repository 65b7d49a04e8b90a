import type { RecordedMember, RecordedTally, VoteFact } from '../../../archive/facts.ts';
import { tallyOf } from '../../../archive/store/votes.ts';
import { VoteOption } from '../../../proto/cosmos/group/v1/types_pb.js';
import { type Decimal, decimal, decimalText, isDecimal } from '../../../reads/decimal.ts';

export type Members = ReadonlyMap<string, RecordedMember>;

/** Adds to and takes from a decimal, exactly as the chain does. Returns null if one of them is not a decimal of at most 999 digits. */
export function changedBy(value: string, added: string, takenWeight: string): string | null {
  if (![value, added, takenWeight].every(isDecimal)) return null;
  return decimalText(decimal(value).plus(decimal(added)).minus(decimal(takenWeight)));
}

/** The name of the count of each option. */
const countNames = {
  [VoteOption.YES]: 'yesCount',
  [VoteOption.ABSTAIN]: 'abstainCount',
  [VoteOption.NO]: 'noCount',
  [VoteOption.NO_WITH_VETO]: 'noWithVetoCount',
} as const;

/**
 * Counts votes by the present weights of the members. The votes of accounts that are not members do not count. Returns null if a weight is not a
 * decimal of at most 999 digits.
 */
export function countVotes(votes: readonly VoteFact[], members: Members): RecordedTally | null {
  const weighted = votes.map(({ voter, option }) => ({ option, weight: members.get(voter)?.weight ?? null }));
  return weighted.every(({ weight }) => weight === null || isDecimal(weight)) ? tallyOf(weighted) : null;
}

/** A vote whose voter follows from the tally. */
export type InferredVote = Pick<VoteFact, 'voter' | 'option'>;

/** The most combinations of voters and options that are tried. */
const mostCombinations = 20_000;

/**
 * The `count` votes that a final tally has more than the known ones, if only one combination of the other members and options adds up to it. They are in
 * the order of their voters. Null if there is none or more than one, or too many to try.
 */
export function inferVotes(
  tally: RecordedTally,
  knownVotes: readonly VoteFact[],
  members: Members,
  count: number,
): readonly InferredVote[] | null {
  const knownTally = countVotes(knownVotes, members);
  const voted = new Set(knownVotes.map(({ voter }) => voter));
  const others = [...members.values()]
    .filter(({ address }) => !voted.has(address))
    .sort((a, b) => (a.address < b.address ? -1 : 1));
  if (knownTally === null || !others.every(({ weight }) => isDecimal(weight))) return null;
  const rest = new Map<VoteOption, Decimal>(
    ([VoteOption.YES, VoteOption.ABSTAIN, VoteOption.NO, VoteOption.NO_WITH_VETO] as const).map((option) => {
      const name = countNames[option];
      return [option, decimal(tally[name]).minus(decimal(knownTally[name]))];
    }),
  );
  const combinations: InferredVote[][] = [];
  let tried = 0;

  function search(from: number, votes: readonly InferredVote[]): void {
    if (combinations.length > 1 || tried > mostCombinations) return;
    if (votes.length === count) {
      if ([...rest.values()].every((weight) => weight.eq(0))) combinations.push([...votes]);
      return;
    }
    for (let index = from; index < others.length; index += 1) {
      const { address, weight } = others[index] ?? { address: '', weight: '0' };
      for (const [option, left] of rest) {
        tried += 1;
        const after = left.minus(decimal(weight));
        if (after.lt(0)) continue;
        rest.set(option, after);
        search(index + 1, [...votes, { voter: address, option }]);
        rest.set(option, left);
      }
    }
  }

  search(0, []);
  return tried > mostCombinations || combinations.length !== 1 ? null : (combinations[0] ?? null);
}
