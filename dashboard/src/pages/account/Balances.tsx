import { Amount, type Money, Value, type ValuedMoney } from '../../components/Amount.tsx';
import { ListAside } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { type Column, Table } from '../../components/Table.tsx';
import { hasModule } from '../../data/modules.ts';
import { accountsTexts } from '../../language/accounts/texts.ts';
import { texts } from '../../language/language.ts';

interface BalancesProps {
  readonly address: string;
  readonly of: {
    readonly totalCount: string | null;
    readonly nodes: readonly ValuedMoney[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  } | null;
  /** undefined if the chain has no holds. */
  readonly holds: readonly Money[] | null | undefined;
}

/** What an account holds, with its value, and what of it is on hold. */
export function Balances({ address, of, holds }: BalancesProps) {
  const holdsByDenom = new Map(holds?.map((coin) => [coin.denom, coin]));
  const amount: Column<ValuedMoney> = { name: texts.value.words.amount, class: 'fill', cell: (coin) => <Amount of={coin} /> };
  const value: Column<ValuedMoney> = { name: texts.value.words.value, class: 'num', cell: (coin) => <Value of={coin.value} /> };
  const onHold: Column<ValuedMoney> = {
    name: texts.value.words.onHold,
    class: 'num wide',
    cell: ({ denom }) => {
      const coin = holdsByDenom.get(denom);
      return coin === undefined ? <span class="muted">–</span> : <Amount of={coin} isPlain />;
    },
  };
  return (
    <Card
      title={texts.value.words.balances}
      aside={<ListAside name={texts.value.words.balances} list="balances" of={address} shown={of} />}
    >
      {of === null ? <Unread /> : null}
      {of?.nodes.length === 0 ? <Empty>{accountsTexts.value.account.holdsNothing}</Empty> : null}
      {of === null || of.nodes.length === 0 ? null : (
        <>
          <Table
            name={texts.value.words.balances}
            rows={of.nodes}
            keyOf={({ denom }) => denom}
            columns={[amount, ...(hasModule('marker') ? [value] : []), ...(holds === undefined ? [] : [onHold])]}
          />
          <Pager info={of.pageInfo} />
        </>
      )}
    </Card>
  );
}
