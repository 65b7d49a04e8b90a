import type { Columns } from './columns.ts';
import { csvRow } from './csv.ts';

/** The formats in which whole lists are written: one JSON object on each line, or comma-separated values with a header row. */
export const listFormats = ['ndjson', 'csv'] as const;

/** A format of whole lists. */
export type ListFormat = (typeof listFormats)[number];

/** Writes a list in a format: what precedes the first row, and a row with its line break. */
export interface ListWriter<V> {
  readonly start: string;
  row(row: V): string;
}

/** Creates the writer of a list with these columns. */
export function createListWriter<V>(format: ListFormat, columns: Columns<V>): ListWriter<V> {
  if (format === 'ndjson') return { start: '', row: (row) => `${JSON.stringify(row)}\n` };
  const cells = Object.values(columns);
  return { start: csvRow(Object.keys(columns)), row: (row) => csvRow(cells.map((cell) => cell(row))) };
}
