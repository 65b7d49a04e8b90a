import Big from 'big.js';
import type { Gap } from '../../components/charts/chartProps.ts';
import { votedPercent } from '../../format/tally.ts';
import type { GroupTurnoutQuery, MemberTurnoutQuery } from './gen/graphql.ts';

type Closed = NonNullable<GroupTurnoutQuery['proposalRecords']>['nodes'][number];

/** The turnout of a closed proposal, in percent. null where it is not known. */
export interface Turnout {
  readonly id: string;
  readonly title: string;
  /** The time of the submission, in ms. */
  readonly time: number;
  /** Of the weight of the group. */
  readonly weight: number | null;
  /** Of its members. */
  readonly members: number | null;
}

/** The turnouts of closed proposals, the earliest first, and how many have none. */
export interface Turnouts {
  readonly points: readonly Turnout[];
  /** Those without a tally: withdrawn or aborted. */
  readonly noTally: number;
}

/** Proposals by id: later ones were submitted later. */
const byId = (one: { readonly id: string }, other: { readonly id: string }): number =>
  BigInt(one.id) < BigInt(other.id) ? -1 : 1;

/** A number of a chart: a percentage with at most two decimals. */
const rounded = (percent: Big): number => percent.round(2, Big.roundHalfUp).toNumber();

/** In percent. null for a share of nothing. */
const share = (part: number, whole: number): number | null =>
  whole === 0 ? null : rounded(new Big(part).div(whole).times(100));

function membersVoted({ members, voters, complete }: Closed): number | null {
  const [all, voted] = [members?.totalCount, voters?.totalCount];
  return !complete || all == null || voted == null ? null : share(Number(voted), Number(all));
}

/** The turnouts of proposals that were read. */
export function turnoutsOf(proposals: readonly Closed[]): Turnouts {
  const withTally = proposals.filter(({ tally }) => tally !== null);
  const points = withTally.toSorted(byId).map((proposal): Turnout => {
    const { id, title, submitTime, tally, totalWeight } = proposal;
    const isKnown = tally !== null && totalWeight !== null && new Big(totalWeight).gt(0);
    return {
      ...{ id, title, time: Date.parse(submitTime), members: membersVoted(proposal) },
      weight: isKnown ? rounded(new Big(votedPercent(tally, totalWeight))) : null,
    };
  });
  return { points, noTally: proposals.length - withTally.length };
}

/** A proposal that a member could vote on. */
export interface Chance {
  readonly id: string;
  readonly title: string;
  /** The time of the submission, in ms. */
  readonly time: number;
  readonly hasVoted: boolean;
  /** The share of these proposals up to this one that it voted on, in percent. */
  readonly share: number;
}

/**
 * The last `most` proposals of a group that a member could vote on, the earliest first. A vote that did not count is left out.
 */
export function chancesOf({ voted, missed }: MemberTurnoutQuery, most: number): readonly Chance[] {
  const countedVotes = (voted?.nodes ?? []).filter(({ vote }) => vote?.weight != null);
  const all = [
    ...countedVotes.map((proposal) => ({ ...proposal, hasVoted: true })),
    ...(missed?.nodes ?? []).map((proposal) => ({ ...proposal, hasVoted: false })),
  ]
    // Both lists are the newest ones, so the newest of both are known.
    .toSorted(byId)
    .slice(-most);
  let votes = 0;
  return all.map((proposal, index) => {
    if (proposal.hasVoted) votes += 1;
    const { id, title, submitTime, hasVoted } = proposal;
    return { id, title, time: Date.parse(submitTime), hasVoted, share: share(votes, index + 1) ?? 0 };
  });
}

/** Times that ascend: of proposals of one block, each is a millisecond after the one before. */
export function ascending(times: readonly number[]): readonly number[] {
  let last = -1;
  return times.map((time) => {
    last = Math.max(time, last + 1);
    return last;
  });
}

/** Where values are not known: from the last known one before to the first known one after, or to the end. */
export function gapsOf(times: readonly number[], values: readonly (number | null)[]): readonly Gap[] {
  const gaps: Gap[] = [];
  for (const [index, time] of times.entries()) {
    if (values[index] !== null) continue;
    const to = times[index + 1] ?? time;
    const before = gaps.at(-1);
    if (index > 0 && values[index - 1] === null && before !== undefined) gaps[gaps.length - 1] = { ...before, to };
    else gaps.push({ from: times[index - 1] ?? time, to });
  }
  return gaps;
}
