import type { Connection, Row, SqlValue } from '../database/connection.ts';
import { integerOrNull } from '../database/row.ts';
import type { Fact } from '../facts.ts';
import { type FactRows, factRows, type StoredRow } from './factRows.ts';
import { storeOutcomes } from './outcomes.ts';
import { countedHeights } from './schema.ts';

/** Rows of one statement, from the most. Few sizes make few statements to prepare. */
const sizes = [64, 16, 4, 1];

function portions<T>(items: readonly T[]): readonly (readonly T[])[] {
  const result: (readonly T[])[] = [];
  for (let start = 0; start < items.length; ) {
    const size = sizes.find((candidate) => candidate <= items.length - start) ?? 1;
    result.push(items.slice(start, start + size));
    start += size;
  }
  return result;
}

/** Of rows with one key, the first one with a height, or else the first. One statement cannot store a key twice. */
function withoutRepeats(rows: readonly StoredRow[], key: readonly string[]): readonly StoredRow[] {
  const byKey = new Map<string, StoredRow>();
  for (const row of rows) {
    const name = key.map((column) => row[column]).join('\n');
    const kept = byKey.get(name);
    if (kept === undefined || (kept.height === null && row.height !== null)) byKey.set(name, row);
  }
  return [...byKey.values()];
}

