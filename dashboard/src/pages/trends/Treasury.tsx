import { useState } from 'preact/hooks';
import { unitOf } from '../../components/Amount.tsx';
import { LazyChart } from '../../components/charts/LazyChart.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Skeleton } from '../../components/page/Skeleton.tsx';
import { type Span, Spans } from '../../components/Spans.tsx';
import { errorWords } from '../../data/failures.ts';
import { useRead } from '../../data/useRead.ts';
import { count, countOf } from '../../format/numbers.ts';
import { texts } from '../../language/language.ts';
import { trendTexts } from '../../language/trends/texts.ts';
import { urlOf } from '../../routing/router.ts';
import { balanceSteps } from '../statement/steps.ts';
import { TreasuryDocument, type TreasuryQuery } from './gen/graphql.ts';
import type { TreasuryProps } from './trendProps.ts';

type StatementData = NonNullable<NonNullable<TreasuryQuery['account']>['statement']>;

/** The most tokens with a chart: those with the most changes. */
const mostCharts = 4;

const unitIn = ({ denom, display, closing }: StatementData['denoms'][number]): string =>
  unitOf({ denom, display, amount: closing });

/** The balances of a statement over time. `isCut`: whether it begins with the oldest block, because the chosen time begins earlier. */
function Balances({ of, isCut }: { readonly of: StatementData; readonly isCut: boolean }) {
  const { treasury } = trendTexts.value;
  const moved = of.denoms
    .filter(({ lines }) => lines.length > 0)
    .toSorted((one, other) => other.lines.length - one.lines.length);
  const rest = of.denoms.filter(({ lines }) => lines.length === 0);
  const notes = [
    ...(isCut ? [treasury.cut(count(of.from))] : []),
    ...(moved.some(({ unexplained }) => unexplained !== '0') ? [treasury.unexplained] : []),
    ...(moved.length > mostCharts ? [treasury.more(countOf(moved.length - mostCharts, texts.value.counts.moreTokens))] : []),
    ...(rest.length === 0 ? [] : [treasury.unchanged(rest.map(unitIn).join(', '))]),
  ];
  return (
    <>
      {of.denoms.length === 0 ? <Empty>{treasury.nothing}</Empty> : null}
      {moved.slice(0, mostCharts).map((denom) => {
        const unit = unitIn(denom);
        const { times, values, gap } = balanceSteps(of, denom);
        return (
          <section key={denom.denom} aria-label={unit}>
            <h3>{unit}</h3>
            <LazyChart
              name={treasury.chart(unit, countOf(denom.lines.length, texts.value.counts.changes))}
              times={times}
              gaps={gap && [gap]}
              series={[{ name: unit, tone: 'accent', values, isStepped: true, isFilled: true }]}
            />
          </section>
        );
      })}
      {notes.length === 0 ? null : <p class="note">{notes.join(' ')}</p>}
    </>
  );
}

interface SinceProps {
  readonly address: string;
  readonly from: string;
  readonly height: bigint;
  readonly isCut?: boolean;
}

/** The balances since a place, up to the height. If the state of the place is gone, they begin with the oldest block that can be read. */
function Since({ address, from, height, isCut = false }: SinceProps) {
  const { data, partial, failure } = useRead(TreasuryDocument, { address, from }, height);
  const { treasury, failed, reading } = trendTexts.value;
  const statement = data?.account?.statement;
  if (statement) return <Balances of={statement} isCut={isCut} />;
  const error = failure ?? partial[0];
  if (error === undefined)
    return (
      <div role="status" aria-label={reading}>
        <Skeleton lines={4} />
      </div>
    );
  const { earliestHeight } = error.facts;
  if (error.code === 'HEIGHT_PRUNED' && !isCut && typeof earliestHeight === 'string')
    return <Since key={earliestHeight} address={address} from={earliestHeight} height={height} isCut />;
  if (error.code === 'OPERATION_TOO_COMPLEX') return <Empty>{treasury.tooMany}</Empty>;
  return <Empty>{error.code === 'INDEX_UNAVAILABLE' ? treasury.noIndex : failed(errorWords(error))}</Empty>;
}

/**
 * What an account held over time, a chart for each token that moved. It is the statement of the account, which a server makes by one search of the movements, so nothing is read
 * before a visitor chooses a time.
 */
export function Treasury({ address, height }: TreasuryProps) {
  const [chosen, setChosen] = useState<{ readonly span: Span; readonly height: bigint }>();
  const { treasury } = trendTexts.value;
  return (
    <Card title={treasury.title} aside={<a href={urlOf(`/accounts/${address}/statement`)}>{treasury.statement}</a>}>
      <Spans chosen={chosen?.span} onChoose={(span) => height !== undefined && setChosen({ span, height })} />
      {chosen === undefined ? null : (
        <Since key={chosen.span.from} address={address} from={chosen.span.from} height={chosen.height} />
      )}
    </Card>
  );
}
