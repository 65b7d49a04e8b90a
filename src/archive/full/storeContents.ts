import type { Nanoseconds } from '../../chain/base/time.ts';
import type { Connection, SqlValue } from '../database/connection.ts';
import { bytesAt, integerAt, textAt } from '../database/row.ts';
import { listOf, sql } from '../database/sql.ts';
import { type BlockContents, packed, unpacked } from './blockContents.ts';
import { eventValues } from './eventValues.ts';
import { transactionId, writePlaces } from './places.ts';

/** Rows of one statement, from the most. Few sizes make few statements to prepare. */
const sizes = [256, 64, 16, 4, 1];

async function insertRows(
  connection: Connection,
  into: string,
  columns: number,
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  const one = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
  for (let start = 0; start < rows.length; ) {
    const size = sizes.find((candidate) => candidate <= rows.length - start) ?? 1;
    const values = Array.from({ length: size }, () => one).join(', ');
    await connection.run(`INSERT INTO ${into} VALUES ${values}`, rows.slice(start, start + size).flat());
    start += size;
  }
}

/** The ids of tags. Tags without one get one. */
async function tagIds(connection: Connection, names: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  const ids = new Map<string, bigint>();
  if (names.length === 0) return ids;
  const known = sql`SELECT id, name FROM event_tags WHERE name IN ${listOf(names)}`;
  for (const row of await connection.run(known.text, known.values)) ids.set(textAt(row, 'name'), integerAt(row, 'id'));
  const fresh = names.filter((name) => !ids.has(name));
  if (fresh.length === 0) return ids;
  const [row] = await connection.run('SELECT COALESCE(max(id), 0) AS last FROM event_tags', []);
  let last = row === undefined ? 0n : integerAt(row, 'last');
  for (const name of fresh) ids.set(name, ++last);
  await insertRows(
    connection,
    'event_tags (id, name)',
    2,
    fresh.map((name) => [ids.get(name) ?? 0n, name]),
  );
  return ids;
}

interface IndexedRange {
  readonly base: bigint;
  readonly until: bigint;
  readonly transactions: bigint;
}

async function indexedRanges(connection: Connection): Promise<readonly IndexedRange[]> {
  const rows = await connection.run('SELECT base, until, transactions FROM indexed_ranges ORDER BY base', []);
  return rows.map((row) => ({
    base: integerAt(row, 'base'),
    until: integerAt(row, 'until'),
    transactions: integerAt(row, 'transactions'),
  }));
}

/** The ranges with one more block. It joins the ranges below and above it. Null if a range contains it already. */
function withHeight(ranges: readonly IndexedRange[], height: bigint, transactions: bigint): readonly IndexedRange[] | null {
  if (ranges.some(({ base, until }) => base <= height && height <= until)) return null;
  const below = ranges.find(({ until }) => until === height - 1n);
  const above = ranges.find(({ base }) => base === height + 1n);
  const joined: IndexedRange = {
    base: below?.base ?? height,
    until: above?.until ?? height,
    transactions: transactions + (below?.transactions ?? 0n) + (above?.transactions ?? 0n),
  };
  return [...ranges.filter((range) => range !== below && range !== above), joined];
}

/** Adds the heights of blocks to the indexed ranges. Returns the contents of those that were in none. */
async function addHeights(connection: Connection, contents: readonly BlockContents[]): Promise<readonly BlockContents[]> {
  const before = await indexedRanges(connection);
  let ranges = before;
  const fresh = contents.filter(({ height, transactions }) => {
    const next = withHeight(ranges, height, BigInt(transactions.length));
    ranges = next ?? ranges;
    return next !== null;
  });
  for (const range of before)
    if (!ranges.includes(range)) await connection.run('DELETE FROM indexed_ranges WHERE base = ?', [range.base]);
  await insertRows(
    connection,
    'indexed_ranges (base, until, transactions)',
    3,
    ranges.filter((range) => !before.includes(range)).map(({ base, until, transactions }) => [base, until, transactions]),
  );
  return fresh;
}

