import type { Result } from '@stele/client';
import { useEffect, useState } from 'preact/hooks';
import { ChartLegend } from '../../components/charts/ChartLegend.tsx';
import type { Series } from '../../components/charts/chartProps.ts';
import { LazyChart } from '../../components/charts/LazyChart.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { asFailure, errorWords } from '../../data/failures.ts';
import { stele } from '../../data/stele.ts';
import { shorten } from '../../format/addresses.ts';
import { count, countOf, percent } from '../../format/numbers.ts';
import { texts } from '../../language/language.ts';
import { trendTexts } from '../../language/trends/texts.ts';
import { HoldersPartDocument, type HoldersPartQuery } from './gen/graphql.ts';
import { distributionOf, type Holding } from './holders.ts';
import type { DistributionProps } from './trendProps.ts';

/** The most holders that are read, 100 in each request. */
const mostHolders = 1_000;

/** The holders that were read so far. */
interface Reading {
  readonly holders: readonly Holding[];
  readonly supply: string;
  readonly progress: 'reading' | 'whole' | 'bound';
}

/** Reads the holders at a height, in parts. */
function useHolders(denom: string, height: bigint | undefined): Reading | string | undefined {
  const [state, setState] = useState<Reading | string>();
  useEffect(() => {
    if (height === undefined) return;
    const leaving = new AbortController();
    const { signal } = leaving;

    const readPart = (after: string | null): Promise<Result<HoldersPartQuery>> =>
      stele.query(HoldersPartDocument, { denom, after }, { height, signal });

    async function read(): Promise<void> {
      const holders: Holding[] = [];
      let after: string | null = null;
      while (!signal.aborted) {
        const { data, errors } = await readPart(after);
        const { holders: part, supplyOf } = data;
        if (part === null || supplyOf === null) throw errors?.[0] ?? new Error('The holders cannot be read.');
        for (const { account, balance } of part.nodes) holders.push({ ...account, amount: balance.amount });
        const { hasNextPage, endCursor } = part.pageInfo;
        const isBound = holders.length >= mostHolders;
        setState({
          holders: [...holders],
          supply: supplyOf.amount,
          progress: !hasNextPage ? 'whole' : isBound ? 'bound' : 'reading',
        });
        if (!hasNextPage || isBound) return;
        after = endCursor;
      }
    }

    read().catch((error: unknown) => {
      if (!signal.aborted) setState(errorWords(asFailure(error)));
    });
    return () => leaving.abort();
  }, [denom, height]);
  return state;
}

function Curve({ of: { holders, supply, progress } }: { readonly of: Reading }) {
  const text = trendTexts.value.holders;
  const distribution = distributionOf(holders, supply);
  if (distribution === undefined) return <Empty>{text.noSupply}</Empty>;
  const { holdings, shares, sums, rest } = distribution;
  const number = countOf(holdings.length, texts.value.counts.holders);
  const tops = [1, 10, 100].filter((top) => top <= holdings.length);
  const lines: readonly Series[] = [
    { name: text.together, tone: 'accent', values: sums, isFilled: true, hasPoints: holdings.length <= 50 },
    { name: text.single, tone: 'muted', values: shares, isDashed: true, hasPoints: holdings.length <= 50 },
  ];
  return (
    <div aria-busy={progress === 'reading'}>
      <p class="row wrap">
        {tops.map((top) => (
          <strong key={top} class="num">
            {top === 1
              ? text.largest(percent(String(sums[0] ?? 0)))
              : text.top(count(top), percent(String(sums[top - 1] ?? 0)))}
          </strong>
        ))}
      </p>
      <ChartLegend of={lines} />
      <LazyChart
        name={text.chart(number)}
        isRanked
        times={holdings.map((_, index) => index + 1)}
        heads={holdings.map(({ address, moduleName }, index) => text.head(count(index + 1), moduleName ?? shorten(address)))}
        headName={text.rank}
        top={100}
        series={lines}
      />
      <p class="note">{progress === 'whole' ? text.note(number) : text.partial(number, percent(String(rest)))}</p>
    </div>
  );
}

/**
 * How the supply of a token is distributed over its holders. The chain lists holders by address, so all of them are read to know the largest ones, and only when a visitor
 * asks for it.
 */
export function Distribution({ denom, height }: DistributionProps) {
  const [asked, setAsked] = useState<bigint>();
  const state = useHolders(denom, asked);
  const text = trendTexts.value.holders;
  return (
    <Card title={text.title}>
      <p class="row wrap">
        <button
          type="button"
          class="button small"
          disabled={height === undefined || (asked !== undefined && state === undefined)}
          onClick={() => setAsked(height)}
        >
          {text.ask}
        </button>
        <span class="muted small">{text.askNote(count(mostHolders))}</span>
      </p>
      {typeof state === 'string' ? <Empty>{trendTexts.value.failed(state)}</Empty> : null}
      {typeof state === 'object' ? <Curve of={state} /> : null}
    </Card>
  );
}
