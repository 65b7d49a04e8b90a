import type { BlockTime } from '../../chain/past/keptPast.ts';
import { type Run, StoreRuns } from '../../chain/past/storeRuns.ts';
import { bytesAt, type Connection, integerAt, mostRows, portions, type Row, type Sql, sql } from '../database/database.ts';
import { countRows } from './insertRows.ts';

/** A run of a store, as it is kept. */
export interface StoreRun extends Run {
  readonly store: string;
}

/** Stores the times of blocks, within the caller's transaction. A block has one time, which never changes. */
export async function storeTimes(connection: Connection, blocks: readonly BlockTime[]): Promise<void> {
  const written: Row[] = [];
  for (const portion of portions(blocks, mostRows)) {
    const values = portion.map(() => '(?, ?)').join(', ');
    const text = `INSERT INTO block_times (height, time) VALUES ${values} ON CONFLICT (height) DO NOTHING RETURNING height`;
    const parameters = portion.flatMap(({ height, time }) => [height, time]);
    written.push(...(await connection.run(text, parameters)));
  }
  await countRows(connection, 'block_times', written);
}

const columns = 'base, until, root, is_small';

/** The run in a row of {@link runsQuery}. */
export function runIn(row: Row): Run {
  return {
    first: integerAt(row, 'base'),
    last: integerAt(row, 'until'),
    root: Buffer.from(bytesAt(row, 'root')).toString('hex'),
    isSmall: integerAt(row, 'is_small') === 1n,
  };
}

/** The base of the run of a store that begins last up to a height; 0 if none does. */
const baseAt = (store: string, height: bigint): Sql =>
  sql`COALESCE((SELECT max(base) FROM store_runs WHERE store = ${store} AND base <= ${height}), 0)`;

/** The runs of a store from the one that contains `from`, or from the last one before it, that begin up to `to`: at most `most`, ascending. */
export const runsQuery = (store: string, from: bigint, to: bigint, most: number): Sql =>
  sql`SELECT ${{ text: columns, values: [] }} FROM store_runs WHERE store = ${store} AND base >= ${baseAt(store, from)} AND base <= ${to}
    ORDER BY base LIMIT ${BigInt(most)}`;

/** The runs that a run may become one with: the last one before it, those in it, and the first one after it. */
const neighboursQuery = (store: string, { first, last }: Run): Sql =>
  sql`SELECT ${{ text: columns, values: [] }} FROM store_runs WHERE store = ${store} AND base >= ${baseAt(store, first)}
    AND base <= COALESCE((SELECT min(base) FROM store_runs WHERE store = ${store} AND base > ${last}), ${last})`;

async function storeRun(connection: Connection, { store, ...run }: StoreRun): Promise<void> {
  const query = neighboursQuery(store, run);
  const before = (await connection.run(query.text, query.values)).map(runIn);
  const runs = new StoreRuns();
  for (const each of [...before, run]) runs.add(each);
  const after = new Map(runs.all().map((each) => [each.first, each]));
  for (const { first } of before)
    if (!after.has(first)) await connection.run('DELETE FROM store_runs WHERE store = ? AND base = ?', [store, first]);
  const lasts = new Map(before.map(({ first, last }) => [first, last]));
  for (const { first, last, root, isSmall } of after.values()) {
    const oldLast = lasts.get(first);
    if (oldLast === undefined)
      await connection.run('INSERT INTO store_runs (store, base, until, root, is_small) VALUES (?, ?, ?, ?, ?)', [
        ...[store, first, last, Buffer.from(root, 'hex')],
        isSmall ? 1n : 0n,
      ]);
    else if (oldLast !== last)
      await connection.run('UPDATE store_runs SET until = ? WHERE store = ? AND base = ?', [last, store, first]);
  }
}

/** Stores runs within the caller's transaction. They become one with those of the same root, if nothing can have changed between them. */
export async function storeRuns(connection: Connection, runs: readonly StoreRun[]): Promise<void> {
  for (const run of runs) await storeRun(connection, run);
}

/** The time of a block. */
export const timeQuery = (height: bigint): Sql => sql`SELECT height, time FROM block_times WHERE height = ${height}`;

/**
 * The last kept block whose time is not after `time`, and the first one after that. Times ascend with heights, so the query bisects the heights, and an index
 * by time is not needed.
 */
export function aroundQuery(time: bigint): Sql {
  const middle = '(s.low + s.high) / 2';
  const isBefore = sql`COALESCE((SELECT t.time FROM block_times t WHERE t.height <= ${{ text: middle, values: [] }} ORDER BY t.height DESC LIMIT 1) <= ${time}, 1 = 1)`;
  return sql`WITH RECURSIVE s (low, high) AS (
      SELECT CAST(0 AS BIGINT), (SELECT COALESCE(max(height), 0) + 1 FROM block_times)
      UNION ALL SELECT CASE WHEN ${isBefore} THEN ${{ text: middle, values: [] }} ELSE s.low END,
        CASE WHEN ${isBefore} THEN s.high ELSE ${{ text: middle, values: [] }} END FROM s WHERE s.high - s.low > 1)
    SELECT height, time FROM block_times WHERE height = (SELECT max(height) FROM block_times WHERE height <= (SELECT max(low) FROM s))
      OR height = (SELECT min(height) FROM block_times WHERE height >= (SELECT min(high) FROM s)) ORDER BY height`;
}

/** The block in a row of {@link timeQuery} or {@link aroundQuery}. */
export const timeIn = (row: Row): BlockTime => ({ height: integerAt(row, 'height'), time: integerAt(row, 'time') });
