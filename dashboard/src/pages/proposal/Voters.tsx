import { Address, TransactionHash } from '../../components/Address.tsx';
import { Badge, Tag } from '../../components/Badge.tsx';
import { NoArchive } from '../../components/governance/NoArchive.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { count, percent } from '../../format/numbers.ts';
import { decidesBy } from '../../format/tally.ts';
import type { PendingView, ProposalView, VoteView } from './shape.ts';

const decidingWords = { accepts: 'its yes passes', rejects: 'its no blocks', both: 'decides alone' } as const;

const weightOf = (weight: string, share: string | null) => (
  <>
    {count(weight)}
    {share === null ? null : <span class="wide"> ({percent(share)})</span>}
  </>
);

/** Why a list of votes is empty. */
const noVotes = ({ isOpen, record }: ProposalView): string => {
  if (isOpen) return 'Nobody has voted yet.';
  return record === null ? 'The chain deletes the votes once the tally is final.' : 'Nobody voted.';
};

/** Why the list of those who have not voted is empty. */
const noneMissing = ({ isOpen, pendingCount }: ProposalView): string => {
  if (pendingCount === undefined) return isOpen ? 'The members are not known.' : 'It is not known who could vote.';
  return isOpen ? 'Every member has voted.' : 'Every member voted.';
};

/** Who voted, and who has not; and whose vote would decide. */
export function Voters({ of }: { readonly of: ProposalView }) {
  const { votes, voteCount, pending, pendingCount, outcome, isOpen } = of;
  const deciding = (weight: string) => (outcome === null || !isOpen ? undefined : decidesBy(outcome, weight));
  const someDecide = pending.some(({ weight }) => deciding(weight) !== undefined);
  const hasHashes = votes.some(({ hash }) => hash !== null);
  return (
    <div class="grid two">
      <Card title="Votes" aside={<span class="muted num">{count(voteCount)}</span>}>
        {votes.length === 0 ? (
          <Empty>{noVotes(of)}</Empty>
        ) : (
          <Table
            name="Votes"
            rows={votes}
            keyOf={({ address }) => address}
            columns={[
              { name: 'Voter', class: 'fill', cell: ({ address, name }) => <Address of={address} name={name} /> },
              { name: 'Option', sort: ({ option }) => option, cell: ({ option }) => <Badge of={option} /> },
              {
                name: 'Weight',
                class: 'num',
                sort: ({ weight }) => weight,
                cell: ({ weight, share }) =>
                  weight === null ? <span class="muted">not counted</span> : weightOf(weight, share),
              },
              { name: 'Time', class: 'num', sort: ({ time }) => time, cell: ({ time }) => <Time of={time} /> },
              ...(hasHashes
                ? [
                    {
                      name: 'Transaction',
                      class: 'wide' as const,
                      cell: ({ hash }: VoteView) => (hash === null ? '–' : <TransactionHash of={hash} />),
                    },
                  ]
                : []),
            ]}
          />
        )}
        {Number(voteCount) > votes.length && votes.length > 0 ? <p class="note">The newest {votes.length} are shown.</p> : null}
        {isOpen ? null : <NoArchive />}
      </Card>
      <Card title={isOpen ? 'Not voted' : 'Did not vote'} aside={<span class="muted num">{count(pendingCount ?? 0)}</span>}>
        {pending.length === 0 ? (
          <Empty>{noneMissing(of)}</Empty>
        ) : (
          <Table
            name={isOpen ? 'Members who have not voted' : 'Members who did not vote'}
            rows={pending}
            keyOf={({ address }) => address}
            columns={[
              { name: 'Member', class: 'fill', cell: ({ address, name }) => <Address of={address} name={name} /> },
              {
                name: 'Weight',
                class: 'num',
                sort: ({ weight }) => weight,
                cell: ({ weight, share }) => weightOf(weight, share),
              },
              ...(someDecide
                ? [
                    {
                      name: 'Would decide',
                      cell: ({ weight }: PendingView) => {
                        const decides = deciding(weight);
                        return decides === undefined ? (
                          <span class="muted">–</span>
                        ) : (
                          <Tag tone={decides === 'rejects' ? 'bad' : 'good'}>{decidingWords[decides]}</Tag>
                        );
                      },
                    },
                  ]
                : []),
            ]}
          />
        )}
        {isOpen && pending.length > 0 && outcome?.decision === 'UNDECIDED' && !someDecide ? (
          <p class="note">No single vote decides yet.</p>
        ) : null}
      </Card>
    </div>
  );
}
