import { Partial } from '../../components/page/Partial.tsx';
import { TransfersCard } from '../../components/TransfersCard.tsx';
import type { ReadState } from '../../data/useRead.ts';
import type { TokenHistoryQuery } from '../../gen/graphql.ts';

/** The newest transfers of a token. */
export function Transfers({
  denom,
  of: { data, partial },
}: {
  readonly denom: string;
  readonly of: ReadState<TokenHistoryQuery>;
}) {
  return (
    <TransfersCard transfers={data?.transfers} isReading={data === undefined} list="tokenTransfers" of={denom}>
      <Partial errors={partial} />
    </TransfersCard>
  );
}
