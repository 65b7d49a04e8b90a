import { Address, TransactionHash } from '../../components/Address.tsx';
import { Amounts } from '../../components/Amount.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { count } from '../../format/numbers.ts';
import type { GovProposalData, GovRecordData } from './shape.ts';

/** The deposits for a proposal. Nothing once it is decided, because the chain then deletes them. */
export function Deposits({ of }: { readonly of: GovProposalData }) {
  const { deposits, status } = of;
  const isDecided = status !== 'PROPOSAL_STATUS_DEPOSIT_PERIOD' && status !== 'PROPOSAL_STATUS_VOTING_PERIOD';
  if (isDecided && deposits?.nodes.length === 0) return null;
  return (
    <Card title="Deposits" aside={<span class="muted num">{deposits?.totalCount ? count(deposits.totalCount) : ''}</span>}>
      {deposits === null ? <Unread /> : null}
      {deposits?.nodes.length === 0 ? <Empty>It has none.</Empty> : null}
      {deposits === null || deposits.nodes.length === 0 ? null : (
        <>
          <Table
            name="Deposits, by address"
            rows={deposits.nodes}
            keyOf={({ depositor }) => depositor.address}
            columns={[
              { name: 'Depositor', class: 'fill', cell: ({ depositor }) => <Address of={depositor.address} /> },
              { name: 'Amount', class: 'num', cell: ({ amount }) => <Amounts of={amount} /> },
            ]}
          />
          <Pager info={deposits.pageInfo} name="deposits" />
        </>
      )}
    </Card>
  );
}

type Deposit = GovRecordData['deposits'][number];

/** Every deposit that was made, and its transaction. The decision says what became of them. */
export function RecordDeposits({ of: { deposits } }: { readonly of: Pick<GovRecordData, 'deposits'> }) {
  return (
    <Card title="Deposits" aside={<span class="muted num">{count(deposits.length)}</span>}>
      {deposits.length === 0 ? (
        <Empty>It has none.</Empty>
      ) : (
        <Table
          name="Deposits, in their order"
          rows={deposits}
          keyOf={({ depositor, at }) => [depositor.address, at.height, at.hash].join(' ')}
          columns={[
            { name: 'Depositor', class: 'fill', cell: ({ depositor }) => <Address of={depositor.address} /> },
            { name: 'Amount', class: 'num', cell: ({ amount }) => <Amounts of={amount} /> },
            // Those in the state before the first recorded block have neither.
            ...(deposits.every(({ at }) => at.time === null)
              ? []
              : [
                  {
                    name: 'Time',
                    class: 'num wide' as const,
                    cell: ({ at }: Deposit) => (at.time === null ? '–' : <Time of={at.time} />),
                  },
                  {
                    name: 'Transaction',
                    class: 'wide' as const,
                    cell: ({ at }: Deposit) => (at.hash === null ? '–' : <TransactionHash of={at.hash} />),
                  },
                ]),
          ]}
        />
      )}
    </Card>
  );
}
