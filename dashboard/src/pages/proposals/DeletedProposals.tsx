import { Address } from '../../components/Address.tsx';
import { Badge } from '../../components/Badge.tsx';
import { FromArchive } from '../../components/governance/FromArchive.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { useRead } from '../../data/useRead.ts';
import { count } from '../../format/numbers.ts';
import { DeletedProposalsDocument } from '../../gen/graphql.ts';
import { govTexts } from '../../language/gov/texts.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { parameters, urlOf } from '../../routing/router.ts';

/** The proposals of the governance module that the chain has deleted, from the archive: cancelled ones, and those without their deposit. Nothing if there are none. */
export function DeletedProposals({ height }: { readonly height: bigint | undefined }) {
  const after = parameters.value.get('deleted');
  const { data } = useRead(DeletedProposalsDocument, { after }, height);
  const records = data?.govProposalRecords;
  if (!records || (records.nodes.length === 0 && after === null)) return null;
  return (
    <Card
      title={govTexts.value.deletedByChain}
      aside={<span class="muted num">{records.totalCount ? count(records.totalCount) : ''}</span>}
    >
      <Table
        name={governanceTexts.value.lists.deletedTable}
        rows={records.nodes}
        keyOf={({ id }) => id}
        columns={[
          {
            name: texts.value.words.proposal,
            class: 'fill',
            cell: (record) => (
              <>
                <span class="muted num">#{record.id}</span> <a href={urlOf(`/gov/${record.id}`)}>{titleOf(record)}</a>
              </>
            ),
          },
          { name: governanceTexts.value.lists.why, cell: ({ status }) => <Badge of={`PROPOSAL_STATUS_${status}`} /> },
          {
            name: governanceTexts.value.lists.proposer,
            class: 'wide',
            cell: ({ proposer }) => (proposer === null ? '–' : <Address of={proposer.address} />),
          },
          {
            name: governanceTexts.value.lists.deleted,
            class: 'num',
            cell: ({ decided }) => (decided === null ? '–' : <Time of={decided.time} />),
          },
        ]}
      />
      <Pager info={records.pageInfo} name="deleted" />
      <FromArchive what={governanceTexts.value.lists.theyAre} />
    </Card>
  );
}
