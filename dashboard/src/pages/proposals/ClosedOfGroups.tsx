import { Badge } from '../../components/Badge.tsx';
import { NoArchive } from '../../components/governance/NoArchive.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { TallyBar } from '../../components/governance/TallyBar.tsx';
import { ListAside } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Partial } from '../../components/page/Partial.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { archive } from '../../data/nodes.ts';
import { useRead } from '../../data/useRead.ts';
import { ClosedOfGroupsDocument } from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { parameters, urlOf } from '../../routing/router.ts';

/** The closed proposals of all groups from the archive, newest first. The chain deletes them. */
export function ClosedOfGroups({ height }: { readonly height: bigint | undefined }) {
  const { data, partial } = useRead(ClosedOfGroupsDocument, { after: parameters.value.get('closed') }, height);
  const records = data?.proposalRecords;
  return (
    <Card
      title={governanceTexts.value.lists.closedOfGroups}
      aside={<ListAside name={governanceTexts.value.lists.closedOfGroups} list="closedProposals" shown={records} />}
    >
      <NoArchive />
      {archive.value === null ? null : <Partial errors={partial} />}
      {records?.nodes.length === 0 ? <Empty>{governanceTexts.value.group.archiveNone}</Empty> : null}
      {!records || records.nodes.length === 0 ? null : (
        <>
          <Table
            name={governanceTexts.value.lists.closedNewest}
            rows={records.nodes}
            keyOf={({ id }) => id}
            columns={[
              {
                name: texts.value.words.proposal,
                class: 'fill',
                cell: (record) => (
                  <>
                    <span class="muted num">#{record.id}</span> <a href={urlOf(`/proposals/${record.id}`)}>{titleOf(record)}</a>
                  </>
                ),
              },
              { name: texts.value.words.status, cell: ({ status }) => <Badge of={status} /> },
              {
                name: texts.value.proposal.votes,
                class: 'wide',
                cell: ({ tally, totalWeight, decisionPolicy }) =>
                  tally === null ? (
                    '–'
                  ) : (
                    <TallyBar
                      counts={tally}
                      totalWeight={totalWeight ?? '0'}
                      rule={totalWeight === null ? undefined : (decisionPolicy ?? undefined)}
                      isOpen={false}
                    />
                  ),
              },
              {
                name: texts.value.words.closed,
                class: 'num wide',
                cell: ({ closed }) => (closed === null ? '–' : <Time of={closed.time} />),
              },
            ]}
          />
          <Pager info={records.pageInfo} name="closed" />
        </>
      )}
    </Card>
  );
}
