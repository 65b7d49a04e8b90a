import { useEffect, useRef } from 'preact/hooks';
import { locale } from '../../language/language.ts';
import { ChartTable } from './ChartTable.tsx';
import type { ChartProps } from './chartProps.ts';

/** A chart, and its values as a table. The code of the charts is loaded with the first of them. */
export function LazyChart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const key = JSON.stringify([props, locale.value]);

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

  return (
    <>
      <div class="chart-place" ref={place} role="img" aria-label={props.name} />
      <ChartTable {...props} />
    </>
  );
}
