import { Amounts, type Money } from '../../components/Amount.tsx';
import { Tag } from '../../components/Badge.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { govTexts } from '../../language/gov/texts.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
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
    <Card title={governanceTexts.value.lists.collecting}>
      <Table
        name={governanceTexts.value.lists.collectingTable}
        rows={of}
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
          { name: govTexts.value.deposit, class: 'num', cell: ({ totalDeposit }) => <Amounts of={totalDeposit} /> },
          {
            name: governanceTexts.value.lists.needed,
            class: 'num wide',
            cell: ({ expedited }) => <Amounts of={(expedited ? params?.expeditedMinDeposit : params?.minDeposit) ?? []} />,
          },
          { name: texts.value.words.ends, class: 'num', cell: ({ depositEndTime }) => <Time of={depositEndTime} /> },
        ]}
      />
    </Card>
  );
}
