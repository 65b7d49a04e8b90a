import { useEffect, useRef } from 'preact/hooks';

/** A line of a chart. */
export interface Series {
  readonly name: string;
  /** The name of a colour of the styles, `--yes` without its dashes. */
  readonly tone: string;
  readonly values: readonly (number | null)[];
  /** Whether a value holds until the next one. */
  readonly isStepped?: boolean;
  readonly isFilled?: boolean;
  readonly isDashed?: boolean;
}

/** The data of a chart over time. */
export interface ChartProps {
  /** In ms, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** What the chart shows, for screen readers. */
  readonly name: string;
  /** The least top of the scale. */
  readonly top?: number;
  /** Whether the scale begins near the lowest value instead of at 0. */
  readonly isZoomed?: boolean;
}

/** A chart over time. The code of the charts is loaded with the first of them. */
export function LazyChart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const key = JSON.stringify(props);

  useEffect(() => {
    let destroy: (() => void) | undefined;
    let isGone = false;
    void import('./chart.ts').then(({ drawChart }) => {
      if (!isGone && place.current !== null) destroy = drawChart(place.current, props);
    });
    return () => {
      isGone = true;
      destroy?.();
    };
  }, [key]);

  return <div class="chart-place" ref={place} role="img" aria-label={props.name} />;
}
