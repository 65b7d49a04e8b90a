import type { ComponentChildren } from 'preact';
import { Address, Height, TransactionHash } from '../../components/Address.tsx';
import { Tag } from '../../components/Badge.tsx';
import { GovTallyBar } from '../../components/governance/GovTallyBar.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { govShares } from '../../format/govTally.ts';
import { count, percent } from '../../format/numbers.ts';
import { partsOf } from '../../format/tally.ts';
import { urlAt } from '../../routing/router.ts';
import type { GovRecordData } from './shape.ts';

type Audit = GovRecordData['audit'];

/** What became of the deposits, in words. */
const depositEnds = {
  REFUNDED: 'returned to the depositors',
  BURNT: 'burnt',
  CHARGED: 'a part was burnt because it was cancelled, the rest was returned',
} as const;

/** Whether the tally of the chain is that of the recorded votes. */
function Agreement({ of }: { readonly of: Audit }) {
  if (of === null) return <span class="muted">not comparable</span>;
  if (of.agrees) return <Tag tone="good">Agrees</Tag>;
  const parts = partsOf(of.computed, '0', false).filter(({ option }) => option !== 'open');
  const computedCounts = parts.map(({ name, weight }) => `${name} ${count(weight)}`);
  return (
    <>
      <Tag tone="bad">Differs</Tag> <span class="small">from the recorded votes: {computedCounts.join(', ')}</span>
    </>
  );
}

/** Where it was decided: the time, and the transaction or the block. */
function Where({ of }: { readonly of: NonNullable<GovRecordData['decided']> }) {
  if (of.time === null) return <>before the blocks that this server has recorded</>;
  return (
    <>
      <Time of={of.time} isExact />
      {of.hash !== null ? (
        <>
          {' in '}
          <TransactionHash of={of.hash} />
        </>
      ) : of.height !== null ? (
        <>
          {' in block '}
          <Height of={of.height} />
        </>
      ) : null}
    </>
  );
}

/** How a proposal ended. Nothing while it is open. */
export function Decision({ of }: { readonly of: GovRecordData }) {
  const { decided, decidedBy, depositEnd, status, log, tally, audit } = of;
  if (decided === null) return null;
  const hasTally = status !== 'CANCELLED' && status !== 'DROPPED';
  const before = decided.height === null ? undefined : BigInt(decided.height) - 1n;
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    [hasTally ? 'Decided' : status === 'CANCELLED' ? 'Cancelled' : 'Deleted by the chain', <Where key="at" of={decided} />],
    ['By', decidedBy && <Address of={decidedBy.address} />],
    // The log of a failed execution has a card of its own.
    ['Log', log && status !== 'FAILED' ? <span class="break">{log}</span> : null],
    ['Deposits', depositEnd && depositEnds[depositEnd]],
    ['Tally of the recorded votes', hasTally && tally !== null ? <Agreement of={audit} /> : null],
    [
      'Before it',
      before === undefined || before < 1n ? null : <a href={urlAt(`/gov/${of.id}`, before)}>the proposal one block earlier</a>,
    ],
  ];
  return (
    <Card title={hasTally ? 'Decision' : 'End'}>
      <Facts of={facts} />
    </Card>
  );
}

/** The voting periods of an expedited proposal that became a regular one. Nothing for others. */
export function Rounds({ of }: { readonly of: GovRecordData }) {
  if (of.rounds.length < 2) return null;
  return (
    <Card title="Voting periods">
      <Table
        name="Voting periods"
        rows={of.rounds}
        keyOf={({ number }) => String(number)}
        columns={[
          { name: 'Period', class: 'fill', cell: ({ number }) => (number === 1 ? '1, expedited' : `${number}, regular`) },
          { name: 'Tally', cell: ({ tally }) => (tally === null ? '–' : <GovTallyBar counts={tally} rules={null} />) },
          {
            name: 'Yes',
            class: 'num wide',
            cell: ({ tally }) => (tally === null ? '–' : percent(govShares(tally).yes)),
          },
          { name: 'Recorded votes', cell: ({ ended, audit }) => (ended === null ? 'open' : <Agreement of={audit} />) },
          { name: 'Ended', class: 'num', cell: ({ ended }) => (ended === null ? '–' : <Time of={ended.time} />) },
        ]}
      />
      <p class="note">
        It did not pass as an expedited proposal. The chain deleted its votes and went on with a regular voting period.
      </p>
    </Card>
  );
}
