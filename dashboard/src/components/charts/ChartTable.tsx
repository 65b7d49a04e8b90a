import { useState } from 'preact/hooks';
import { texts } from '../../language/language.ts';
import { Table } from '../Table.tsx';
import type { ChartProps } from './chartProps.ts';
import { headAt, shownValue } from './values.ts';

/** The values of a chart as a table, for those who cannot see or point at it. Its rows are made when it is opened. */
export function ChartTable(props: ChartProps) {
  const [isOpen, setOpen] = useState(false);
  const { name, times, series, headName = texts.value.words.time } = props;
  return (
    <details class="chart-table" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.value.parts.asTable}</summary>
      {isOpen ? (
        <Table
          name={name}
          rows={times.map((_, index) => index)}
          keyOf={String}
          columns={[
            { name: headName, class: 'fill', cell: (index) => headAt(props, index) },
            ...series.map((line) => ({
              name: line.name,
              class: 'num' as const,
              cell: (index: number) => shownValue(line.values[index]),
            })),
          ]}
        />
      ) : null}
    </details>
  );
}
