import { decimalOf, printed, sumOf } from './decimal.ts';

/** The part of a vote that counts. `option` is the number of a `cosmos.group.v1.VoteOption`. */
export interface CastVote {
  readonly voter: string;
  readonly option: number;
}

/** Voting weights by option, as decimal text. */
export interface Tally {
  readonly yesCount: string;
  readonly abstainCount: string;
  readonly noCount: string;
  readonly noWithVetoCount: string;
}

/**
 * Counts votes by the weights that the voters have now. The vote of an account that is not a member any more does not count (docs/chain.md, "Votes and
 * tallies"). Throws for an option that no vote can have, and for a weight that is not positive, which no member can have.
 */
export function tallyOfVotes(votes: Iterable<CastVote>, weights: ReadonlyMap<string, string>): Tally {
  const zero = decimalOf('0');
  const counts = [zero, zero, zero, zero];
  for (const { voter, option } of votes) {
    const weight = weights.get(voter);
    if (weight === undefined) continue;
    const [count, added] = [counts[option - 1], decimalOf(weight)];
    if (count === undefined || added.units <= 0n) throw new Error('a stored vote has no option or no weight');
    counts[option - 1] = sumOf(count, added);
  }
  const [yesCount = '', abstainCount = '', noCount = '', noWithVetoCount = ''] = counts.map(printed);
  return { yesCount, abstainCount, noCount, noWithVetoCount };
}

/** The members of a group who have not voted, in the order of `members`. */
export function membersWithoutVote<M extends { readonly address: string }>(
  members: readonly M[],
  votes: readonly { readonly voter: string }[],
): readonly M[] {
  const voters = new Set(votes.map(({ voter }) => voter));
  return members.filter(({ address }) => !voters.has(address));
}

/** The rest of a voting period at a block time, in nanoseconds. It is negative after its end, until the chain decides the proposal. */
export const votingTimeLeft = (votingPeriodEnd: bigint, blockTime: bigint): bigint => votingPeriodEnd - blockTime;
