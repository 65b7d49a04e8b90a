import { TransactionHash } from '../../components/Address.tsx';
import { Badge } from '../../components/Badge.tsx';
import { NoArchive } from '../../components/governance/NoArchive.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { ListAside } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Partial } from '../../components/page/Partial.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { archive } from '../../data/nodes.ts';
import { useRead } from '../../data/useRead.ts';
import { AccountRecordsDocument } from '../../gen/graphql.ts';
import { accountsTexts } from '../../language/accounts/texts.ts';
import { texts } from '../../language/language.ts';
import { parameters, urlOf } from '../../routing/router.ts';

const proposalLink = (id: string, title: string | undefined) => (
  <a href={urlOf(`/proposals/${id}`)}>{title === undefined ? texts.value.proposal.named(id) : titleOf({ id, title })}</a>
);

/** The votes that an account has cast and those that it has missed, from the archive, read at the height at which the account last changed. */
export function Votes({ address, height }: { readonly address: string; readonly height: bigint | undefined }) {
  const query = parameters.value;
  const variables = { address, cast: query.get('cast'), missed: query.get('missed') };
  const { data, partial } = useRead(AccountRecordsDocument, variables, height);
  const cast = data?.account?.voteRecords;
  const missed = data?.missed;
  if (archive.value === null)
    return (
      <Card title={accountsTexts.value.votes.castAndMissed}>
        <NoArchive />
      </Card>
    );
  // An account that belongs to no group has neither.
  if (cast?.nodes.length === 0 && missed?.nodes.length === 0 && variables.cast === null && variables.missed === null)
    return null;
  return (
    <div class="grid two">
      <Card
        title={accountsTexts.value.votes.cast}
        aside={<ListAside shown={cast} name={accountsTexts.value.votes.cast} list="castVotes" of={address} />}
      >
        {cast?.nodes.length === 0 ? <Empty>{accountsTexts.value.votes.castNone}</Empty> : null}
        {cast && cast.nodes.length > 0 ? (
          <>
            <Table
              name={accountsTexts.value.votes.cast}
              rows={cast.nodes}
              keyOf={({ proposalId }) => proposalId}
              columns={[
                {
                  name: texts.value.words.proposal,
                  class: 'fill',
                  cell: ({ proposalId, record }) => proposalLink(proposalId, record?.title),
                },
                { name: texts.value.proposal.option, cell: ({ option }) => <Badge of={option} /> },
                {
                  name: accountsTexts.value.votes.proposalIs,
                  class: 'wide',
                  cell: ({ record }) => (record === null ? '–' : <Badge of={record.status} />),
                },
                { name: texts.value.words.time, class: 'num', cell: ({ at }) => <Time of={at.time} /> },
                {
                  name: texts.value.words.transaction,
                  class: 'wide',
                  cell: ({ at }) => (at.hash === null ? '–' : <TransactionHash of={at.hash} />),
                },
              ]}
            />
            <Pager info={cast.pageInfo} name="cast" />
          </>
        ) : null}
        <Partial errors={partial} />
      </Card>
      <Card
        title={accountsTexts.value.votes.missed}
        aside={<ListAside shown={missed} name={accountsTexts.value.votes.missed} list="missedVotes" of={address} />}
      >
        {missed?.nodes.length === 0 ? <Empty>{accountsTexts.value.votes.missedNone}</Empty> : null}
        {missed && missed.nodes.length > 0 ? (
          <>
            <Table
              name={accountsTexts.value.votes.missed}
              rows={missed.nodes}
              keyOf={({ id }) => id}
              columns={[
                { name: texts.value.words.proposal, class: 'fill', cell: ({ id, title }) => proposalLink(id, title) },
                { name: accountsTexts.value.votes.proposalIs, cell: ({ status }) => <Badge of={status} /> },
                {
                  name: texts.value.words.closed,
                  class: 'num',
                  cell: ({ closed }) => (closed === null ? '–' : <Time of={closed.time} />),
                },
              ]}
            />
            <Pager info={missed.pageInfo} name="missed" />
          </>
        ) : null}
      </Card>
    </div>
  );
}
