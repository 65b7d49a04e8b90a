import { Badge, Tag } from '../../components/Badge.tsx';
import { GovTallyBar } from '../../components/governance/GovTallyBar.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { ListAside } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import type { ProposalsQuery } from '../../gen/graphql.ts';
import { govTexts } from '../../language/gov/texts.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { urlOf } from '../../routing/router.ts';

/** Every proposal of the governance module that the chain has, newest first. */
export function GovList({ of }: { readonly of: NonNullable<ProposalsQuery['govProposals']> | null }) {
  return (
    <Card
      title={texts.value.words.chainGovernance}
      aside={<ListAside name={texts.value.words.chainGovernance} list="govProposals" shown={of} />}
    >
      {of === null ? <Unread /> : null}
      {of?.nodes.length === 0 ? <Empty>{governanceTexts.value.lists.noProposals}</Empty> : null}
      {of === null || of.nodes.length === 0 ? null : (
        <>
          <Table
            name={governanceTexts.value.lists.govNewest}
            rows={of.nodes}
            keyOf={({ id }) => id}
            columns={[
              {
                name: texts.value.words.proposal,
                class: 'fill',
                cell: (proposal) => (
                  <>
                    <span class="muted num">#{proposal.id}</span> <a href={urlOf(`/gov/${proposal.id}`)}>{titleOf(proposal)}</a>{' '}
                    {proposal.expedited ? <Tag tone="warn">{texts.value.proposal.expedited}</Tag> : null}
                  </>
                ),
              },
              { name: texts.value.words.status, cell: ({ status }) => <Badge of={status} /> },
              {
                name: texts.value.proposal.votes,
                class: 'wide',
                cell: ({ tally }) => (tally === null ? '–' : <GovTallyBar counts={tally} rules={null} />),
              },
              {
                name: govTexts.value.votingEnds,
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
