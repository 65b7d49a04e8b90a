import { TransactionHash } from '../../components/Address.tsx';
import { Badge, Tag } from '../../components/Badge.tsx';
import { FromArchive } from '../../components/governance/FromArchive.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { VoteOptions } from '../../components/governance/VoteOptions.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Partial } from '../../components/page/Partial.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { useRead } from '../../data/useRead.ts';
import { count } from '../../format/numbers.ts';
import { AccountGovRecordsDocument } from '../../gen/graphql.ts';
import { parameters, urlOf } from '../../routing/router.ts';

/**
 * The votes that an account has cast on proposals of the governance module, from the archive, read at the height at which the account last changed. Nothing if it
 * has cast none, and without an archive.
 */
export function GovVoteRecords({ address, height }: { readonly address: string; readonly height: bigint | undefined }) {
  const cast = parameters.value.get('govCast');
  const { data, partial } = useRead(AccountGovRecordsDocument, { address, cast }, height);
  const votes = data?.account?.govVoteRecords;
  if (!votes || (votes.nodes.length === 0 && cast === null)) return null;
  return (
    <Card
      title="Votes cast in the governance of the chain"
      aside={<span class="muted num">{votes.totalCount ? count(votes.totalCount) : ''}</span>}
    >
      {votes.nodes.length === 0 ? <Empty>There are no more.</Empty> : null}
      {votes.nodes.length === 0 ? null : (
        <Table
          name="Votes cast in the governance of the chain, newest first"
          rows={votes.nodes}
          keyOf={({ proposalId, round, at }) => [proposalId, round, at.height, at.hash].join(' ')}
          columns={[
            {
              name: 'Proposal',
              class: 'fill',
              cell: ({ proposalId, record }) => (
                <a href={urlOf(`/gov/${proposalId}`)}>{titleOf({ id: proposalId, title: record?.title ?? '' })}</a>
              ),
            },
            {
              name: 'Vote',
              cell: ({ options, replaced }) => (
                <>
                  <VoteOptions of={options} /> {replaced ? <Tag>Replaced</Tag> : null}
                </>
              ),
            },
            {
              name: 'Proposal is',
              class: 'wide',
              cell: ({ record }) => (record === null ? '–' : <Badge of={`PROPOSAL_STATUS_${record.status}`} />),
            },
            { name: 'Time', class: 'num', cell: ({ at }) => (at.time === null ? '–' : <Time of={at.time} />) },
            {
              name: 'Transaction',
              class: 'wide',
              cell: ({ at }) => (at.hash === null ? '–' : <TransactionHash of={at.hash} />),
            },
          ]}
        />
      )}
      <Pager info={votes.pageInfo} name="govCast" />
      <FromArchive what="These votes are" />
      <Partial errors={partial} />
    </Card>
  );
}
