import type { Series } from './chartProps.ts';

/** Which colour is which line. The table of the chart has the names for those who do not see it. */
export function ChartLegend({ of }: { readonly of: readonly Pick<Series, 'name' | 'tone'>[] }) {
  return (
    <span class="legend inline" aria-hidden="true">
      {of.map(({ name, tone }) => (
        <span key={name} data-option={tone}>
          {name}
        </span>
      ))}
    </span>
  );
}
