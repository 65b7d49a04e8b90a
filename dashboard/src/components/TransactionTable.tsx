import { failureWords } from '../format/failures.ts';
import type { TransactionRowFragment } from '../gen/graphql.ts';
import { Address, Height, TransactionHash } from './Address.tsx';
import { Tag } from './Badge.tsx';
import { type Column, Table } from './Table.tsx';
import { Time } from './Time.tsx';
import { Words } from './Words.tsx';

/** What a transaction does, in words, or why it failed. */
export function TransactionWords({ of }: { readonly of: TransactionRowFragment }) {
  const [first, ...others] = of.messages ?? [];
  return (
    <>
      {first === undefined ? <span class="muted">not a transaction of the chain</span> : <Words {...first} />}
      {others.length > 0 ? <span class="muted"> and {others.length} more</span> : null}
      {of.code === 0 ? null : (
        <span class="failed">
          {' '}
          <Tag tone="bad">Failed</Tag> {failureWords(of)}
        </span>
      )}
    </>
  );
}

const columns: readonly Column<TransactionRowFragment>[] = [
  { name: 'Transaction', class: 'wide', cell: ({ hash }) => <TransactionHash of={hash} /> },
  {
    name: 'What it does',
    class: 'fill',
    cell: (row) => (
      <>
        <TransactionWords of={row} />
        <span class="narrow">
          <TransactionHash of={row.hash} />
        </span>
      </>
    ),
  },
  {
    name: 'Signer',
    class: 'wide',
    cell: ({ signers }) => (signers?.[0] === undefined ? null : <Address of={signers[0].address} hasCopy={false} />),
  },
  { name: 'Block', class: 'num wide', cell: ({ height }) => <Height of={height} /> },
  { name: 'Age', class: 'num', cell: ({ time }) => (time === null ? null : <Time of={time} />) },
];

/** Transactions in words. */
export function TransactionTable({ of, name }: { readonly of: readonly TransactionRowFragment[]; readonly name: string }) {
  return <Table name={name} columns={columns} rows={of} keyOf={({ hash }) => hash} />;
}
