import { Address } from '../../components/Address.tsx';
import { Amount } from '../../components/Amount.tsx';
import { VoteOptions } from '../../components/governance/VoteOptions.tsx';
import { SaveList } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { ValidatorLink } from '../../components/ValidatorLink.tsx';
import { count, percent } from '../../format/numbers.ts';
import { percentOf } from '../../format/tally.ts';
import { govTexts } from '../../language/gov/texts.ts';
import { texts } from '../../language/language.ts';
import type { GovProposalData } from './shape.ts';

/** Why a list of votes is empty. */
function noVotes(status: string): string {
  return status === 'PROPOSAL_STATUS_VOTING_PERIOD' ? texts.value.proposal.noneVoted : govTexts.value.votesDeleted;
}

/** The votes, and the validators that have not voted while voting goes on. Nothing before. */
export function GovVotes({ of }: { readonly of: GovProposalData }) {
  const { id, votes, pendingValidators: pending, status, outcome } = of;
  if (status === 'PROPOSAL_STATUS_DEPOSIT_PERIOD') return null;
  const isOpen = status === 'PROPOSAL_STATUS_VOTING_PERIOD';
  const missing = (pending ?? []).flatMap((validator) => validator ?? []);
  return (
    <div class={isOpen ? 'grid two' : 'grid'}>
      <Card
        title={texts.value.proposal.votes}
        aside={
          <>
            {votes?.nodes.length ? <SaveList name={texts.value.proposal.votes} list="govVotes" of={id} /> : null}
            <span class="muted num">{votes?.nodes.length ? count(votes.totalCount ?? '') : ''}</span>
          </>
        }
      >
        {votes === null ? <Unread /> : null}
        {votes?.nodes.length === 0 ? <Empty>{noVotes(status)}</Empty> : null}
        {votes === null || votes.nodes.length === 0 ? null : (
          <>
            <Table
              name={govTexts.value.votesByAddress}
              rows={votes.nodes}
              keyOf={({ voter }) => voter.address}
              columns={[
                {
                  name: govTexts.value.voter,
                  class: 'fill',
                  cell: ({ voter }) => (
                    <>
                      <Address of={voter.address} />
                      {voter.validator === null ? null : (
                        <p class="small">
                          {texts.value.words.validator} <ValidatorLink of={voter.validator} />
                        </p>
                      )}
                    </>
                  ),
                },
                { name: texts.value.words.vote, cell: ({ options }) => <VoteOptions of={options} /> },
              ]}
            />
            <Pager info={votes.pageInfo} name="votes" />
          </>
        )}
        {isOpen ? <p class="note">{govTexts.value.validatorVotes}</p> : null}
      </Card>
      {isOpen ? (
        <Card title={govTexts.value.notVoted} aside={<span class="muted num">{pending === null ? '' : missing.length}</span>}>
          {pending === null ? <Unread /> : null}
          {pending !== null && missing.length === 0 ? <Empty>{govTexts.value.allVoted}</Empty> : null}
          {missing.length === 0 ? null : (
            <Table
              name={govTexts.value.notVotedByStake}
              rows={missing}
              keyOf={({ address }) => address}
              columns={[
                { name: texts.value.words.validator, class: 'fill', cell: (validator) => <ValidatorLink of={validator} /> },
                {
                  name: texts.value.words.stake,
                  class: 'num',
                  cell: ({ tokens }) => (
                    <>
                      {tokens === null ? '–' : <Amount of={tokens} isPlain />}
                      {tokens === null || outcome === null ? null : (
                        <span class="block small muted">{percent(percentOf(tokens.amount, outcome.bondedTokens))}</span>
                      )}
                    </>
                  ),
                },
              ]}
            />
          )}
        </Card>
      ) : null}
    </div>
  );
}
