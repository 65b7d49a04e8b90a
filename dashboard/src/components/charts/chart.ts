import Big from 'big.js';
import uPlot from 'uplot';
import { locale, texts } from '../../language/language.ts';
import type { ChartProps, Gap } from './chartProps.ts';
import { headAt, shownValue } from './values.ts';

const height = 200;

/** The distances between ticks of ranks: 1, 2 and 5 with zeros. */
const rankSteps = [0, 1, 2, 3].flatMap((zeros) => [1, 2, 5].map((digit) => digit * 10 ** zeros));

/** The value of a tick with as many decimals as the step between ticks has, so that no two ticks have the same text. */
function tickText(value: number, step: number): string {
  const digits = new Big(step).toFixed().split('.')[1]?.length ?? 0;
  return value.toLocaleString(locale.value, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

const [day, month] = [86_400, 28 * 86_400];

/** The texts of ticks, at times in seconds. The first one of a day also has its date, so that no two ticks have the same text. */
export function tickTimes(times: readonly number[], step: number): readonly string[] {
  const write = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale.value, options);
    return (time: number): string => format.format(time * 1_000);
  };
  if (step >= month) return times.map(write({ month: 'short', year: 'numeric' }));
  const date = write({ day: 'numeric', month: 'short' });
  if (step >= day) return times.map(date);
  const time = write({ hour: '2-digit', minute: '2-digit', ...(step < 60 && { second: '2-digit' }) });
  return times.map((each, index) => {
    const before = times[index - 1];
    return before === undefined || date(before) !== date(each) ? `${time(each)}\n${date(each)}` : time(each);
  });
}

/** Shows the values under the pointer: the time, and each line with its value, or that it is not known. */
function createTooltip(place: HTMLElement, props: ChartProps) {
  const { times, series } = props;
  const tip = document.createElement('div');
  tip.className = 'chart-tip';
  tip.hidden = true;
  place.append(tip);
  return {
    show({ cursor: { idx, left = -1 }, bbox }: uPlot): void {
      const time = idx == null ? undefined : times[idx];
      tip.hidden = time === undefined || left < 0;
      if (idx == null || time === undefined || left < 0) return;
      const lines = series.map(({ name, tone, values }) => {
        const line = document.createElement('div');
        line.dataset.option = tone;
        line.textContent = `${name}: ${shownValue(values[idx])}`;
        return line;
      });
      const head = document.createElement('strong');
      head.textContent = headAt(props, idx);
      tip.replaceChildren(head, ...lines);
      const isRight = left > bbox.width / devicePixelRatio / 2;
      const offset = bbox.left / devicePixelRatio + left;
      tip.style.left = isRight ? '' : `${offset + 12}px`;
      tip.style.right = isRight ? `${place.clientWidth - offset + 12}px` : '';
    },
    remove: (): void => tip.remove(),
  };
}

/** The scale around values that begins near the lowest one. */
function zoomed(low: number, high: number): [number, number] {
  const rest = 0.08 * (high - low) || 0.005 * Math.abs(high) || 1;
  return [low - rest, high + rest];
}

/** Draws a chart into an element. It follows the width of the element and the theme. Returns a function that removes it. */
export function drawChart(place: HTMLElement, props: ChartProps): () => void {
  const { times, series, top, gaps = [], isZoomed = false, isRanked = false } = props;
  const unit = isRanked ? 1 : 1_000;
  const tooltip = createTooltip(place, props);
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
    const markGap = ({ ctx, bbox, valToPos }: uPlot, gap: Gap): void => {
      const [from, to] = [valToPos(gap.from / unit, 'x', true), valToPos(gap.to / unit, 'x', true)];
      ctx.save();
      ctx.fillStyle = colour('line');
      ctx.fillRect(from, bbox.top, to - from, bbox.height);
      ctx.fillStyle = colour('muted');
      ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
      ctx.textAlign = 'center';
      ctx.fillText(texts.value.format.notKnown, (from + to) / 2, bbox.top + bbox.height / 2, Math.max(0, to - from));
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
          x: { time: !isRanked },
          y: {
            range: (_, low, high) => (isZoomed ? zoomed(low, high) : [Math.min(0, low), Math.max(high * 1.08, top ?? 0)]),
          },
        },
        hooks: { drawClear: [(chart) => gaps.forEach((gap) => void markGap(chart, gap))], setCursor: [tooltip.show] },
        axes: [
          {
            ...axis,
            space: 80,
            // There is nothing between two ranks.
            ...(isRanked && { incrs: rankSteps }),
            values: (_, values, _axis, _space, step) =>
              isRanked ? values.map((value) => tickText(value, step)) : [...tickTimes(values, step)],
          },
          {
            ...axis,
            size: (_, texts) => Math.max(56, 8 + 7.5 * Math.max(...(texts ?? []).map(({ length }) => length))),
            values: (_, values, _axis, _space, step) => values.map((value) => tickText(value, step)),
          },
        ],
        series: [
          {},
          ...series.map(({ name, tone, isStepped = false, isFilled = false, isDashed = false, hasPoints = false }) => ({
            label: name,
            stroke: colour(tone),
            width: 2,
            points: { show: hasPoints, size: 7, fill: colour(tone) },
            ...(isDashed && { dash: [6, 4], width: 1 }),
            ...(isFilled && { fill: `color-mix(in srgb, ${colour(tone)} 18%, transparent)` }),
            ...(isStepped && stepped && { paths: stepped }),
          })),
        ],
      },
      [times.map((time) => time / unit), ...series.map(({ values }) => [...values])],
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
  // Without a choice of the visitor, the theme is that of the system.
  const systemTheme = matchMedia('(prefers-color-scheme: dark)');
  systemTheme.addEventListener('change', draw);
  return () => {
    resized.disconnect();
    themed.disconnect();
    systemTheme.removeEventListener('change', draw);
    plot?.destroy();
    tooltip.remove();
  };
}
