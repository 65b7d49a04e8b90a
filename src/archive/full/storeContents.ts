import { createHash } from 'node:crypto';
import type { Event } from '../../chain/base/execution.ts';
import type { Nanoseconds } from '../../chain/base/time.ts';
import { bytesAt, type Connection, integerAt, listOf, portions, type SqlValue, sql, textAt } from '../database/database.ts';
import {
  type BlockContents,
  type EventPlace,
  packed,
  readBlock,
  transactionEvents,
  transactionId,
  unpacked,
  writePlaces,
} from './contents.ts';

/** What an indexed value belongs to: an event of a transaction or of a block, or an account of a transaction. */
type TagKind = 'tx' | 'block' | 'account';

export function tagName(kind: TagKind, tag: string): string {
  return `${kind}/${tag}`;
}

/** Longer values are shortened in the index, in characters. */
const longest = 100;

/** Begins a shortened value. */
const shortMark = '\u0002';

/** The text of a value in the index. Equal values have equal texts, and different values different ones. */
export function indexedText(value: string): string {
  if (value.length <= longest && !value.startsWith(shortMark)) return value;
  return `${shortMark}${createHash('sha256').update(value).digest('base64url')}`;
}

/** Whether a text of the index stands for a longer value. */
export function isShortened(text: string): boolean {
  return text.startsWith(shortMark);
}

/** Collects the values of the events of a block, with their places. */
function createCollector() {
  const byTag = new Map<string, Map<string, EventPlace[]>>();
  return {
    add(kind: TagKind, tag: string, value: string, place: EventPlace): void {
      const name = tagName(kind, tag);
      const ofTag = byTag.get(name) ?? new Map<string, EventPlace[]>();
      byTag.set(name, ofTag);
      const places = ofTag.get(value);
      if (places === undefined) ofTag.set(value, [place]);
      else {
        const last = places.at(-1);
        if (last?.item !== place.item || last.event !== place.event) places.push(place);
      }
    },
    values: () =>
      [...byTag].flatMap(([tag, ofTag]) =>
        [...ofTag].map(([value, places]) => ({
          tag,
          text: indexedText(value),
          places,
          /** The number of different items in the places. */
          items: places.reduce((count, { item }, index) => (places[index - 1]?.item === item ? count : count + 1), 0),
        })),
      ),
  };
}

type Collector = ReturnType<typeof createCollector>;

/** An address of 20 or 32 bytes in bech32, in lower or in upper case. The prefix is the first or the second group. */
const address =
  /\b(?:([a-z]{1,20})1(?:[02-9ac-hj-np-z]{58}|[02-9ac-hj-np-z]{38})|([A-Z]{1,20})1(?:[02-9AC-HJ-NP-Z]{58}|[02-9AC-HJ-NP-Z]{38}))\b/g;

/** The address in an attribute of the signature check, which names a signer with its sequence. */
const signature = /^(([a-z]{1,20})1[02-9ac-hj-np-z]+)\/\d+$/;

/** Adds the accounts of a transaction: its signers, and every account of the same prefix that its events name. */
function addAccounts(collector: Collector, item: number, events: readonly Event[]): void {
  const place = { item, event: 0 };
  const signers = events
    .flatMap(({ type, attributes }) => (type === 'tx' ? attributes : []))
    .flatMap(({ key, value }) => (key === 'acc_seq' ? (signature.exec(value)?.slice(1, 3) ?? []) : []));
  const prefix = signers[1];
  const accounts = new Set<string>();
  for (const { attributes } of events)
    for (const { value } of attributes)
      if (value.length >= 40)
        for (const [match, lower, upper] of value.matchAll(address))
          if (prefix === undefined || (lower ?? upper?.toLowerCase()) === prefix) accounts.add(match.toLowerCase());
  for (const signer of new Set(signers.filter((_, index) => index % 2 === 0))) {
    accounts.add(signer);
    collector.add('account', 'SIGNER', signer, place);
  }
  for (const account of accounts) collector.add('account', 'ANY', account, place);
}

function addEvents(collector: Collector, kind: TagKind, item: number, events: readonly Event[]): void {
  events.forEach(({ type, attributes }, event) => {
    if (type === '') return;
    for (const { key, value, index } of attributes)
      if (index && key !== '') collector.add(kind, `${type}.${key}`, value, { item, event });
  });
}

/** The values that the index holds for a block. They depend on the contents alone. */
export function eventValues({ block, transactions }: BlockContents) {
  const collector = createCollector();
  addEvents(collector, 'block', 0, readBlock(block).events);
  transactions.forEach(({ content }, item) => {
    const events = transactionEvents(content);
    addEvents(collector, 'tx', item, events);
    addAccounts(collector, item, events);
  });
  return collector.values();
}

/** Rows of one statement, at most. */
const mostRows = 256;

async function insertRows(
  connection: Connection,
  into: string,
  columns: number,
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  const one = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
  for (const portion of portions(rows, mostRows))
    await connection.run(`INSERT INTO ${into} VALUES ${portion.map(() => one).join(', ')}`, portion.flat());
}

/** The ids of tags. Tags without one get one. */
async function tagIds(connection: Connection, names: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  const ids = new Map<string, bigint>();
  if (names.length === 0) return ids;
  const query = sql`SELECT id, name FROM event_tags WHERE name IN ${listOf(names)}`;
  for (const row of await connection.run(query.text, query.values)) ids.set(textAt(row, 'name'), integerAt(row, 'id'));
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
  const joinedRange: IndexedRange = {
    base: below?.base ?? height,
    until: above?.until ?? height,
    transactions: transactions + (below?.transactions ?? 0n) + (above?.transactions ?? 0n),
  };
  return [...ranges.filter((range) => range !== below && range !== above), joinedRange];
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
