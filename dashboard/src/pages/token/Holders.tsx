import { Address } from '../../components/Address.tsx';
import { Amount, type Money } from '../../components/Amount.tsx';
import { ListAside } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { percent } from '../../format/numbers.ts';
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';

interface HoldersProps {
  readonly denom: string;
  readonly of: {
    readonly totalCount: string | null;
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    readonly nodes: readonly {
      readonly supplyPercent: string | null;
      readonly account: { readonly address: string; readonly moduleName: string | null };
      readonly balance: Money;
    }[];
  } | null;
}

/** The accounts that hold a token, with their shares. */
export function Holders({ denom, of }: HoldersProps) {
  return (
    <Card
      title={chainTexts.value.token.holders}
      aside={<ListAside name={chainTexts.value.token.holders} list="holders" of={denom} shown={of} />}
    >
      {of === null ? <Unread /> : null}
      {of?.nodes.length === 0 ? <Empty>{chainTexts.value.token.noHolders}</Empty> : null}
      {of === null || of.nodes.length === 0 ? null : (
        <>
          <Table
            name={chainTexts.value.token.holders}
            rows={of.nodes}
            keyOf={({ account }) => account.address}
            isWhole={String(of.nodes.length) === of.totalCount}
            columns={[
              {
                name: texts.value.words.account,
                class: 'fill',
                cell: ({ account }) => <Address of={account.address} name={account.moduleName} />,
              },
              {
                name: texts.value.words.balance,
                class: 'num',
                sort: ({ balance }) => balance.amount,
                cell: ({ balance }) => <Amount of={balance} isPlain />,
              },
              {
                name: texts.value.words.share,
                class: 'num',
                cell: ({ supplyPercent }) =>
                  supplyPercent === null ? null : (
                    <span class="share">
                      <meter class="wide" min={0} max={100} value={Number(supplyPercent)} aria-label={percent(supplyPercent)} />
                      {percent(supplyPercent)}
                    </span>
                  ),
              },
            ]}
          />
          <Pager info={of.pageInfo} />
        </>
      )}
    </Card>
  );
}
