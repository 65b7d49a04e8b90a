import { Card, Empty } from '../../components/page/Card.tsx';
import { TransactionTable } from '../../components/TransactionTable.tsx';
import type { TransactionRowFragment } from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';

const maxRows = 12;

interface BlockWithTransactions {
  readonly height: string;
  readonly time: string;
  readonly transactions: { readonly nodes: readonly Omit<TransactionRowFragment, 'height' | 'time'>[] } | null;
}

/** The transactions of the newest blocks, in words. */
export function NewestTransactions({ of }: { readonly of: readonly BlockWithTransactions[] }) {
  const rows = of
    .flatMap(({ height, time, transactions }) => (transactions?.nodes ?? []).map((row) => ({ ...row, height, time })))
    .slice(0, maxRows);
  return (
    <Card title={governanceTexts.value.home.newestTransactions} class="fixed-rows">
      {rows.length === 0 ? (
        <Empty>{governanceTexts.value.home.blocksWithout(String(of.length))}</Empty>
      ) : (
        <TransactionTable of={rows} name={governanceTexts.value.home.newestTransactions} />
      )}
    </Card>
  );
}
