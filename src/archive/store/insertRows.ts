import { type Connection, integerOrNull, mostRows, portions, type Row, type SqlValue } from '../database/database.ts';
import type { RecordedAny, RecordedTally, UncertainPlace } from '../facts.ts';
import { countedHeights, type placedTables } from './schema.ts';

export type StoredRow = Readonly<Record<string, SqlValue>>;

/** A table of facts. */
type FactTable = (typeof placedTables)[number] | 'members' | 'proposers' | 'message_types';

/** The columns of a place. A fact without a height is visible from `base` on. */
export function placeColumns(at: UncertainPlace | null, base: bigint): StoredRow {
  if (at === null) return { seen: base, height: null, ord: 0n, time: null, hash: null };
  if (at.height === null) return { seen: base, height: null, ord: 0n, time: at.time, hash: null };
  return { seen: at.height, height: at.height, ord: BigInt(at.order), time: at.time, hash: at.hash };
}

export function anyText({ type, value }: RecordedAny): string {
  return JSON.stringify([type, Buffer.from(value).toString('base64')]);
}

export function tallyText(tally: RecordedTally | null): string | null {
  if (tally === null) return null;
  const { yesCount, abstainCount, noCount, noWithVetoCount } = tally;
  return JSON.stringify([yesCount, abstainCount, noCount, noWithVetoCount]);
}

/** Of rows with one key, the first one with a height, or else the first. One statement cannot store a key twice. */
function withoutRepeats(rows: readonly StoredRow[], key: readonly string[]): readonly StoredRow[] {
  const byKey = new Map<string, StoredRow>();
  for (const row of rows) {
    const name = key.map((column) => row[column]).join('\n');
    const keptRow = byKey.get(name);
    if (keptRow === undefined || (keptRow.height === null && row.height !== null)) byKey.set(name, row);
  }
  return [...byKey.values()];
}

async function insert(
  connection: Connection,
  table: FactTable,
  key: readonly string[],
  rows: readonly StoredRow[],
  conflict: string,
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const writtenRows: Row[] = [];
  const one = `(${columns.map(() => '?').join(', ')})`;
  for (const portion of portions(withoutRepeats(rows, key), mostRows)) {
    const values = portion.map(() => one).join(', ');
    const parameters = portion.flatMap((row) => columns.map((column): SqlValue => row[column] ?? null));
    const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values} ON CONFLICT (${key.join(', ')}) ${conflict}`;
    if (columns.includes('height')) writtenRows.push(...(await connection.run(`${text} RETURNING height`, parameters)));
    else await connection.run(text, parameters);
  }
  await countRows(connection, table, writtenRows);
}

/** Counts rows that were inserted with a height, or that got one: no row of a recorded block is replaced or deleted. */
export async function countRows(connection: Connection, table: string, written: readonly Row[]): Promise<void> {
  const totals = new Map<bigint, bigint>();
  for (const row of written) {
    const height = integerOrNull(row, 'height');
    if (height === null) continue;
    const part = height / countedHeights;
    totals.set(part, (totals.get(part) ?? 0n) + 1n);
  }
  for (const [part, total] of totals) {
    await connection.run(
      'INSERT INTO row_counts (name, part, total) VALUES (?, ?, ?) ON CONFLICT (name, part) DO UPDATE SET total = row_counts.total + excluded.total',
      [table, part, total],
    );
  }
}

/**
 * Inserts rows with a place. A row that exists is replaced if it does not come from a recorded block and the new one is better: its place is known, or it is
 * visible from a lower height. `kept` are columns of which a null does not replace a value.
 */
export function insertPlaced(
  connection: Connection,
  table: FactTable,
  key: readonly string[],
  rows: readonly StoredRow[],
  keptColumns: readonly string[] = [],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => !key.includes(column));
  const assignments = columns.map((column) =>
    keptColumns.includes(column)
      ? `${column} = COALESCE(excluded.${column}, ${table}.${column})`
      : `${column} = excluded.${column}`,
  );
  const isBetter = `(${table}.height IS NULL OR ${table}.ord < 0) AND (excluded.height IS NOT NULL OR excluded.seen < ${table}.seen)`;
  return insert(connection, table, key, rows, `DO UPDATE SET ${assignments.join(', ')} WHERE ${isBetter}`);
}

export const insertOnce = (connection: Connection, table: FactTable, key: readonly string[], rows: readonly StoredRow[]) =>
  insert(connection, table, key, rows, 'DO NOTHING');
