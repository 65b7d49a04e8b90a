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
import { govTexts } from '../../language/gov/texts.ts';
import { texts } from '../../language/language.ts';
import { urlAt } from '../../routing/router.ts';
import type { GovRecordData } from './shape.ts';

type Audit = GovRecordData['audit'];

/** What became of the deposits, in words. */
const depositEnds = () =>
  ({
    REFUNDED: govTexts.value.returned,
    BURNT: govTexts.value.burnt,
    CHARGED: govTexts.value.partBurnt,
  }) as const;

/** Whether the tally of the chain is that of the recorded votes. */
function Agreement({ of }: { readonly of: Audit }) {
  if (of === null) return <span class="muted">{govTexts.value.notComparable}</span>;
  if (of.agrees) return <Tag tone="good">{govTexts.value.agrees}</Tag>;
  const parts = partsOf(of.computed, '0', false).filter(({ option }) => option !== 'open');
  const computedCounts = parts.map(({ name, weight }) => `${name} ${count(weight)}`);
  return (
    <>
      <Tag tone="bad">{govTexts.value.differs}</Tag>{' '}
      <span class="small">
        {govTexts.value.fromVotes} {computedCounts.join(', ')}
      </span>
    </>
  );
}

/** Where it was decided: the time, and the transaction or the block. */
function Where({ of }: { readonly of: NonNullable<GovRecordData['decided']> }) {
  if (of.time === null) return <>{govTexts.value.beforeRecord}</>;
  return (
    <>
      <Time of={of.time} isExact />
      {of.hash !== null ? (
        <>
          {` ${texts.value.words.in} `}
          <TransactionHash of={of.hash} />
        </>
      ) : of.height !== null ? (
        <>
          {` ${texts.value.words.in} ${texts.value.words.inBlock} `}
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
    [
      hasTally ? govTexts.value.decided : status === 'CANCELLED' ? govTexts.value.cancelled : govTexts.value.deletedByChain,
      <Where key="at" of={decided} />,
    ],
    [govTexts.value.by, decidedBy && <Address of={decidedBy.address} />],
    // The log of a failed execution has a card of its own.
    [govTexts.value.log, log && status !== 'FAILED' ? <span class="break">{log}</span> : null],
    [govTexts.value.deposits, depositEnd && depositEnds()[depositEnd]],
    [govTexts.value.recordedTally, hasTally && tally !== null ? <Agreement of={audit} /> : null],
    [
      govTexts.value.before,
      before === undefined || before < 1n ? null : <a href={urlAt(`/gov/${of.id}`, before)}>{govTexts.value.oneEarlier}</a>,
    ],
  ];
  return (
    <Card title={hasTally ? govTexts.value.decision : govTexts.value.end}>
      <Facts of={facts} />
    </Card>
  );
}

/** The voting periods of an expedited proposal that became a regular one. Nothing for others. */
export function Rounds({ of }: { readonly of: GovRecordData }) {
  if (of.rounds.length < 2) return null;
  return (
    <Card title={govTexts.value.periods}>
      <Table
        name={govTexts.value.periods}
        rows={of.rounds}
        keyOf={({ number }) => String(number)}
        columns={[
          {
            name: govTexts.value.period,
            class: 'fill',
            cell: ({ number }) =>
              number === 1 ? govTexts.value.expeditedPeriod : govTexts.value.regularPeriod(String(number)),
          },
          {
            name: texts.value.proposal.tally,
            cell: ({ tally }) => (tally === null ? '–' : <GovTallyBar counts={tally} rules={null} />),
          },
          {
            name: texts.value.proposal.yes,
            class: 'num wide',
            cell: ({ tally }) => (tally === null ? '–' : percent(govShares(tally).yes)),
          },
          {
            name: govTexts.value.recordedVotes,
            cell: ({ ended, audit }) => (ended === null ? govTexts.value.open : <Agreement of={audit} />),
          },
          {
            name: govTexts.value.ended,
            class: 'num',
            cell: ({ ended }) => (ended === null ? '–' : <Time of={ended.time} />),
          },
        ]}
      />
      <p class="note">{govTexts.value.wentOn}</p>
    </Card>
  );
}
