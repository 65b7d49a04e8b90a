import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Order, type SortKey, sortRows } from '../format/sorting.ts';
import { Scroll } from './Scroll.tsx';

/** A column of a table. */
export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** `num` aligns numbers to the right; `wide` is left out on narrow screens. */
  readonly class?: 'num' | 'wide' | 'num wide' | 'fill' | 'num fill' | undefined;
  /**
   * What rows are sorted by: a text, or a number of any size as decimal text. null comes last. Columns without it cannot be sorted, and neither can those of
   * a list that is not whole.
   */
  readonly sort?: ((row: Row) => SortKey) | undefined;
}

interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Whether the rows are the whole list. Sorting one page of a list would hide that the first of all is on another one. Default true. */
  readonly isWhole?: boolean;
}

/** A table. It scrolls sideways rather than being cut off; its head stays in view. Visitors sort it by the columns that can be sorted. */
export function Table<Row>({ name, columns, rows, keyOf, isWhole = true }: TableProps<Row>) {
  const [order, setOrder] = useState<Order | undefined>(undefined);
  const canSort = isWhole && rows.length > 1;
  const sort = columns.find((column) => column.name === order?.name)?.sort;
  const shownRows = canSort && order !== undefined && sort !== undefined ? sortRows(rows, sort, order) : rows;
  const change = (column: Column<Row>): void => {
    // Numbers begin with the largest. A third press returns to the order of the list.
    const first = column.class?.includes('num') === true;
    const isChosen = order?.name === column.name;
    if (!isChosen) setOrder({ name: column.name, isDescending: first });
    else setOrder(order.isDescending === first ? { ...order, isDescending: !first } : undefined);
  };
  return (
    <Scroll class="table-box" name={name}>
      <table>
        <caption class="visually-hidden">{name}</caption>
        <thead>
          <tr>
            {columns.map((column) => {
              const isChosen = canSort && order?.name === column.name;
              const direction = order?.isDescending === true ? 'descending' : 'ascending';
              return (
                <th key={column.name} scope="col" class={column.class} aria-sort={isChosen ? direction : undefined}>
                  {canSort && column.sort !== undefined ? (
                    <button type="button" class="sort" onClick={() => change(column)}>
                      {column.name}
                      <span aria-hidden="true">{isChosen ? (order?.isDescending === true ? ' ↓' : ' ↑') : ' ↕'}</span>
                    </button>
                  ) : (
                    column.name
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {shownRows.map((row) => (
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
