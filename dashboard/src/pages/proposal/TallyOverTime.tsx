import { LazyChart } from '../../components/charts/LazyChart.tsx';
import { NoArchive } from '../../components/governance/NoArchive.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { requiredWeight } from '../../format/tally.ts';
import type { ProposalView } from './shape.ts';

const options = [
  { count: 'yesCount', name: 'Yes', tone: 'yes', isFilled: true },
  { count: 'noCount', name: 'No', tone: 'no', isFilled: false },
  { count: 'abstainCount', name: 'Abstain', tone: 'abstain', isFilled: false },
  { count: 'noWithVetoCount', name: 'No with veto', tone: 'veto', isFilled: false },
] as const;

/** The tally after each vote. `now` is the time of the shown block. */
export function TallyOverTime({ of, now }: { readonly of: ProposalView; readonly now: string | undefined }) {
  const { history, rule, totalWeight, isOpen, submitTime, votingPeriodEnd, record } = of;
  const required = rule === undefined || totalWeight === undefined ? undefined : requiredWeight(rule, totalWeight);
  const closed = record?.closed?.time ?? votingPeriodEnd;
  const end = Math.min(Date.parse(isOpen ? (now ?? votingPeriodEnd) : closed), Date.parse(votingPeriodEnd));
  const times = [Date.parse(submitTime), ...history.map(({ time }) => Date.parse(time))];
  // The last values hold until the shown block. It is rounded, so that the chart is not drawn again at each block.
  const last = Math.max(times.at(-1) ?? 0, isOpen ? Math.floor(end / 30_000) * 30_000 : end);
  const series = options
    .map(({ count, ...rest }) => {
      const sums = [0, ...history.map(({ tally }) => Number(tally[count]))];
      return { ...rest, isStepped: true, values: [...sums, sums.at(-1) ?? 0] };
    })
    .filter(({ values }) => values.some((value) => value > 0));
  return (
    <Card
      title="Tally over time"
      aside={
        <span class="legend inline" aria-hidden="true">
          {series.map(({ name, tone }) => (
            <span key={name} data-option={tone}>
              {name}
            </span>
          ))}
        </span>
      }
    >
      {history.length > 0 ? (
        <LazyChart
          name={`The tally after each of ${history.length} votes`}
          times={[...times, last]}
          top={Number(required ?? 0) * 1.1}
          series={[
            ...series,
            ...(required === undefined
              ? []
              : [{ name: 'Required', tone: 'muted', isDashed: true, values: [...times, last].map(() => Number(required)) }]),
          ]}
        />
      ) : (
        <>
          <Empty>
            {isOpen ? 'Nobody has voted yet.' : 'No votes are known. The chain deletes them once the tally is final.'}
          </Empty>
          <NoArchive />
        </>
      )}
    </Card>
  );
}
