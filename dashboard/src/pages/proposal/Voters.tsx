import { Address, TransactionHash } from '../../components/Address.tsx';
import { Badge, Tag } from '../../components/Badge.tsx';
import { NoArchive } from '../../components/governance/NoArchive.tsx';
import { SaveList } from '../../components/lists/SaveButtons.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { count, percent } from '../../format/numbers.ts';
import { decidesBy } from '../../format/tally.ts';
import { texts } from '../../language/language.ts';
import type { PendingView, ProposalView, VoteView } from './shape.ts';

const weightOf = (weight: string, share: string | null) => (
  <>
    {count(weight)}
    {share === null ? null : <span class="wide"> ({percent(share)})</span>}
  </>
);

/** Why a list of votes is empty. */
const noVotes = ({ isOpen, record }: ProposalView): string => {
  if (isOpen) return texts.value.proposal.noneVoted;
  return record === null ? texts.value.proposal.votesDeleted : texts.value.proposal.nobodyVoted;
};

/** Why the list of those who have not voted is empty. */
const noneMissing = ({ isOpen, pendingCount }: ProposalView): string => {
  if (pendingCount === undefined) return isOpen ? texts.value.proposal.membersUnknown : texts.value.proposal.votersUnknown;
  return isOpen ? texts.value.proposal.allHaveVoted : texts.value.proposal.allVoted;
};

/** Who voted, and who has not; and whose vote would decide. */
export function Voters({ of }: { readonly of: ProposalView }) {
  const { id, record, votes, voteCount, pending, pendingCount, outcome, isOpen } = of;
  const deciding = (weight: string) => (outcome === null || !isOpen ? undefined : decidesBy(outcome, weight));
  const someDecide = pending.some(({ weight }) => deciding(weight) !== undefined);
  const hasHashes = votes.some(({ hash }) => hash !== null);
  return (
    <div class="grid two">
      <Card
        title={texts.value.proposal.votes}
        aside={
          <>
            {votes.length === 0 ? null : (
              <SaveList name={texts.value.proposal.votes} list={record === null ? 'votes' : 'recordedVotes'} of={id} />
            )}
            <span class="muted num">{count(voteCount)}</span>
          </>
        }
      >
        {votes.length === 0 ? (
          <Empty>{noVotes(of)}</Empty>
        ) : (
          <Table
            name={texts.value.proposal.votes}
            rows={votes}
            keyOf={({ address }) => address}
            columns={[
              {
                name: texts.value.proposal.voter,
                class: 'fill',
                cell: ({ address, name }) => <Address of={address} name={name} />,
              },
              {
                name: texts.value.proposal.option,
                sort: ({ option }) => option,
                cell: ({ option, time }) => (
                  <>
                    <Badge of={option} />
                    <span class="small muted narrow">
                      <Time of={time} />
                    </span>
                  </>
                ),
              },
              {
                name: texts.value.words.weight,
                class: 'num',
                sort: ({ weight }) => weight,
                cell: ({ weight, share }) =>
                  weight === null ? <span class="muted">{texts.value.proposal.notCounted}</span> : weightOf(weight, share),
              },
              {
                name: texts.value.words.time,
                class: 'num wide',
                sort: ({ time }) => time,
                cell: ({ time }) => <Time of={time} />,
              },
              ...(hasHashes
                ? [
                    {
                      name: texts.value.words.transaction,
                      class: 'wide' as const,
                      cell: ({ hash }: VoteView) => (hash === null ? '–' : <TransactionHash of={hash} />),
                    },
                  ]
                : []),
            ]}
          />
        )}
        {Number(voteCount) > votes.length && votes.length > 0 ? (
          <p class="note">{texts.value.proposal.newestShown(count(votes.length))}</p>
        ) : null}
        {isOpen ? null : <NoArchive />}
      </Card>
      <Card
        title={isOpen ? texts.value.proposal.notVoted : texts.value.proposal.didNotVote}
        aside={<span class="muted num">{count(pendingCount ?? 0)}</span>}
      >
        {pending.length === 0 ? (
          <Empty>{noneMissing(of)}</Empty>
        ) : (
          <Table
            name={isOpen ? texts.value.proposal.notVotedTable : texts.value.proposal.didNotVoteTable}
            rows={pending}
            keyOf={({ address }) => address}
            columns={[
              {
                name: texts.value.words.member,
                class: 'fill',
                cell: ({ address, name }) => <Address of={address} name={name} />,
              },
              {
                name: texts.value.words.weight,
                class: 'num',
                sort: ({ weight }) => weight,
                cell: ({ weight, share }) => weightOf(weight, share),
              },
              ...(someDecide
                ? [
                    {
                      name: texts.value.proposal.wouldDecide,
                      cell: ({ weight }: PendingView) => {
                        const decides = deciding(weight);
                        return decides === undefined ? (
                          <span class="muted">–</span>
                        ) : (
                          <Tag tone={decides === 'rejects' ? 'bad' : 'good'}>{texts.value.proposal[decides]}</Tag>
                        );
                      },
                    },
                  ]
                : []),
            ]}
          />
        )}
        {isOpen && pending.length > 0 && outcome?.decision === 'UNDECIDED' && !someDecide ? (
          <p class="note">{texts.value.proposal.noSingleVote}</p>
        ) : null}
      </Card>
    </div>
  );
}
