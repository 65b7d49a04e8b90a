import { TransactionHash } from '../../components/Address.tsx';
import { Badge, Tag } from '../../components/Badge.tsx';
import { FromArchive } from '../../components/governance/FromArchive.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { VoteOptions } from '../../components/governance/VoteOptions.tsx';
import { ListAside } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Partial } from '../../components/page/Partial.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { useRead } from '../../data/useRead.ts';
import { AccountGovRecordsDocument } from '../../gen/graphql.ts';
import { accountsTexts } from '../../language/accounts/texts.ts';
import { texts } from '../../language/language.ts';
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
      title={accountsTexts.value.votes.govCast}
      aside={<ListAside shown={votes} name={accountsTexts.value.votes.govCastTable} list="govCastVotes" of={address} />}
    >
      {votes.nodes.length === 0 ? <Empty>{accountsTexts.value.votes.noMore}</Empty> : null}
      {votes.nodes.length === 0 ? null : (
        <Table
          name={accountsTexts.value.votes.govCastTable}
          rows={votes.nodes}
          keyOf={({ proposalId, round, at }) => [proposalId, round, at.height, at.hash].join(' ')}
          columns={[
            {
              name: texts.value.words.proposal,
              class: 'fill',
              cell: ({ proposalId, record }) => (
                <a href={urlOf(`/gov/${proposalId}`)}>{titleOf({ id: proposalId, title: record?.title ?? '' })}</a>
              ),
            },
            {
              name: texts.value.words.vote,
              cell: ({ options, replaced }) => (
                <>
                  <VoteOptions of={options} /> {replaced ? <Tag>{texts.value.words.replaced}</Tag> : null}
                </>
              ),
            },
            {
              name: accountsTexts.value.votes.proposalIs,
              class: 'wide',
              cell: ({ record }) => (record === null ? '–' : <Badge of={`PROPOSAL_STATUS_${record.status}`} />),
            },
            { name: texts.value.words.time, class: 'num', cell: ({ at }) => (at.time === null ? '–' : <Time of={at.time} />) },
            {
              name: texts.value.words.transaction,
              class: 'wide',
              cell: ({ at }) => (at.hash === null ? '–' : <TransactionHash of={at.hash} />),
            },
          ]}
        />
      )}
      <Pager info={votes.pageInfo} name="govCast" />
      <FromArchive what={accountsTexts.value.votes.theseAre} />
      <Partial errors={partial} />
    </Card>
  );
}
