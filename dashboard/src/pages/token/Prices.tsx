import { LazyChart } from '../../components/charts/LazyChart.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import type { TokenHistoryQuery } from '../../gen/graphql.ts';

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
      title="Net asset value"
      aside={unit ? <span class="muted">{unit.symbol || unit.denom.toUpperCase()} per unit</span> : null}
    >
      {isLoading ? <div class="chart-place" /> : null}
      {!isLoading && points.length < 2 ? (
        <Empty>{points.length === 0 ? 'No price' : 'Only one price'} was set in the blocks that the nodes still have.</Empty>
      ) : null}
      {points.length < 2 ? null : (
        <LazyChart
          name={`The price of ${denom} over time, ${points.length} values`}
          times={points.map(([time]) => time)}
          series={[{ name: 'Price', tone: 'accent', values: points.map(([, price]) => price), isStepped: true }]}
          isZoomed
        />
      )}
    </Card>
  );
}
