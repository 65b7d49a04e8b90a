import { Amounts, type Money } from '../../components/Amount.tsx';
import { Tag } from '../../components/Badge.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { urlOf } from '../../routing/router.ts';

interface CollectingDepositsProps {
  readonly of: readonly {
    readonly id: string;
    readonly title: string;
    readonly expedited: boolean;
    readonly depositEndTime: string;
    readonly totalDeposit: readonly Money[];
  }[];
  readonly params: { readonly minDeposit: readonly Money[]; readonly expeditedMinDeposit: readonly Money[] } | null;
}

/** Proposals of the governance module whose voting begins when they have their deposit. */
export function CollectingDeposits({ of, params }: CollectingDepositsProps) {
  return (
    <Card title="Collecting deposits">
      <Table
        name="Proposals that collect deposits"
        rows={of}
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
          { name: 'Deposit', class: 'num', cell: ({ totalDeposit }) => <Amounts of={totalDeposit} /> },
          {
            name: 'Needed',
            class: 'num wide',
            cell: ({ expedited }) => <Amounts of={(expedited ? params?.expeditedMinDeposit : params?.minDeposit) ?? []} />,
          },
          { name: 'Ends', class: 'num', cell: ({ depositEndTime }) => <Time of={depositEndTime} /> },
        ]}
      />
    </Card>
  );
}
