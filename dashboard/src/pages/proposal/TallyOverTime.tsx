import { ChartLegend } from '../../components/charts/ChartLegend.tsx';
import { LazyChart } from '../../components/charts/LazyChart.tsx';
import { NoArchive } from '../../components/governance/NoArchive.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Time } from '../../components/Time.tsx';
import { count, countOf } from '../../format/numbers.ts';
import { requiredWeight } from '../../format/tally.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
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
  if (history !== undefined) return isOpen ? texts.value.proposal.noneVoted : governanceTexts.value.proposal.votesUnknown;
  if (isOpen && record === null)
    return governanceTexts.value.proposal.tooManyVotes(countOf(voteCount, texts.value.counts.votes));
  return record === null || voteCount === '0'
    ? governanceTexts.value.proposal.votesUnknown
    : governanceTexts.value.proposal.weightsUnknown;
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
    <Card title={texts.value.proposal.overTime} aside={<ChartLegend of={series} />}>
      {history !== undefined && history.length > 0 ? (
        <>
          <LazyChart
            name={governanceTexts.value.proposal.afterEach(count(history.length))}
            times={times}
            top={Number(required ?? 0) * 1.1}
            gaps={gap && [gap]}
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
              {governanceTexts.value.proposal.votesAfter} <Time of={new Date(gap.from).toISOString()} isExact />{' '}
              {governanceTexts.value.proposal.afterUnknown}
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
