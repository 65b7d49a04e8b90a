import { Badge, Tag } from '../../components/Badge.tsx';
import { GovTallyBar } from '../../components/governance/GovTallyBar.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { count } from '../../format/numbers.ts';
import type { ProposalsQuery } from '../../gen/graphql.ts';
import { urlOf } from '../../routing/router.ts';

/** Every proposal of the governance module that the chain has, newest first. */
export function GovList({ of }: { readonly of: NonNullable<ProposalsQuery['govProposals']> | null }) {
  return (
    <Card title="Governance of the chain" aside={<span class="muted num">{of?.totalCount ? count(of.totalCount) : ''}</span>}>
      {of === null ? <Unread /> : null}
      {of?.nodes.length === 0 ? <Empty>The chain has no proposals.</Empty> : null}
      {of === null || of.nodes.length === 0 ? null : (
        <>
          <Table
            name="Proposals of the governance module, newest first"
            rows={of.nodes}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Proposal',
                class: 'fill',
                cell: (proposal) => (
                  <>
                    <span class="muted num">#{proposal.id}</span> <a href={urlOf(`/gov/${proposal.id}`)}>{titleOf(proposal)}</a>{' '}
                    {proposal.expedited ? <Tag tone="warn">Expedited</Tag> : null}
                  </>
                ),
              },
              { name: 'Status', cell: ({ status }) => <Badge of={status} /> },
              {
                name: 'Votes',
                class: 'wide',
                cell: ({ tally }) => (tally === null ? '–' : <GovTallyBar counts={tally} rules={null} />),
              },
              {
                name: 'Voting ends',
                class: 'num wide',
                cell: ({ votingEndTime }) => (votingEndTime === null ? '–' : <Time of={votingEndTime} />),
              },
            ]}
          />
          <Pager info={of.pageInfo} />
        </>
      )}
    </Card>
  );
}
