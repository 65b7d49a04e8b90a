import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Address, Height, TransactionHash } from '../../components/Address.tsx';
import { type Money, tokenUrl, unitOf } from '../../components/Amount.tsx';
import { LazyChart } from '../../components/charts/LazyChart.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { count, countOf } from '../../format/numbers.ts';
import { displayUnits } from '../../format/units.ts';
import { balanceSteps, type DenomData, type LineData, type StatementData } from './steps.ts';

/** Kinds of movements in words. */
const kinds: Readonly<Record<LineData['kind'], string>> = {
  SEND: 'Transfer',
  MULTI_SEND: 'Transfer with several parties',
  MARKER_TRANSFER: 'Transfer by a marker',
  FEE: 'Fee',
  REWARD: 'Reward',
  DELEGATION: 'Delegation',
  UNBONDING: 'Stake taken back',
  MINT: 'New coins',
  BURN: 'Burned',
  OTHER: 'Other movement',
  UNEXPLAINED: 'Not explained by any event',
};

/** Lines of a denom that are shown at first. */
const shownAtFirst = 100;

/** A row of the table: the balance at an end, or a change of it. */
interface Row {
  readonly key: string;
  readonly what: ComponentChildren;
  readonly time: string | null;
  readonly height: string | null;
  readonly hash: string | null;
  readonly amount: string | null;
  readonly balance: string;
}

const signed = (amount: string): string => (amount.startsWith('-') ? `−${amount.slice(1)}` : `+${amount}`);

/** What a line says: its kind, and the other account. */
function LineWords({ of: { kind, counterparty, amount } }: { readonly of: LineData }) {
  return (
    <span class={kind === 'UNEXPLAINED' ? 'strong' : undefined}>
      {kinds[kind]}
      {counterparty === null ? null : (
        <>
          {' '}
          <span class="muted">{amount.startsWith('-') ? 'to' : 'from'}</span>{' '}
          <Address of={counterparty.address} name={counterparty.moduleName} hasCopy={false} />
        </>
      )}
    </span>
  );
}

function rowsOf({ fromTime, toTime, from, to }: StatementData, { lines, opening, closing }: DenomData): readonly Row[] {
  const end = (key: string, what: string, time: string, height: string, balance: string): Row => ({
    ...{ key, what: <strong>{what}</strong>, time, height, hash: null, amount: null, balance },
  });
  return [
    end('opening', 'Opening balance', fromTime, from, opening),
    ...lines.map((line, index) => ({
      key: String(index),
      what: <LineWords of={line} />,
      ...{ time: line.time, height: line.height, hash: line.transaction?.hash ?? null },
      ...{ amount: line.amount, balance: line.balance },
    })),
    end('closing', 'Closing balance', toTime, to, closing),
  ];
}

/** The time of a row. */
const When = ({ of }: { readonly of: string | null }) =>
  of === null ? <span class="muted">–</span> : <Time of={of} isExact />;

/** In words, why a line stands for what no event explains. */
function Unexplained({
  from,
  completeFrom,
  amount,
}: {
  readonly from: string;
  readonly completeFrom: string;
  readonly amount: string;
}) {
  return (
    <p class="partial" role="note">
      {BigInt(completeFrom) > BigInt(from) + 1n
        ? `The movements before block ${count(completeFrom)} can no longer be read. One line stands for all of them: ${amount}.`
        : `The balance also changed by ${amount}, and no event of the chain says why. One line stands for that, so that the statement adds up.`}
    </p>
  );
}

/** The statement of one denom: its balance over time, and a table with every change. */
export function DenomCard({ of, statement }: { readonly of: DenomData; readonly statement: StatementData }) {
  const [isWhole, setWhole] = useState(of.lines.length <= shownAtFirst);
  const { denom, display, unexplained, lines } = of;
  const unit = unitOf({ denom, amount: of.closing, display } satisfies Money);
  const inUnits = (amount: string): string => count(displayUnits(amount, { display }));
  const rows = rowsOf(statement, of);
  const shownRows = isWhole ? rows : [...rows.slice(0, shownAtFirst + 1), ...rows.slice(-1)];
  const steps = balanceSteps(statement, of);
  return (
    <Card
      title={unit}
      class="statement"
      aside={
        <a href={tokenUrl(denom)} class="muted">
          {countOf(lines.length, 'change')}
        </a>
      }
    >
      {lines.length === 0 ? null : (
        <LazyChart
          name={`The balance in ${unit} over time, ${countOf(lines.length, 'change')}`}
          times={steps.times}
          gap={steps.gap}
          series={[{ name: unit, tone: 'accent', values: steps.values, isStepped: true }]}
          isZoomed
        />
      )}
      {unexplained === '0' ? null : (
        <Unexplained
          from={statement.from}
          completeFrom={statement.completeFrom}
          amount={`${signed(inUnits(unexplained))} ${unit}`}
        />
      )}
      <Table
        name={`Statement in ${unit}`}
        rows={shownRows}
        keyOf={({ key }) => key}
        columns={[
          { name: 'Time', class: 'wide', cell: ({ time }) => <When of={time} /> },
          { name: 'Block', class: 'num wide', cell: ({ height }) => (height === null ? '–' : <Height of={height} />) },
          {
            name: 'What',
            class: 'fill',
            cell: ({ what, time }) => (
              <>
                {what}
                <span class="narrow small muted">
                  <When of={time} />
                </span>
              </>
            ),
          },
          {
            name: `Change (${unit})`,
            class: 'num',
            cell: ({ amount, balance }) => (
              <>
                {amount === null ? '' : <span class="num">{signed(inUnits(amount))}</span>}
                <span class={amount === null ? 'narrow strong nowrap' : 'narrow small nowrap muted'}>{inUnits(balance)}</span>
              </>
            ),
          },
          {
            name: `Balance (${unit})`,
            class: 'num wide',
            cell: ({ balance, amount }) => <span class={amount === null ? 'num strong' : 'num'}>{inUnits(balance)}</span>,
          },
          { name: 'Transaction', class: 'wide', cell: ({ hash }) => (hash === null ? '' : <TransactionHash of={hash} />) },
        ]}
      />
      {isWhole ? null : (
        <p class="row">
          <button type="button" class="button small" onClick={() => setWhole(true)}>
            Show all {count(lines.length)} changes
          </button>
          <span class="muted small">The closing balance comes after all of them.</span>
        </p>
      )}
    </Card>
  );
}
