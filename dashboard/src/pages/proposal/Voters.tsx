import { Address } from '../../components/Address.tsx';
import { Badge, Tag } from '../../components/Badge.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { count, percent } from '../../format/numbers.ts';
import { decidesBy } from '../../format/tally.ts';
import type { ProposalData } from './shape.ts';

const decidingWords = { accepts: 'its yes passes', rejects: 'its no blocks', both: 'decides alone' } as const;

/** Who voted, and who has not; and whose vote would decide. */
export function Voters({ of }: { readonly of: ProposalData }) {
  const votes = (of.votes?.nodes ?? []).toSorted((one, other) => Date.parse(other.submitTime) - Date.parse(one.submitTime));
  const pending = of.pendingVoters?.nodes ?? [];
  const isOpen = of.status === 'PROPOSAL_STATUS_SUBMITTED';
  const deciding = (weight: string) => (of.outcome === null ? undefined : decidesBy(of.outcome, weight));
  const someDecide = pending.some(({ weight }) => deciding(weight) !== undefined);
  const weightOf = (weight: string, share: string | null) => (
    <>
      {count(weight)}
      {share === null ? null : <span class="wide"> ({percent(share)})</span>}
    </>
  );
  return (
    <div class="grid two">
      <Card title="Votes" aside={<span class="muted num">{count(of.votes?.totalCount ?? votes.length)}</span>}>
        {votes.length === 0 ? (
          <Empty>{isOpen ? 'Nobody has voted yet.' : 'The chain deletes the votes once the tally is final.'}</Empty>
        ) : (
          <Table
            name="Votes"
            rows={votes}
            keyOf={({ voter }) => voter.address}
            columns={[
              {
                name: 'Voter',
                class: 'fill',
                cell: ({ voter, member }) => <Address of={voter.address} name={member?.metadata} />,
              },
              { name: 'Option', cell: ({ option }) => <Badge of={option} /> },
              {
                name: 'Weight',
                class: 'num',
                cell: ({ member }) =>
                  member === null ? <span class="muted">left the group</span> : weightOf(member.weight, member.weightPercent),
              },
              { name: 'Time', class: 'num', cell: ({ submitTime }) => <Time of={submitTime} /> },
            ]}
          />
        )}
      </Card>
      <Card title="Not voted" aside={<span class="muted num">{count(of.pendingVoters?.totalCount ?? 0)}</span>}>
        {pending.length === 0 ? (
          <Empty>{isOpen ? 'Every member has voted.' : 'Voting is over.'}</Empty>
        ) : (
          <Table
            name="Members who have not voted"
            rows={pending}
            keyOf={({ account }) => account.address}
            columns={[
              {
                name: 'Member',
                class: 'fill',
                cell: ({ account, metadata }) => <Address of={account.address} name={metadata} />,
              },
              { name: 'Weight', class: 'num', cell: ({ weight, weightPercent }) => weightOf(weight, weightPercent) },
              ...(someDecide
                ? [
                    {
                      name: 'Would decide',
                      cell: ({ weight }: (typeof pending)[number]) => {
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
        {pending.length > 0 && of.outcome?.decision === 'UNDECIDED' && !someDecide ? (
          <p class="note">No single vote decides yet.</p>
        ) : null}
      </Card>
    </div>
  );
}
