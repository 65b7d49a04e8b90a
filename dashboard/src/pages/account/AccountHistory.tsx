import { useState } from 'preact/hooks';
import { SaveList } from '../../components/lists/SaveButtons.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Partial } from '../../components/page/Partial.tsx';
import { Skeleton } from '../../components/page/Skeleton.tsx';
import { TransactionTable } from '../../components/TransactionTable.tsx';
import { TransfersCard } from '../../components/TransfersCard.tsx';
import { TransferTable } from '../../components/TransferTable.tsx';
import { useRead } from '../../data/useRead.ts';
import { AccountFeesDocument, AccountHistoryDocument } from '../../gen/graphql.ts';
import { accountsTexts } from '../../language/accounts/texts.ts';
import { texts } from '../../language/language.ts';

/** The newest fees of an account, apart from its transfers. */
function Fees({ address, height }: { readonly address: string; readonly height: bigint | undefined }) {
  const { data, partial } = useRead(AccountFeesDocument, { address }, height);
  const fees = data?.account?.transfers;
  return (
    <>
      <h3>{texts.value.words.fees}</h3>
      {data === undefined ? <Skeleton lines={3} /> : null}
      {fees?.nodes.length === 0 ? <Empty>{accountsTexts.value.account.noFees}</Empty> : null}
      {fees && fees.nodes.length > 0 ? <TransferTable of={fees.nodes} name={texts.value.words.fees} /> : null}
      <Partial errors={partial} />
    </>
  );
}

/** The newest transfers and transactions of an account, read at the height at which the account last changed. */
export function AccountHistory({ address, height }: { readonly address: string; readonly height: bigint | undefined }) {
  const { data, partial } = useRead(AccountHistoryDocument, { address, sender: address }, height);
  const [showsFees, setShowsFees] = useState(false);
  const transactions = data?.transactions?.nodes ?? [];
  return (
    <>
      <TransfersCard transfers={data?.account?.transfers} isReading={data === undefined} list="accountTransfers" of={address}>
        <p class="note">
          {showsFees ? null : (
            <button type="button" class="button small" onClick={() => setShowsFees(true)}>
              {accountsTexts.value.account.showFees}
            </button>
          )}
        </p>
        {showsFees ? <Fees address={address} height={height} /> : null}
      </TransfersCard>
      <Card
        title={texts.value.words.transactions}
        aside={
          transactions.length === 0 ? null : (
            <SaveList name={texts.value.words.transactions} list="signedTransactions" of={address} />
          )
        }
      >
        {data === undefined ? <Skeleton lines={5} /> : null}
        {data !== undefined && transactions.length === 0 ? <Empty>{accountsTexts.value.account.signedNone}</Empty> : null}
        {transactions.length > 0 ? <TransactionTable of={transactions} name={texts.value.words.transactions} /> : null}
        <Partial errors={partial} />
      </Card>
    </>
  );
}
