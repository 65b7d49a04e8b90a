import Big from 'big.js';
import type { Counts } from '../../format/tally.ts';
import type { ProposalView } from './shape.ts';

/** A tally over time: the steps of a chart. */
export interface TallySteps {
  /** In ms, ascending. */
  readonly times: readonly number[];
  /** The tally from each time on; null where it is not known. */
  readonly tallies: readonly (Counts | null)[];
  /** The time within which votes were cast that are not known. */
  readonly gap?: { readonly from: number; readonly to: number };
}

const options = ['yesCount', 'noCount', 'abstainCount', 'noWithVetoCount'] as const;
const none: Counts = { yesCount: '0', noCount: '0', abstainCount: '0', noWithVetoCount: '0' };

const isEqual = (one: Counts, other: Counts): boolean => options.every((name) => new Big(one[name]).eq(other[name]));

/**
 * The tally after each vote, at the times of the votes, up to `end` (ms). If the known votes do not add up to the tally, what is between the last of them
 * and the end is not known.
 */
export function tallySteps(
  { submitTime, tally }: Pick<ProposalView, 'submitTime' | 'tally'>,
  history: readonly { readonly time: string; readonly tally: Counts }[],
  end: number,
): TallySteps {
  const times = [Date.parse(submitTime), ...history.map(({ time }) => Date.parse(time))];
  const tallies = [none, ...history.map(({ tally: step }) => step)];
  const from = times.at(-1) ?? end;
  const to = Math.max(from, end);
  const last = tallies.at(-1) ?? none;
  if (tally === null || isEqual(last, tally)) return { times: [...times, to], tallies: [...tallies, last] };
  return { times: [...times, from + 1, to], tallies: [...tallies, null, tally], gap: { from, to } };
}