/** Stores the contents of blocks and their index, within the caller's transaction. Contents that are stored already are left as they are. */
export async function storeContents(connection: Connection, contents: readonly BlockContents[]): Promise<void> {
  if (contents.length === 0) return;
  const fresh = await addHeights(connection, contents);
  await insertRows(
    connection,
    'blocks (height, time, transactions, content)',
    4,
    fresh.map(({ height, time, block, transactions }) => [height, time, BigInt(transactions.length), packed(block)]),
  );
  await insertRows(
    connection,
    'transactions (id, hash, content)',
    3,
    fresh.flatMap(({ height, transactions }) =>
      transactions.map(({ hash, content }, index) => [transactionId(height, index), Buffer.from(hash, 'hex'), packed(content)]),
    ),
  );
  const values = fresh.flatMap((block) => eventValues(block).map((value) => ({ ...value, height: block.height })));
  const byTag = new Map<string, typeof values>();
  for (const value of values) {
    const ofTag = byTag.get(value.tag);
    if (ofTag === undefined) byTag.set(value.tag, [value]);
    else ofTag.push(value);
  }
  const ids = await tagIds(connection, [...byTag.keys()]);
  // In the order of the key, neighbours go to the same page of the database.
  const inOrder = [...byTag]
    .map(([tag, ofTag]) => ({ id: ids.get(tag) ?? 0n, ofTag }))
    .sort((one, other) => Number(one.id - other.id));
  await insertRows(
    connection,
    'event_values (tag, value, height, items, places)',
    5,
    inOrder.flatMap(({ id, ofTag }) =>
      // Equal texts are in the order of the blocks already.
      ofTag
        .sort((one, other) => (one.text === other.text ? 0 : one.text < other.text ? -1 : 1))
        .map(({ text, height, places, items }) => [id, text, height, BigInt(items), writePlaces(places)]),
    ),
  );
}

/** Reads the contents of a block; undefined if they are not stored. */
async function readContents(connection: Connection, height: bigint): Promise<BlockContents | undefined> {
  const [block] = await connection.run('SELECT time, content FROM blocks WHERE height = ?', [height]);
  if (block === undefined) return undefined;
  const rows = await connection.run('SELECT hash, content FROM transactions WHERE id >= ? AND id < ? ORDER BY id', [
    transactionId(height, 0),
    transactionId(height + 1n, 0),
  ]);
  return {
    height,
    time: integerAt(block, 'time'),
    block: unpacked(bytesAt(block, 'content')),
    transactions: rows.map((row) => ({
      hash: Buffer.from(bytesAt(row, 'hash')).toString('hex').toUpperCase(),
      content: unpacked(bytesAt(row, 'content')),
    })),
  };
}

async function deleteContents(connection: Connection, contents: BlockContents): Promise<void> {
  const { height } = contents;
  const values = eventValues(contents);
  const ids = await tagIds(connection, [...new Set(values.map(({ tag }) => tag))]);
  for (const { tag, text } of values)
    await connection.run('DELETE FROM event_values WHERE tag = ? AND value = ? AND height = ?', [
      ids.get(tag) ?? 0n,
      text,
      height,
    ]);
  await connection.run('DELETE FROM transactions WHERE id >= ? AND id < ?', [
    transactionId(height, 0),
    transactionId(height + 1n, 0),
  ]);
  await connection.run('DELETE FROM blocks WHERE height = ?', [height]);
}

/**
 * Deletes the contents of the oldest blocks before a time, at most some blocks or some hundred transactions, within the caller's transaction.
 * Returns whether more are left.
 */
export async function expireContents(connection: Connection, before: Nanoseconds): Promise<boolean> {
  let transactions = 0;
  for (let count = 0; count < blocksPerStep && transactions < transactionsPerStep; count++) {
    const [range] = await indexedRanges(connection);
    if (range === undefined) return false;
    const contents = await readContents(connection, range.base);
    if (contents === undefined || contents.time >= before) return false;
    await deleteContents(connection, contents);
    transactions += contents.transactions.length;
    await connection.run('DELETE FROM indexed_ranges WHERE base = ?', [range.base]);
    if (range.until > range.base)
      await connection.run('INSERT INTO indexed_ranges (base, until, transactions) VALUES (?, ?, ?)', [
        range.base + 1n,
        range.until,
        range.transactions - BigInt(contents.transactions.length),
      ]);
  }
  return true;
}

/** Number of blocks, and of transactions, after which a step of {@link expireContents} ends. */
const blocksPerStep = 50;
const transactionsPerStep = 200;

/** Reads the heights whose contents are stored, ascending, and the number of their transactions. */
export async function readIndexed(
  connection: Connection,
): Promise<{ readonly indexed: readonly { readonly from: bigint; readonly to: bigint }[]; readonly transactions: bigint }> {
  const ranges = await indexedRanges(connection);
  return {
    indexed: ranges.map(({ base, until }) => ({ from: base, to: until })),
    transactions: ranges.reduce((sum, range) => sum + range.transactions, 0n),
  };
}
