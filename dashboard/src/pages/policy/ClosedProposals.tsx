import { NoArchive } from '../../components/governance/NoArchive.tsx';
import { RecordCard } from '../../components/governance/RecordCard.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Empty } from '../../components/page/Card.tsx';
import { Partial } from '../../components/page/Partial.tsx';
import type { ReadState } from '../../data/useRead.ts';
import { count } from '../../format/numbers.ts';
import type { PolicyRecordsQuery } from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';

/** The read of the closed proposals of a policy. */
export type ClosedRead = ReadState<PolicyRecordsQuery>;

/** The closed proposals of a policy from the archive, newest first, also those that the chain has deleted. */
export function ClosedProposals({ read, title }: { readonly read: ClosedRead; readonly title: string }) {
  const { data, partial } = read;
  const records = data?.proposalRecords;
  if (!records)
    return (
      <>
        <NoArchive />
        <Partial errors={partial} />
      </>
    );
  return (
    <section class="board-section" aria-label={title}>
      <h2>
        {title} <span class="muted num">{count(records.totalCount ?? records.nodes.length)}</span>
      </h2>
      {records.nodes.length === 0 ? <Empty>{governanceTexts.value.policy.archiveNoSuch}</Empty> : null}
      <div class="proposal-grid">
        {records.nodes.map((record) => (
          <RecordCard key={record.id} of={record} />
        ))}
      </div>
      <Pager info={records.pageInfo} name="closed" />
      <Partial errors={partial} />
    </section>
  );
}
