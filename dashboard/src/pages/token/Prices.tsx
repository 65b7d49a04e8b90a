import { LazyChart } from '../../components/charts/LazyChart.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { count } from '../../format/numbers.ts';
import type { TokenHistoryQuery } from '../../gen/graphql.ts';
import { chainTexts } from '../../language/chain/texts.ts';

interface PricesProps {
  readonly denom: string;
  readonly of: TokenHistoryQuery['marker'] | undefined;
  readonly isLoading: boolean;
}

/** The price of a token over time, in the price denom of its newest net asset value. */
export function Prices({ denom, of, isLoading }: PricesProps) {
  const prices = (of?.netAssetValueHistory?.nodes ?? []).filter(({ pricePerDisplayUnit }) => pricePerDisplayUnit !== null);
  const unit = prices[0]?.pricePerDisplayUnit;
  const points = prices
    .filter(({ pricePerDisplayUnit: price, updatedBlock }) => price?.denom === unit?.denom && updatedBlock !== null)
    .map(
      ({ pricePerDisplayUnit: price, updatedBlock }) => [Date.parse(updatedBlock?.time ?? ''), Number(price?.amount)] as const,
    )
    .toReversed();
  return (
    <Card
      title={chainTexts.value.token.value}
      aside={
        unit ? (
          <span class="muted">
            {unit.symbol || unit.denom.toUpperCase()} {chainTexts.value.token.perUnit}
          </span>
        ) : null
      }
    >
      {isLoading ? <div class="chart-place" /> : null}
      {!isLoading && points.length < 2 ? (
        <Empty>
          {points.length === 0 ? chainTexts.value.token.noPrice : chainTexts.value.token.onePrice}{' '}
          {chainTexts.value.token.priceWasSet}
        </Empty>
      ) : null}
      {points.length < 2 ? null : (
        <LazyChart
          name={chainTexts.value.token.priceOverTime(denom, count(points.length))}
          times={points.map(([time]) => time)}
          series={[
            { name: chainTexts.value.token.price, tone: 'accent', values: points.map(([, price]) => price), isStepped: true },
          ]}
          isZoomed
        />
      )}
    </Card>
  );
}
