import { decimal, decimalText, isDecimal } from '../reads/decimal.ts';
import type { RecordedTally } from './facts.ts';
import type { ProposalRecord, TallyPoint, VoteRecord } from './records.ts';

/** The name of the count of each option, by the number of `cosmos.group.v1.VoteOption`. */
const counts: readonly (keyof RecordedTally | undefined)[] = [
  undefined,
  'yesCount',
  'abstainCount',
  'noCount',
  'noWithVetoCount',
];

/** The number of votes with the same option and the same weight. */
export interface EqualVotes extends Pick<VoteRecord, 'option' | 'weight'> {
  readonly votes: bigint;
}

/** The tally of no votes. */
const emptyTally: RecordedTally = { yesCount: '0', abstainCount: '0', noCount: '0', noWithVetoCount: '0' };

/** The tally with one more vote. A vote without a weight or with an unknown option does not count. */
function withVote(tally: RecordedTally, { option, weight }: Pick<VoteRecord, 'option' | 'weight'>): RecordedTally {
  const count = counts[option];
  if (count === undefined || weight === null || !isDecimal(weight)) return tally;
  return { ...tally, [count]: decimalText(decimal(tally[count]).plus(decimal(weight))) };
}

/** The sum of the weights of the votes by option. */
export function tallyOf(votes: readonly Pick<VoteRecord, 'option' | 'weight'>[]): RecordedTally {
  return votes.reduce(withVote, emptyTally);
}

/** The same for votes that are counted by option and weight. */
export function tallyOfWeights(groups: readonly EqualVotes[]): RecordedTally {
  return tallyOf(
    groups.map(({ option, weight, votes }) => ({
      option,
      weight: weight === null || !isDecimal(weight) ? null : decimalText(decimal(weight).times(decimal(votes.toString()))),
    })),
  );
}

/** The tally after each vote, from votes that are added in the order in which they were cast. */
export interface TallyHistory {
  add(votes: readonly VoteRecord[]): void;
  /**
   * At most `most` points, thinned evenly, with the first and the last one. If the chain has counted votes whose voters are not known, the last point is the
   * close with the final tally.
   */
  points(record: Pick<ProposalRecord, 'close' | 'hasUnknownVotes'>, most: number): readonly TallyPoint[];
}

/** Creates the history of no votes. */
export function createTallyHistory(): TallyHistory {
  let tally = emptyTally;
  const points: TallyPoint[] = [];
  return {
    add(votes) {
      for (const vote of votes) {
        tally = withVote(tally, vote);
        points.push({ at: vote.at, tally });
      }
    },
    points({ close, hasUnknownVotes }, most) {
      const isLastClose = hasUnknownVotes && close?.tally != null && close.at.time !== null;
      const all = isLastClose ? [...points, { at: close.at, tally: close.tally }] : points;
      if (all.length <= most) return all;
      const step = (all.length - 1) / (most - 1);
      return Array.from({ length: most }, (_, index) => all[Math.round(index * step)] ?? []).flat();
    },
  };
}
