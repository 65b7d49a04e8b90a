import type { ComponentChildren } from 'preact';
import { count } from '../format/numbers.ts';
import { texts } from '../language/language.ts';
import type { ListName } from './lists/lists.ts';
import { SaveList } from './lists/SaveButtons.tsx';
import { Card, Empty } from './page/Card.tsx';
import { Skeleton } from './page/Skeleton.tsx';
import { type TransferRow, TransferTable } from './TransferTable.tsx';

interface TransfersCardProps {
  /** The newest transfers. Absent if they cannot be read, or are not read yet. */
  readonly transfers: { readonly completeFrom: string; readonly nodes: readonly TransferRow[] } | null | undefined;
  readonly isReading: boolean;
  /** The list that has all of them, and the account or the denom that it belongs to. */
  readonly list: ListName;
  readonly of: string;
  /** What follows the table. */
  readonly children: ComponentChildren;
}

/** The newest transfers of an account or a token, with buttons that save all of them. */
export function TransfersCard({ transfers, isReading, list, of, children }: TransfersCardProps) {
  const name = texts.value.words.transfers;
  return (
    <Card
      title={name}
      aside={
        <>
          {transfers?.nodes.length ? <SaveList name={name} list={list} of={of} /> : null}
          {transfers && transfers.completeFrom !== '1' ? (
            <span class="muted">
              {texts.value.words.sinceBlock} {count(transfers.completeFrom)}
            </span>
          ) : null}
        </>
      }
    >
      {isReading ? <Skeleton lines={6} /> : null}
      {transfers?.nodes.length === 0 ? <Empty>{texts.value.words.noneInBlocks}</Empty> : null}
      {transfers?.nodes.length ? <TransferTable of={transfers.nodes} name={name} /> : null}
      {children}
    </Card>
  );
}
