import { Tag } from '../../components/Badge.tsx';
import { Countdown } from '../../components/governance/Countdown.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { VoteOptions } from '../../components/governance/VoteOptions.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';
import { urlOf } from '../../routing/router.ts';

interface ValidatorVotesProps {
  /** The open proposals of the governance module. null if they could not be read. */
  readonly proposals: {
    readonly nodes: readonly { readonly id: string; readonly title: string; readonly votingEndTime: string | null }[];
  } | null;
  /** null if they could not be read. */
  readonly votes: {
    readonly nodes: readonly {
      readonly proposalId: string;
      readonly options: readonly { readonly option: string; readonly weight: string }[];
    }[];
  } | null;
}

/** How a validator has voted on each open proposal of the governance module. */
export function ValidatorVotes({ proposals, votes }: ValidatorVotesProps) {
  const byProposal = new Map(votes?.nodes.map(({ proposalId, options }) => [proposalId, options]));
  return (
    <Card title={chainTexts.value.validator.onOpen}>
      {proposals === null || votes === null ? <Unread /> : null}
      {proposals?.nodes.length === 0 ? <Empty>{chainTexts.value.validator.noneOpen}</Empty> : null}
      {proposals === null || votes === null || proposals.nodes.length === 0 ? null : (
        <Table
          name={chainTexts.value.validator.onOpen}
          rows={proposals.nodes}
          keyOf={({ id }) => id}
          columns={[
            {
              name: texts.value.words.proposal,
              class: 'fill',
              cell: (proposal) => (
                <>
                  <span class="muted num">#{proposal.id}</span> <a href={urlOf(`/gov/${proposal.id}`)}>{titleOf(proposal)}</a>
                </>
              ),
            },
            {
              name: texts.value.words.vote,
              cell: ({ id }) => {
                const options = byProposal.get(id);
                return options === undefined ? (
                  <Tag tone="warn">{texts.value.proposal.notVoted}</Tag>
                ) : (
                  <VoteOptions of={options} />
                );
              },
            },
            {
              name: chainTexts.value.validator.timeLeft,
              class: 'num',
              cell: ({ votingEndTime }) => (votingEndTime === null ? '–' : <Countdown until={votingEndTime} />),
            },
          ]}
        />
      )}
    </Card>
  );
}
