import type { Row } from './connection.ts';

function wrong(column: string, what: string): TypeError {
  return new TypeError(`column ${column} of the archive has no ${what}`);
}

/** The integer in a column. Throws for anything else. */
export function integerAt(row: Row, column: string): bigint {
  const value = row[column];
  if (typeof value !== 'bigint') throw wrong(column, 'integer');
  return value;
}

/** The integer in a column, or null. */
export function integerOrNull(row: Row, column: string): bigint | null {
  return row[column] === null ? null : integerAt(row, column);
}

/** A small integer in a column. */
export function numberAt(row: Row, column: string): number {
  return Number(integerAt(row, column));
}

/** The text in a column. Throws for anything else. */
export function textAt(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw wrong(column, 'text');
  return value;
}

/** The bytes in a column. Throws for anything else. */
export function bytesAt(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (typeof value !== 'object' || value === null) throw wrong(column, 'bytes');
  return value;
}

/** The text in a column, or null. */
export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : textAt(row, column);
}

/** The text in a column, which must be one of `names`. */
export function oneOf<const T extends string>(row: Row, column: string, names: readonly T[]): T {
  const text = textAt(row, column);
  const found = names.find((name) => name === text);
  if (found === undefined) throw wrong(column, `known value, but ${text}`);
  return found;
}
