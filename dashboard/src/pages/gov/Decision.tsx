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
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { urlAt } from '../../routing/router.ts';
import type { GovRecordData } from './shape.ts';

type Audit = GovRecordData['audit'];

/** What became of the deposits, in words. */
const depositEnds = () =>
  ({
    REFUNDED: governanceTexts.value.gov.returned,
    BURNT: governanceTexts.value.gov.burnt,
    CHARGED: governanceTexts.value.gov.partBurnt,
  }) as const;

/** Whether the tally of the chain is that of the recorded votes. */
function Agreement({ of }: { readonly of: Audit }) {
  if (of === null) return <span class="muted">{governanceTexts.value.gov.notComparable}</span>;
  if (of.agrees) return <Tag tone="good">{governanceTexts.value.gov.agrees}</Tag>;
  const parts = partsOf(of.computed, '0', false).filter(({ option }) => option !== 'open');
  const computedCounts = parts.map(({ name, weight }) => `${name} ${count(weight)}`);
  return (
    <>
      <Tag tone="bad">{governanceTexts.value.gov.differs}</Tag>{' '}
      <span class="small">
        {governanceTexts.value.gov.fromVotes} {computedCounts.join(', ')}
      </span>
    </>
  );
}

/** Where it was decided: the time, and the transaction or the block. */
function Where({ of }: { readonly of: NonNullable<GovRecordData['decided']> }) {
  if (of.time === null) return <>{governanceTexts.value.gov.beforeRecord}</>;
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
      hasTally
        ? governanceTexts.value.gov.decided
        : status === 'CANCELLED'
          ? governanceTexts.value.gov.cancelled
          : governanceTexts.value.gov.deletedByChain,
      <Where key="at" of={decided} />,
    ],
    [governanceTexts.value.gov.by, decidedBy && <Address of={decidedBy.address} />],
    // The log of a failed execution has a card of its own.
    [governanceTexts.value.gov.log, log && status !== 'FAILED' ? <span class="break">{log}</span> : null],
    [governanceTexts.value.gov.deposits, depositEnd && depositEnds()[depositEnd]],
    [governanceTexts.value.gov.recordedTally, hasTally && tally !== null ? <Agreement of={audit} /> : null],
    [
      governanceTexts.value.gov.before,
      before === undefined || before < 1n ? null : (
        <a href={urlAt(`/gov/${of.id}`, before)}>{governanceTexts.value.gov.oneEarlier}</a>
      ),
    ],
  ];
  return (
    <Card title={hasTally ? governanceTexts.value.gov.decision : governanceTexts.value.gov.end}>
      <Facts of={facts} />
    </Card>
  );
}

/** The voting periods of an expedited proposal that became a regular one. Nothing for others. */
export function Rounds({ of }: { readonly of: GovRecordData }) {
  if (of.rounds.length < 2) return null;
  return (
    <Card title={governanceTexts.value.gov.periods}>
      <Table
        name={governanceTexts.value.gov.periods}
        rows={of.rounds}
        keyOf={({ number }) => String(number)}
        columns={[
          {
            name: governanceTexts.value.gov.period,
            class: 'fill',
            cell: ({ number }) =>
              number === 1
                ? governanceTexts.value.gov.expeditedPeriod
                : governanceTexts.value.gov.regularPeriod(String(number)),
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
            name: governanceTexts.value.gov.recordedVotes,
            cell: ({ ended, audit }) => (ended === null ? governanceTexts.value.gov.open : <Agreement of={audit} />),
          },
          {
            name: governanceTexts.value.gov.ended,
            class: 'num',
            cell: ({ ended }) => (ended === null ? '–' : <Time of={ended.time} />),
          },
        ]}
      />
      <p class="note">{governanceTexts.value.gov.wentOn}</p>
    </Card>
  );
}
