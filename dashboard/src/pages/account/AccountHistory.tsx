import { useState } from 'preact/hooks';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Partial } from '../../components/page/Partial.tsx';
import { Skeleton } from '../../components/page/Skeleton.tsx';
import { TransactionTable } from '../../components/TransactionTable.tsx';
import { TransferTable } from '../../components/TransferTable.tsx';
import { useRead } from '../../data/useRead.ts';
import { count } from '../../format/numbers.ts';
import { AccountFeesDocument, AccountHistoryDocument } from '../../gen/graphql.ts';

/** The newest fees of an account, apart from its transfers. */
function Fees({ address, height }: { readonly address: string; readonly height: bigint | undefined }) {
  const { data, partial } = useRead(AccountFeesDocument, { address }, height);
  const fees = data?.account?.transfers;
  return (
    <>
      <h3>Fees</h3>
      {data === undefined ? <Skeleton lines={3} /> : null}
      {fees?.nodes.length === 0 ? <Empty>It has paid none in the blocks that nodes still have.</Empty> : null}
      {fees && fees.nodes.length > 0 ? <TransferTable of={fees.nodes} name="Fees" /> : null}
      <Partial errors={partial} />
    </>
  );
}

/** The newest transfers and transactions of an account, read at the height at which the account last changed. */
export function AccountHistory({ address, height }: { readonly address: string; readonly height: bigint | undefined }) {
  const { data, partial } = useRead(AccountHistoryDocument, { address, sender: address }, height);
  const [showsFees, setShowsFees] = useState(false);
  const transfers = data?.account?.transfers;
  const transactions = data?.transactions?.nodes ?? [];
  const aside =
    transfers && transfers.completeFrom !== '1' ? <span class="muted">since block {count(transfers.completeFrom)}</span> : null;
  return (
    <>
      <Card title="Transfers" aside={aside}>
        {data === undefined ? <Skeleton lines={5} /> : null}
        {transfers?.nodes.length === 0 ? <Empty>None in the blocks that nodes still have.</Empty> : null}
        {transfers && transfers.nodes.length > 0 ? <TransferTable of={transfers.nodes} name="Transfers" /> : null}
        <p class="note">
          {showsFees ? null : (
            <button type="button" class="button small" onClick={() => setShowsFees(true)}>
              Show the fees that it paid
            </button>
          )}
        </p>
        {showsFees ? <Fees address={address} height={height} /> : null}
      </Card>
      <Card title="Transactions">
        {data === undefined ? <Skeleton lines={5} /> : null}
        {data !== undefined && transactions.length === 0 ? (
          <Empty>It has signed none in the blocks that nodes still have.</Empty>
        ) : null}
        {transactions.length > 0 ? <TransactionTable of={transactions} name="Transactions" /> : null}
        <Partial errors={partial} />
      </Card>
    </>
  );
}
