import { LazyChart } from '../../components/charts/LazyChart.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { requiredWeight } from '../../format/tally.ts';
import { type ProposalData, totalOf, type VoteData } from './shape.ts';

const options = [
  { option: 'VOTE_OPTION_YES', name: 'Yes', tone: 'yes', isFilled: true },
  { option: 'VOTE_OPTION_NO', name: 'No', tone: 'no', isFilled: false },
  { option: 'VOTE_OPTION_ABSTAIN', name: 'Abstain', tone: 'abstain', isFilled: false },
  { option: 'VOTE_OPTION_NO_WITH_VETO', name: 'No with veto', tone: 'veto', isFilled: false },
] as const;

/** The weight of an option after each vote, beginning with none. Votes of those who left the group do not count. */
function sumsOf(votes: readonly VoteData[], option: string): number[] {
  const sums = [0];
  for (const vote of votes) sums.push((sums.at(-1) ?? 0) + (vote.option === option ? Number(vote.member?.weight ?? 0) : 0));
  return sums;
}

/** The tally after each vote, from the votes that the chain has. It has none once the tally is final. `now` is the time of the shown block. */
export function TallyOverTime({ of, now }: { readonly of: ProposalData; readonly now: string | undefined }) {
  const votes = (of.votes?.nodes ?? []).toSorted((one, other) => Date.parse(one.submitTime) - Date.parse(other.submitTime));
  const total = totalOf(of);
  const rule = of.groupPolicy?.decisionPolicy;
  const required = rule === undefined || total === undefined ? undefined : requiredWeight(rule, total);
  const end = Math.min(Date.parse(now ?? of.votingPeriodEnd), Date.parse(of.votingPeriodEnd));
  const times = [Date.parse(of.submitTime), ...votes.map(({ submitTime }) => Date.parse(submitTime))];
  const isShown = votes.length > 0;
  // The last values hold until the shown block. It is rounded, so that the chart is not drawn again at each block.
  const last = Math.max(times.at(-1) ?? 0, Math.floor(end / 30_000) * 30_000);
  const series = options
    .filter(({ option }) => votes.some((vote) => vote.option === option))
    .map(({ option, ...rest }) => {
      const sums = sumsOf(votes, option);
      return { ...rest, isStepped: true, values: [...sums, sums.at(-1) ?? 0] };
    });
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
      {isShown ? (
        <LazyChart
          name={`The tally after each of ${votes.length} votes`}
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
        <Empty>
          {of.status === 'PROPOSAL_STATUS_SUBMITTED'
            ? 'Nobody has voted yet.'
            : 'The chain deletes the votes once the tally is final.'}
        </Empty>
      )}
    </Card>
  );
}
