import { Amount, type Money, Value, type ValuedMoney } from '../../components/Amount.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { count } from '../../format/numbers.ts';

interface BalancesProps {
  readonly of: {
    readonly totalCount: string | null;
    readonly nodes: readonly ValuedMoney[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  } | null;
  readonly holds: readonly Money[];
}

/** What an account holds, with its value, and what of it is on hold. */
export function Balances({ of, holds }: BalancesProps) {
  const holdsByDenom = new Map(holds.map((coin) => [coin.denom, coin]));
  return (
    <Card title="Balances" aside={<span class="muted num">{count(of?.totalCount ?? 0)}</span>}>
      {of === null || of.nodes.length === 0 ? (
        <Empty>It holds nothing.</Empty>
      ) : (
        <>
          <Table
            name="Balances"
            rows={of.nodes}
            keyOf={({ denom }) => denom}
            columns={[
              { name: 'Amount', class: 'fill', cell: (coin) => <Amount of={coin} /> },
              { name: 'Value', class: 'num', cell: ({ value }) => <Value of={value} /> },
              {
                name: 'On hold',
                class: 'num wide',
                cell: ({ denom }) => {
                  const coin = holdsByDenom.get(denom);
                  return coin === undefined ? <span class="muted">–</span> : <Amount of={coin} isPlain />;
                },
              },
            ]}
          />
          <Pager info={of.pageInfo} />
        </>
      )}
    </Card>
  );
}
