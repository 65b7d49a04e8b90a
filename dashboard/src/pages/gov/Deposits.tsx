import { Address, TransactionHash } from '../../components/Address.tsx';
import { Amounts } from '../../components/Amount.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { count } from '../../format/numbers.ts';
import { govTexts } from '../../language/gov/texts.ts';
import { texts } from '../../language/language.ts';
import type { GovProposalData, GovRecordData } from './shape.ts';

/** The deposits for a proposal. Nothing once it is decided, because the chain then deletes them. */
export function Deposits({ of }: { readonly of: GovProposalData }) {
  const { deposits, status } = of;
  const isDecided = status !== 'PROPOSAL_STATUS_DEPOSIT_PERIOD' && status !== 'PROPOSAL_STATUS_VOTING_PERIOD';
  if (isDecided && deposits?.nodes.length === 0) return null;
  return (
    <Card
      title={govTexts.value.deposits}
      aside={<span class="muted num">{deposits?.totalCount ? count(deposits.totalCount) : ''}</span>}
    >
      {deposits === null ? <Unread /> : null}
      {deposits?.nodes.length === 0 ? <Empty>{govTexts.value.noDeposits}</Empty> : null}
      {deposits === null || deposits.nodes.length === 0 ? null : (
        <>
          <Table
            name={govTexts.value.depositsByAddress}
            rows={deposits.nodes}
            keyOf={({ depositor }) => depositor.address}
            columns={[
              {
                name: govTexts.value.depositor,
                class: 'fill',
                cell: ({ depositor }) => <Address of={depositor.address} />,
              },
              { name: texts.value.words.amount, class: 'num', cell: ({ amount }) => <Amounts of={amount} /> },
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
    <Card title={govTexts.value.deposits} aside={<span class="muted num">{count(deposits.length)}</span>}>
      {deposits.length === 0 ? (
        <Empty>{govTexts.value.noDeposits}</Empty>
      ) : (
        <Table
          name={govTexts.value.depositsInOrder}
          rows={deposits}
          keyOf={({ depositor, at }) => [depositor.address, at.height, at.hash].join(' ')}
          columns={[
            {
              name: govTexts.value.depositor,
              class: 'fill',
              cell: ({ depositor }) => <Address of={depositor.address} />,
            },
            { name: texts.value.words.amount, class: 'num', cell: ({ amount }) => <Amounts of={amount} /> },
            // Those in the state before the first recorded block have neither.
            ...(deposits.every(({ at }) => at.time === null)
              ? []
              : [
                  {
                    name: texts.value.words.time,
                    class: 'num wide' as const,
                    cell: ({ at }: Deposit) => (at.time === null ? '–' : <Time of={at.time} />),
                  },
                  {
                    name: texts.value.words.transaction,
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
