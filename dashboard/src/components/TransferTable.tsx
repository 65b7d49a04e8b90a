import { texts } from '../language/language.ts';
import { Address, TransactionHash } from './Address.tsx';
import { Amounts, type Money } from './Amount.tsx';
import { enumWords } from './Badge.tsx';
import { type Column, Table } from './Table.tsx';
import { Time } from './Time.tsx';

interface Party {
  readonly address: string;
  readonly moduleName: string | null;
}

/** A transfer of the API. */
export interface TransferRow {
  readonly kind: string;
  readonly height?: string;
  readonly time?: string | null;
  readonly amount: readonly Money[];
  readonly sender: Party | null;
  readonly recipient: Party;
  readonly transaction?: { readonly hash: string } | null;
}

const party = (of: Party | null) =>
  of === null ? <span class="muted">–</span> : <Address of={of.address} name={of.moduleName} hasCopy={false} />;

const columns = (): readonly Column<TransferRow>[] => [
  { name: texts.value.words.from, cell: ({ sender }) => party(sender) },
  { name: texts.value.words.to, cell: ({ recipient }) => party(recipient) },
  { name: texts.value.words.amount, class: 'num fill', cell: ({ amount }) => <Amounts of={amount} /> },
  { name: texts.value.parts.kind, class: 'wide', cell: ({ kind }) => enumWords(kind) },
];

const places = (): readonly Column<TransferRow>[] => [
  {
    name: texts.value.words.transaction,
    class: 'wide',
    cell: ({ transaction }) =>
      transaction ? <TransactionHash of={transaction.hash} /> : <span class="muted">{texts.value.words.inBlock}</span>,
  },
  { name: texts.value.words.age, class: 'num', cell: ({ time }) => (time ? <Time of={time} /> : null) },
];

/** Transfers. `isPlaced` shows where and when each happened. */
export function TransferTable({
  of,
  name,
  isPlaced = true,
}: {
  readonly of: readonly TransferRow[];
  readonly name: string;
  readonly isPlaced?: boolean;
}) {
  const keys = new Map(of.map((row, index) => [row, `${row.height ?? ''}-${row.transaction?.hash ?? ''}-${index}`]));
  return (
    <Table
      name={name}
      columns={isPlaced ? [...columns(), ...places()] : columns()}
      rows={of}
      keyOf={(row) => keys.get(row) ?? ''}
    />
  );
}
