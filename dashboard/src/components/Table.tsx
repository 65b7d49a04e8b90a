import type { ComponentChildren } from 'preact';
import { Scroll } from './Scroll.tsx';

/** A column of a table. */
export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** `num` aligns numbers to the right; `wide` is left out on narrow screens. */
  readonly class?: 'num' | 'wide' | 'num wide' | 'fill' | 'num fill' | undefined;
}

interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/** A table. It scrolls sideways rather than being cut off. */
export function Table<Row>({ name, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <Scroll class="table-box" name={name}>
      <table>
        <caption class="visually-hidden">{name}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={column.class}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.name} class={column.class}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
