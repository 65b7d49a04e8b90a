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
import { accountsTexts } from '../../language/accounts/texts.ts';
import { texts } from '../../language/language.ts';
import { balanceSteps, type DenomData, type LineData, type StatementData } from './steps.ts';

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
      {accountsTexts.value.kinds[kind]}
      {counterparty === null ? null : (
        <>
          {' '}
          <span class="muted">
            {amount.startsWith('-') ? accountsTexts.value.statement.to : accountsTexts.value.statement.from}
          </span>{' '}
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
    end('opening', accountsTexts.value.statement.opening, fromTime, from, opening),
    ...lines.map((line, index) => ({
      key: String(index),
      what: <LineWords of={line} />,
      ...{ time: line.time, height: line.height, hash: line.transaction?.hash ?? null },
      ...{ amount: line.amount, balance: line.balance },
    })),
    end('closing', accountsTexts.value.statement.closing, toTime, to, closing),
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
        ? accountsTexts.value.statement.movementsGone(count(completeFrom), amount)
        : accountsTexts.value.statement.unexplained(amount)}
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
          {countOf(lines.length, texts.value.counts.changes)}
        </a>
      }
    >
      {lines.length === 0 ? null : (
        <LazyChart
          name={accountsTexts.value.statement.overTime(unit, countOf(lines.length, texts.value.counts.changes))}
          times={steps.times}
          gaps={steps.gap && [steps.gap]}
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
        name={accountsTexts.value.statement.inUnit(unit)}
        rows={shownRows}
        keyOf={({ key }) => key}
        columns={[
          { name: texts.value.words.time, class: 'wide', cell: ({ time }) => <When of={time} /> },
          {
            name: texts.value.words.block,
            class: 'num wide',
            cell: ({ height }) => (height === null ? '–' : <Height of={height} />),
          },
          {
            name: accountsTexts.value.statement.what,
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
            name: accountsTexts.value.statement.change(unit),
            class: 'num',
            cell: ({ amount, balance }) => (
              <>
                {amount === null ? '' : <span class="num">{signed(inUnits(amount))}</span>}
                <span class={amount === null ? 'narrow strong nowrap' : 'narrow small nowrap muted'}>{inUnits(balance)}</span>
              </>
            ),
          },
          {
            name: accountsTexts.value.statement.balance(unit),
            class: 'num wide',
            cell: ({ balance, amount }) => <span class={amount === null ? 'num strong' : 'num'}>{inUnits(balance)}</span>,
          },
          {
            name: texts.value.words.transaction,
            class: 'wide',
            cell: ({ hash }) => (hash === null ? '' : <TransactionHash of={hash} />),
          },
        ]}
      />
      {isWhole ? null : (
        <p class="row">
          <button type="button" class="button small" onClick={() => setWhole(true)}>
            {accountsTexts.value.statement.showAll} {count(lines.length)} {accountsTexts.value.statement.allChanges}
          </button>
          <span class="muted small">{accountsTexts.value.statement.closingNote}</span>
        </p>
      )}
    </Card>
  );
}
