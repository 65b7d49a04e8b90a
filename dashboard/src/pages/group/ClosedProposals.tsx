import { RecordCard } from '../../components/governance/RecordCard.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Partial } from '../../components/page/Partial.tsx';
import type { ReadState } from '../../data/useRead.ts';
import { count } from '../../format/numbers.ts';
import type { GroupRecordsQuery } from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';

interface ClosedProposalsProps {
  readonly read: ReadState<GroupRecordsQuery>;
  readonly title: string;
}

/** The newest closed proposals of a group from the archive. Nothing without an archive. */
export function ClosedProposals({ read: { data, partial }, title }: ClosedProposalsProps) {
  const records = data?.proposalRecords;
  // The state of the group may be gone: the page says so.
  const errors = partial.filter(({ path }) => path?.[0] !== 'group');
  if (!records) return <Partial errors={errors} />;
  const { nodes } = records;
  const total = Number(records.totalCount ?? nodes.length);
  return (
    <Card title={title} aside={<span class="muted num">{count(total)}</span>}>
      {nodes.length === 0 ? <Empty>{governanceTexts.value.group.archiveNone}</Empty> : null}
      <div class="proposal-grid">
        {nodes.map((record) => (
          <RecordCard key={record.id} of={record} />
        ))}
      </div>
      {total > nodes.length ? (
        <p class="note">
          {governanceTexts.value.group.theNewest} {nodes.length} {governanceTexts.value.group.boardsHaveAll}
        </p>
      ) : null}
    </Card>
  );
}