async function insert(
  connection: Connection,
  table: keyof FactRows,
  key: readonly string[],
  rows: readonly StoredRow[],
  conflict: string,
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const written: Row[] = [];
  const one = `(${columns.map(() => '?').join(', ')})`;
  for (const portion of portions(withoutRepeats(rows, key))) {
    const values = portion.map(() => one).join(', ');
    const parameters = portion.flatMap((row) => columns.map((column): SqlValue => row[column] ?? null));
    const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values} ON CONFLICT (${key.join(', ')}) ${conflict}`;
    if (columns.includes('height')) written.push(...(await connection.run(`${text} RETURNING height`, parameters)));
    else await connection.run(text, parameters);
  }
  await countRows(connection, table, written);
}

/** Counts rows that were inserted with a height, or that got one: no row of a recorded block is replaced or deleted. */
async function countRows(connection: Connection, table: keyof FactRows, written: readonly Row[]): Promise<void> {
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
function insertPlaced(
  connection: Connection,
  table: keyof FactRows,
  key: readonly string[],
  rows: readonly StoredRow[],
  kept: readonly string[] = [],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => !key.includes(column));
  const assignments = columns.map((column) =>
    kept.includes(column) ? `${column} = COALESCE(excluded.${column}, ${table}.${column})` : `${column} = excluded.${column}`,
  );
  const isBetter = `(${table}.height IS NULL OR ${table}.ord < 0) AND (excluded.height IS NOT NULL OR excluded.seen < ${table}.seen)`;
  return insert(connection, table, key, rows, `DO UPDATE SET ${assignments.join(', ')} WHERE ${isBetter}`);
}

const insertOnce = (connection: Connection, table: keyof FactRows, key: readonly string[], rows: readonly StoredRow[]) =>
  insert(connection, table, key, rows, 'DO NOTHING');

const listFor = (values: readonly SqlValue[]): string => `(${values.map(() => '?').join(', ')})`;

/**
 * Stores executions. The start of a range shows only that an earlier attempt failed; that row is left out or deleted where the attempt itself is
 * recorded, or was shown at a lower height. What was found before a range is visible from a lower range on, and is deleted where its block is recorded.
 */
async function storeExecutions(connection: Connection, rows: readonly StoredRow[]): Promise<void> {
  const fresh: StoredRow[] = [];
  /** The proposals with a fresh row, by the height from which it is visible. */
  const idsBySeen = new Map<SqlValue, SqlValue[]>();
  for (const row of rows) {
    const { proposal_id = null, seen = null, height = null } = row;
    if (height === null) {
      await connection.run('UPDATE executions SET seen = ? WHERE proposal_id = ? AND ord < 0 AND height <= ? AND seen > ?', [
        seen,
        proposal_id,
        seen,
        seen,
      ]);
      const [earlier] = await connection.run(
        'SELECT seen FROM executions WHERE proposal_id = ? AND seen <= ? AND result <> 1 LIMIT 1',
        [proposal_id, seen],
      );
      if (earlier !== undefined) continue;
    }
    const ids = idsBySeen.get(seen) ?? [];
    ids.push(proposal_id);
    idsBySeen.set(seen, ids);
    fresh.push(row);
  }
  for (const [seen, ids] of idsBySeen)
    for (const portion of portions(ids))
      await connection.run(
        `DELETE FROM executions WHERE proposal_id IN ${listFor(portion)} AND (height IS NULL AND seen >= ? OR ord < 0 AND height = ?)`,
        [...portion, seen, seen],
      );
  await insertOnce(connection, 'executions', ['proposal_id', 'seen', 'ord'], fresh);
}

/** Repeats what closes, executions, deletions and policies say about proposals, for the indexes. */
async function updateProposals(connection: Connection, rows: FactRows): Promise<void> {
  const { proposals, closes, executions, prunes, policy_versions } = rows;
  const ids = new Set([...proposals.map(({ id = null }) => id), ...closes.map(({ proposal_id = null }) => proposal_id)]);
  for (const portion of portions([...ids])) {
    await connection.run(
      `UPDATE proposals SET closed = (SELECT seen FROM closes WHERE proposal_id = proposals.id)
        WHERE id IN ${listFor(portion)} AND EXISTS (SELECT 1 FROM closes WHERE proposal_id = proposals.id)`,
      portion,
    );
  }
  const addresses = new Set([
    ...proposals.flatMap(({ group_id, policy_address = null }) => (group_id === null ? [policy_address] : [])),
    ...policy_versions.map(({ address = null }) => address),
  ]);
  for (const address of addresses) {
    await connection.run(
      'UPDATE proposals SET group_id = (SELECT min(group_id) FROM policy_versions WHERE address = ?) WHERE policy_address = ? AND group_id IS NULL',
      [address, address],
    );
    await connection.run(
      'UPDATE outcomes SET group_id = (SELECT min(group_id) FROM policy_versions WHERE address = ?) WHERE policy_address = ? AND group_id IS NULL',
      [address, address],
    );
  }
  for (const { proposal_id = null } of [...executions, ...prunes]) ids.add(proposal_id);
  for (const portion of portions([...ids])) await storeOutcomes(connection, portion);
}

/**
 * Stores facts, within the caller's transaction. Facts without a height are visible from `base` on. A fact that is stored already with its place is
 * left as it is.
 */
export async function storeFacts(connection: Connection, facts: readonly Fact[], base: bigint): Promise<void> {
  if (facts.length === 0) return;
  const rows = factRows(facts, base);
  await insertOnce(connection, 'members', ['member_set', 'address'], rows.members);
  await insertPlaced(connection, 'group_versions', ['group_id', 'version'], rows.group_versions, ['member_set']);
  for (const { group_id = null, version = null, member_set = null } of rows.group_versions) {
    if (member_set === null) continue;
    await connection.run('UPDATE group_versions SET member_set = ? WHERE group_id = ? AND version = ? AND member_set IS NULL', [
      member_set,
      group_id,
      version,
    ]);
  }
  await insertPlaced(connection, 'policy_versions', ['address', 'version'], rows.policy_versions);
  await insertPlaced(connection, 'proposals', ['id'], rows.proposals, ['group_id', 'group_version', 'policy_version']);
  await insertOnce(connection, 'proposers', ['address', 'proposal_id'], rows.proposers);
  await insertOnce(connection, 'message_types', ['type', 'proposal_id'], rows.message_types);
  await insertPlaced(connection, 'votes', ['proposal_id', 'voter'], rows.votes);
  await storeExecutions(connection, rows.executions);
  await insertPlaced(connection, 'closes', ['proposal_id'], rows.closes);
  await insertPlaced(connection, 'prunes', ['proposal_id'], rows.prunes);
  await insertOnce(connection, 'unexplained', ['what', 'proposal_id', 'seen', 'ord'], rows.unexplained);
  await updateProposals(connection, rows);
}
