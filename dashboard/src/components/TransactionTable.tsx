import { failureWords } from '../format/failures.ts';
import type { TransactionRowFragment } from '../gen/graphql.ts';
import { texts } from '../language/language.ts';
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
      {first === undefined ? <span class="muted">{texts.value.parts.notOfChain}</span> : <Words {...first} />}
      {others.length > 0 ? (
        <span class="muted">
          {' '}
          {texts.value.words.and} {others.length} {texts.value.parts.more}
        </span>
      ) : null}
      {of.code === 0 ? null : (
        <span class="failed">
          {' '}
          <Tag tone="bad">{texts.value.words.failed}</Tag> {failureWords(of)}
        </span>
      )}
    </>
  );
}

const columns = (): readonly Column<TransactionRowFragment>[] => [
  { name: texts.value.words.transaction, class: 'wide', cell: ({ hash }) => <TransactionHash of={hash} /> },
  {
    name: texts.value.parts.whatItDoes,
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
    name: texts.value.parts.signer,
    class: 'wide',
    cell: ({ signers }) => (signers?.[0] === undefined ? null : <Address of={signers[0].address} hasCopy={false} />),
  },
  { name: texts.value.words.block, class: 'num wide', cell: ({ height }) => <Height of={height} /> },
  { name: texts.value.words.age, class: 'num', cell: ({ time }) => (time === null ? null : <Time of={time} />) },
];

/** Transactions in words. */
export function TransactionTable({ of, name }: { readonly of: readonly TransactionRowFragment[]; readonly name: string }) {
  return <Table name={name} columns={columns()} rows={of} keyOf={({ hash }) => hash} />;
}
