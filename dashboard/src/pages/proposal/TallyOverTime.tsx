import { LazyChart } from '../../components/charts/LazyChart.tsx';
import { NoArchive } from '../../components/governance/NoArchive.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Time } from '../../components/Time.tsx';
import { countOf } from '../../format/numbers.ts';
import { requiredWeight } from '../../format/tally.ts';
import { texts } from '../../language/language.ts';
import type { ProposalView } from './shape.ts';
import { tallySteps } from './tallySteps.ts';

const options = [
  { count: 'yesCount', key: 'yes', tone: 'yes', isFilled: true },
  { count: 'noCount', key: 'no', tone: 'no', isFilled: false },
  { count: 'abstainCount', key: 'abstain', tone: 'abstain', isFilled: false },
  { count: 'noWithVetoCount', key: 'veto', tone: 'veto', isFilled: false },
] as const;

/** Why there is no chart. */
const noHistory = ({ history, isOpen, voteCount, record }: ProposalView): string => {
  if (history !== undefined)
    return isOpen ? texts.value.proposal.noneVoted : 'No votes are known. The chain deletes them once the tally is final.';
  if (isOpen && record === null) return `It has ${countOf(voteCount, 'vote')}, more than the page reads.`;
  return record === null || voteCount === '0'
    ? 'No votes are known. The chain deletes them once the tally is final.'
    : 'The weights of its votes are not known.';
};

/** The tally after each vote, at the time of the vote. `now` is the time of the shown block. */
export function TallyOverTime({ of, now }: { readonly of: ProposalView; readonly now: string | undefined }) {
  const { history, rule, totalWeight, isOpen, votingPeriodEnd, record } = of;
  const required = rule === undefined || totalWeight === undefined ? undefined : requiredWeight(rule, totalWeight);
  const closed = record?.closed?.time ?? votingPeriodEnd;
  const end = Math.min(Date.parse(isOpen ? (now ?? votingPeriodEnd) : closed), Date.parse(votingPeriodEnd));
  // The last values hold until the shown block. It is rounded, so that the chart is not drawn again at each block.
  const { times, tallies, gap } = tallySteps(of, history ?? [], isOpen ? Math.floor(end / 30_000) * 30_000 : end);
  const series = options
    .map(({ count, key, ...rest }) => ({
      ...rest,
      name: texts.value.proposal[key],
      isStepped: true,
      values: tallies.map((tally) => (tally === null ? null : Number(tally[count]))),
    }))
    .filter(({ values }) => values.some((value) => value !== null && value > 0));
  return (
    <Card
      title={texts.value.proposal.overTime}
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
      {history !== undefined && history.length > 0 ? (
        <>
          <LazyChart
            name={`The tally after each of ${history.length} votes`}
            times={times}
            top={Number(required ?? 0) * 1.1}
            gap={gap}
            series={[
              ...series,
              ...(required === undefined
                ? []
                : [
                    {
                      name: texts.value.proposal.required,
                      tone: 'muted',
                      isDashed: true,
                      values: times.map(() => Number(required)),
                    },
                  ]),
            ]}
          />
          {gap === undefined ? null : (
            <p class="note">
              Votes after <Time of={new Date(gap.from).toISOString()} isExact /> are not known: this server has not recorded
              them.
            </p>
          )}
        </>
      ) : (
        <>
          <Empty>{noHistory(of)}</Empty>
          <NoArchive />
        </>
      )}
    </Card>
  );
}
