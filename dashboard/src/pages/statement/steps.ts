import { displayUnits } from '../../format/units.ts';
import type { AccountStatementQuery } from '../../gen/graphql.ts';

/** The statement of the API. */
export type StatementData = NonNullable<NonNullable<AccountStatementQuery['account']>['statement']>;

/** The changes of the balance in one denom. */
export type DenomData = StatementData['denoms'][number];

/** One change of one balance. */
export type LineData = DenomData['lines'][number];

/** The parts of a statement of a denom that a chart shows. */
type Changes = Omit<DenomData, 'lines'> & {
  readonly lines: readonly Pick<LineData, 'balance' | 'time'>[];
};

/** A balance over time: the steps of a chart, in display units. */
export interface BalanceSteps {
  /** In ms, ascending. */
  readonly times: readonly number[];
  /** The balance from each time on; null where it is not known. */
  readonly values: readonly (number | null)[];
  /** The time within which something changed that no event explains. */
  readonly gap?: { readonly from: number; readonly to: number };
}

/**
 * The balance of a denom over the time of a statement. Something that no event explains happened before the first known movement, if the movements begin later
 * than the statement, and else at an unknown time: the gap is then before or after the known movements.
 */
export function balanceSteps(
  { fromTime, toTime, from, completeFrom }: Pick<StatementData, 'fromTime' | 'toTime' | 'from' | 'completeFrom'>,
  { opening, closing, unexplained, display, lines }: Changes,
): BalanceSteps {
  const inUnits = (amount: bigint): number => Number(displayUnits(amount.toString(), { display }));
  const [start, end] = [Date.parse(fromTime), Date.parse(toTime)];
  const isLate = unexplained !== '0' && BigInt(completeFrom) > BigInt(from) + 1n;
  const offset = isLate ? BigInt(unexplained) : 0n;
  const changes = lines.flatMap(({ time, balance }) =>
    time === null ? [] : [[Date.parse(time), BigInt(balance) + offset] as const],
  );
  // Several changes in one block are one step.
  const steps = new Map(changes);
  const times = [...steps.keys()];
  const values = [...steps.values()].map(inUnits);
  const [first, last] = [inUnits(BigInt(opening)), inUnits(BigInt(closing))];
  if (unexplained === '0') return { times: [start, ...times, end], values: [first, ...values, last] };
  if (isLate) {
    const to = times[0] ?? end;
    return { times: [start, start + 1, ...times, end], values: [first, null, ...values, last], gap: { from: start, to } };
  }
  const lastTime = times.at(-1) ?? start;
  return {
    times: [start, ...times, lastTime + 1, end],
    values: [first, ...values, null, last],
    gap: { from: lastTime, to: end },
  };
}
