import { SaveList } from '../../components/lists/SaveButtons.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Partial } from '../../components/page/Partial.tsx';
import { Skeleton } from '../../components/page/Skeleton.tsx';
import { TransferTable } from '../../components/TransferTable.tsx';
import type { ReadState } from '../../data/useRead.ts';
import { count } from '../../format/numbers.ts';
import type { TokenHistoryQuery } from '../../gen/graphql.ts';
import { texts } from '../../language/language.ts';

/** The newest transfers of a token. */
export function Transfers({
  denom,
  of: { data, partial },
}: {
  readonly denom: string;
  readonly of: ReadState<TokenHistoryQuery>;
}) {
  const transfers = data?.transfers;
  return (
    <Card
      title={texts.value.words.transfers}
      aside={
        <>
          {transfers && transfers.nodes.length > 0 ? (
            <SaveList name={texts.value.words.transfers} list="tokenTransfers" of={denom} />
          ) : null}
          {transfers && transfers.completeFrom !== '1' ? (
            <span class="muted">
              {texts.value.words.sinceBlock} {count(transfers.completeFrom)}
            </span>
          ) : null}
        </>
      }
    >
      {data === undefined ? <Skeleton lines={6} /> : null}
      {transfers?.nodes.length === 0 ? <Empty>{texts.value.words.noneInBlocks}</Empty> : null}
      {transfers && transfers.nodes.length > 0 ? (
        <TransferTable of={transfers.nodes} name={texts.value.words.transfers} />
      ) : null}
      <Partial errors={partial} />
    </Card>
  );
}
