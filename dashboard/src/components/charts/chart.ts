import Big from 'big.js';
import uPlot from 'uplot';
import type { ChartProps } from './chartProps.ts';

const height = 200;

/** The value of a tick with as many decimals as the step between ticks has, so that no two ticks have the same text. */
function tickText(value: number, step: number): string {
  const digits = new Big(step).toFixed().split('.')[1]?.length ?? 0;
  return value.toLocaleString(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** The scale around values that begins near the lowest one. */
function zoomed(low: number, high: number): [number, number] {
  const rest = 0.08 * (high - low) || 0.005 * Math.abs(high) || 1;
  return [low - rest, high + rest];
}

/** Draws a chart into an element. It follows the width of the element and the theme. Returns a function that removes it. */
export function drawChart(place: HTMLElement, { times, series, top, gap, isZoomed = false }: ChartProps): () => void {
  let plot: uPlot | undefined;

  function draw(): void {
    plot?.destroy();
    const style = getComputedStyle(place);
    const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    const axis = {
      stroke: colour('muted'),
      grid: { stroke: colour('line'), width: 1 },
      ticks: { show: false },
      font: '12px system-ui, sans-serif',
    };
    const markGap = ({ ctx, bbox, valToPos }: uPlot): void => {
      if (gap === undefined) return;
      const [from, to] = [valToPos(gap.from / 1_000, 'x', true), valToPos(gap.to / 1_000, 'x', true)];
      ctx.save();
      ctx.fillStyle = colour('line');
      ctx.fillRect(from, bbox.top, to - from, bbox.height);
      ctx.fillStyle = colour('muted');
      ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
      ctx.textAlign = 'center';
      ctx.fillText('not known', (from + to) / 2, bbox.top + bbox.height / 2, Math.max(0, to - from));
      ctx.restore();
    };
    const stepped = uPlot.paths.stepped?.({ align: 1 });
    plot = new uPlot(
      {
        width: place.clientWidth,
        height,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { size: 6 } },
        scales: {
          y: {
            range: (_, low, high) => (isZoomed ? zoomed(low, high) : [Math.min(0, low), Math.max(high * 1.08, top ?? 0)]),
          },
        },
        hooks: { drawClear: [markGap] },
        axes: [
          { ...axis, space: 80 },
          {
            ...axis,
            size: (_, texts) => Math.max(56, 8 + 7.5 * Math.max(...(texts ?? []).map(({ length }) => length))),
            values: (_, values, _axis, _space, step) => values.map((value) => tickText(value, step)),
          },
        ],
        series: [
          {},
          ...series.map(({ name, tone, isStepped = false, isFilled = false, isDashed = false }) => ({
            label: name,
            stroke: colour(tone),
            width: 2,
            points: { show: false },
            ...(isDashed && { dash: [6, 4], width: 1 }),
            ...(isFilled && { fill: `color-mix(in srgb, ${colour(tone)} 18%, transparent)` }),
            ...(isStepped && stepped && { paths: stepped }),
          })),
        ],
      },
      [times.map((time) => time / 1_000), ...series.map(({ values }) => [...values])],
      place,
    );
  }

  draw();
  const resized = new ResizeObserver(() => {
    if (plot !== undefined && place.clientWidth !== plot.width) plot.setSize({ width: place.clientWidth, height });
  });
  resized.observe(place);
  const themed = new MutationObserver(draw);
  themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    resized.disconnect();
    themed.disconnect();
    plot?.destroy();
  };
}
