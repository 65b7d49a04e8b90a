import type { Event } from '../../chain/base/execution.ts';
import { type EventCondition, matchesIndexedValue } from '../../chain/events/eventQuery.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import { encodeTxProof } from '../../chain/wire/merkle.ts';
import {
  bytesAt,
  DatabaseError,
  integerAt,
  listOf,
  type Row,
  type Sql,
  type SqlValue,
  sql,
  textAt,
} from '../database/database.ts';
import {
  eventOfPlace,
  heightOfId,
  indexOfId,
  itemOfPlace,
  readBlock,
  readPlaces,
  readTransaction,
  transactionEvents,
  transactionId,
  unpacked,
} from './contents.ts';
import { indexedText, isShortened, tagName } from './storeContents.ts';

/** A search in the index of mode FULL. */
export interface IndexSearch {
  readonly kind: 'tx' | 'block' | 'account';
  /** The conditions on tags other than the height. One event matches all of them. */
  readonly conditions: readonly EventCondition[];
  /** The hash of the only transaction that can match, in upper case hex; the heights do not count then. */
  readonly hash: string | undefined;
  /** Heights, both included. */
  readonly low: bigint;
  readonly high: bigint;
  readonly newestFirst: boolean;
  /** Number of matches before the first one that is returned, and the most that are returned. */
  readonly offset: number;
  readonly limit: number;
  /** Whether each transaction has a proof that its block contains it. */
  readonly prove: boolean;
}

export interface IndexPage {
  /** Number of all matches. */
  readonly total: bigint;
  /** JSON of the list of results, as a node prints them. */
  readonly items: string;
}

/** The part of an account in a transaction: it signed it, or took part in it in any way. */
export type AccountRole = 'SIGNER' | 'ANY';

/** The place of a transaction in the chain, as a key of a list. */
export interface TransactionKey {
  readonly height: bigint;
  readonly index: number;
}

type Read = (query: Sql) => Promise<readonly Row[]>;

/** Rows of one read of a scan. */
const step = 2_000;

/** What a search may read. A node answers searches that need more. */
export interface SearchBounds {
  /** The most rows of the index that a search with several conditions reads. */
  readonly rows: number;
  /** The most blocks whose counts a search with at most one equality adds up. */
  readonly blocks: number;
}

/** The bounds of a search of the server. */
const searchBounds: SearchBounds = { rows: 400_000, blocks: 2_000_000 };

class SearchTooLong extends Error {
  override readonly name = 'SearchTooLong';
}

type Matches = Map<bigint, readonly number[]>;

async function tagId(read: Read, kind: IndexSearch['kind'], tag: string): Promise<bigint | undefined> {
  const [row] = await read(sql`SELECT id FROM event_tags WHERE name = ${tagName(kind, tag)}`);
  return row && integerAt(row, 'id');
}

/** The events of an item, for conditions that the index shortens too much to decide. */
async function eventsOf(read: Read, kind: IndexSearch['kind'], height: bigint, item: number): Promise<readonly Event[]> {
  const query =
    kind === 'block'
      ? sql`SELECT content FROM blocks WHERE height = ${height}`
      : sql`SELECT content FROM transactions WHERE id = ${transactionId(height, item)}`;
  const [row] = await read(query);
  if (row === undefined) return [];
  const content = unpacked(bytesAt(row, 'content'));
  return kind === 'block' ? readBlock(content).events : transactionEvents(content);
}

function createPlaceFinder(
  read: Read,
  { kind, low, high }: Pick<IndexSearch, 'kind' | 'low' | 'high'>,
  bounds: Pick<SearchBounds, 'rows'>,
) {
  let scanned = 0;

  async function countedRows(query: Sql): Promise<readonly Row[]> {
    const rows = await read(query);
    scanned += rows.length;
    if (scanned > bounds.rows) throw new SearchTooLong('the search needs too many rows');
    return rows;
  }

  async function* rowsOfValue(tag: bigint, text: string, heights: readonly bigint[] | undefined): AsyncGenerator<Row> {
    if (heights !== undefined) {
      for (let start = 0; start < heights.length; start += step) {
        const part: readonly SqlValue[] = heights.slice(start, start + step);
        yield* await countedRows(
          sql`SELECT value, height, places FROM event_values WHERE tag = ${tag} AND value = ${text} AND height IN ${listOf(part)}`,
        );
      }
      return;
    }
    for (let from = low; ; ) {
      const rows = await countedRows(
        sql`SELECT value, height, places FROM event_values WHERE tag = ${tag} AND value = ${text} AND height >= ${from} AND height <= ${high}
          ORDER BY height LIMIT ${BigInt(step)}`,
      );
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < step) return;
      from = integerAt(last, 'height') + 1n;
    }
  }

  async function* rowsOfTag(tag: bigint): AsyncGenerator<Row> {
    let [value, height]: [string, bigint] = ['', -1n];
    for (;;) {
      const rows = await countedRows(
        sql`SELECT value, height, places FROM event_values WHERE tag = ${tag} AND (value, height) > (${value}, ${height})
          AND height >= ${low} AND height <= ${high} ORDER BY value, height LIMIT ${BigInt(step)}`,
      );
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < step) return;
      [value, height] = [textAt(last, 'value'), integerAt(last, 'height')];
    }
  }

  async function placesIn(row: Row, condition: EventCondition): Promise<readonly number[]> {
    const text = textAt(row, 'value');
    const places = readPlaces(bytesAt(row, 'places'));
    const { operator, tag } = condition;
    if (operator === '=' || operator === 'EXISTS') return places;
    if (!isShortened(text)) return matchesIndexedValue(condition, text) ? places : [];
    const matchingPlaces: number[] = [];
    for (const place of places) {
      const event = (await eventsOf(read, kind, integerAt(row, 'height'), itemOfPlace(place)))[eventOfPlace(place)];
      const values = event?.attributes.filter(({ key, index }) => index && `${event.type}.${key}` === tag) ?? [];
      if (values.some(({ value }) => matchesIndexedValue(condition, value))) matchingPlaces.push(place);
    }
    return matchingPlaces;
  }

  async function find(condition: EventCondition, within: Matches | undefined): Promise<Matches> {
    const matches = new Map<bigint, number[]>();
    const tag = await tagId(read, kind, condition.tag);
    if (tag === undefined) return matches;
    const heights = within === undefined ? undefined : [...within.keys()];
    const rows =
      condition.operator === '=' ? rowsOfValue(tag, indexedText(condition.argument?.text ?? ''), heights) : rowsOfTag(tag);
    for await (const row of rows) {
      const height = integerAt(row, 'height');
      const earlierPlaces = within?.get(height);
      if (within !== undefined && earlierPlaces === undefined) continue;
      const allowed = earlierPlaces && new Set(earlierPlaces);
      const places = (await placesIn(row, condition)).filter((place) => allowed === undefined || allowed.has(place));
      if (places.length === 0) continue;
      matches.set(height, [...(matches.get(height) ?? []), ...places]);
    }
    return matches;
  }

  async function rowsFor({ tag, argument }: EventCondition): Promise<bigint> {
    const id = await tagId(read, kind, tag);
    if (id === undefined) return 0n;
    const [row] = await read(
      sql`SELECT count(*) AS total FROM event_values WHERE tag = ${id} AND value = ${indexedText(argument?.text ?? '')}
        AND height >= ${low} AND height <= ${high}`,
    );
    return row === undefined ? 0n : integerAt(row, 'total');
  }

  return {
    /** The places that match all conditions, of which there is at least one. Throws a {@link SearchTooLong}. */
    async all(conditions: readonly EventCondition[]): Promise<Matches> {
      const equal = await Promise.all(
        conditions
          .filter(({ operator }) => operator === '=')
          .map(async (condition) => ({ condition, rows: await rowsFor(condition) })),
      );
      equal.sort((one, other) => (one.rows < other.rows ? -1 : 1));
      const others = conditions.filter(({ operator }) => operator !== '=');
      let matches: Matches | undefined;
      for (const condition of [...equal.map((one) => one.condition), ...others]) {
        matches = await find(condition, matches);
        if (matches.size === 0) break;
      }
      return matches ?? new Map();
    },
  };
}

interface FoundPage {
  readonly total: bigint;
  readonly ids: readonly bigint[];
}

const nothing: FoundPage = { total: 0n, ids: [] };

/** The rows that a search without or with one equality needs: heights with the number of their items, which is positive, and without their places. */
interface SimpleRows {
  readonly counts: Sql;
  /** The places at some heights; undefined if every item of the block matches. */
  readonly places: ((heights: readonly bigint[]) => Sql) | undefined;
}

async function simpleRows(read: Read, { kind, conditions, low, high }: IndexSearch): Promise<SimpleRows | null> {
  const [condition] = conditions;
  const within = sql`height >= ${low} AND height <= ${high}`;
  if (condition === undefined) {
    const counts = sql`SELECT height, transactions AS items FROM blocks WHERE transactions > 0 AND ${within}`;
    return { counts, places: undefined };
  }
  const tag = await tagId(read, kind, condition.tag);
  if (tag === undefined) return null;
  const ofValue = sql`FROM event_values WHERE tag = ${tag} AND value = ${indexedText(condition.argument?.text ?? '')}`;
  return {
    counts: sql`SELECT height, items ${ofValue} AND ${within}`,
    places: (heights) => sql`SELECT height, places ${ofValue} AND height IN ${listOf(heights)}`,
  };
}

function allBlocks({ low, high, newestFirst, offset, limit }: IndexSearch): FoundPage {
  const total = high - low + 1n;
  const left = total - BigInt(offset);
  const size = left < BigInt(limit) ? Math.max(Number(left), 0) : limit;
  const ids = Array.from({ length: size }, (_, index) => {
    const place = BigInt(offset + index);
    return newestFirst ? high - place : low + place;
  });
  return { total, ids };
}

/** Finds a page of a search without or with one equality: only the places of the page are read. */
async function simplePage(read: Read, search: IndexSearch, bounds: SearchBounds): Promise<FoundPage> {
  if (search.kind === 'block' && search.conditions.length === 0) return allBlocks(search);
  const rows = await simpleRows(read, search);
  if (rows === null) return nothing;
  const { kind, offset, limit, newestFirst } = search;
  const { counts, places } = rows;
  const order = newestFirst ? sql`height DESC` : sql`height`;
  // Every row counts at least once, so the page ends within this number of rows.
  const last = BigInt(offset + limit);
  const [sum] = await read(sql`SELECT CAST(COALESCE(SUM(items), 0) AS BIGINT) AS total, count(*) AS blocks
    FROM (${counts} LIMIT ${BigInt(bounds.blocks + 1)}) AS every`);
  if (sum !== undefined && integerAt(sum, 'blocks') > BigInt(bounds.blocks))
    throw new SearchTooLong('the search needs too many blocks');
  const pageRows = await read(sql`SELECT height, items, skipped FROM (
        SELECT height, items, CAST(SUM(items) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - items AS BIGINT) AS skipped
          FROM (${counts} ORDER BY ${order} LIMIT ${last}) AS every
      ) AS counted WHERE skipped < ${last} AND skipped + items > ${BigInt(offset)} ORDER BY ${order}`);
  const [first] = pageRows;
  const total = sum === undefined ? 0n : integerAt(sum, 'total');
  if (first === undefined) return { total, ids: [] };
  const heights = pageRows.map((row) => integerAt(row, 'height'));
  const placeRows = places === undefined || kind === 'block' ? [] : await read(places(heights));
  const itemsAt = new Map(
    placeRows.map((row) => [integerAt(row, 'height'), readPlaces(bytesAt(row, 'places')).map(itemOfPlace)]),
  );
  const ids = pageRows.flatMap((row) => {
    const height = integerAt(row, 'height');
    if (kind === 'block') return [height];
    const items = itemsAt.get(height) ?? Array.from({ length: Number(integerAt(row, 'items')) }, (_, index) => index);
    const inOrder = [...new Set(items)].map((item) => transactionId(height, item));
    return newestFirst ? inOrder.toReversed() : inOrder;
  });
  const start = offset - Number(integerAt(first, 'skipped'));
  return { total, ids: ids.slice(start, start + limit) };
}

async function combinedPage(read: Read, search: IndexSearch, bounds: SearchBounds): Promise<FoundPage> {
  const { kind, conditions, offset, limit, newestFirst } = search;
  const matches = await createPlaceFinder(read, search, bounds).all(conditions);
  const ids = [...matches].flatMap(([height, places]) =>
    kind === 'block' ? [height] : [...new Set(places.map(itemOfPlace))].map((item) => transactionId(height, item)),
  );
  ids.sort((one, other) => (one < other === newestFirst ? 1 : -1));
  return { total: BigInt(ids.length), ids: ids.slice(offset, offset + limit) };
}

async function pageByHash(read: Read, { hash = '', offset, limit }: IndexSearch): Promise<FoundPage> {
  const rows = await read(sql`SELECT id FROM transactions WHERE hash = ${Buffer.from(hash, 'hex')} ORDER BY id DESC LIMIT 1`);
  const ids = rows.map((row) => integerAt(row, 'id'));
  return { total: BigInt(ids.length), ids: ids.slice(offset, offset + limit) };
}

const transactionsOf = (height: bigint): Sql =>
  sql`SELECT id, hash, content FROM transactions WHERE id >= ${transactionId(height, 0)} AND id < ${transactionId(height + 1n, 0)} ORDER BY id`;

async function transactionJson(read: Read, row: Row, prove: boolean): Promise<JsonValue> {
  const id = integerAt(row, 'id');
  const [height, index] = [heightOfId(id), indexOfId(id)];
  const { tx, txResult } = readTransaction(unpacked(bytesAt(row, 'content')));
  const hashes = prove ? (await read(transactionsOf(height))).map((each) => bytesAt(each, 'hash')) : undefined;
  return {
    hash: Buffer.from(bytesAt(row, 'hash')).toString('hex').toUpperCase(),
    height: height.toString(),
    index,
    tx_result: txResult,
    tx,
    ...(hashes !== undefined && { proof: encodeTxProof(Buffer.from(tx, 'base64'), index, hashes) }),
  };
}

async function blockJson(read: Read, row: Row): Promise<JsonValue> {
  const { block } = readBlock(unpacked(bytesAt(row, 'content')));
  const rows = await read(transactionsOf(integerAt(row, 'height')));
  const txs = rows.map((each) => readTransaction(unpacked(bytesAt(each, 'content'))).tx);
  const inner = block.block;
  const whole = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? { ...inner, data: { txs } } : null;
  return { ...block, block: whole };
}

async function resultsOf(read: Read, { kind, prove }: IndexSearch, ids: readonly bigint[]): Promise<readonly JsonValue[]> {
  if (ids.length === 0) return [];
  const isBlock = kind === 'block';
  const rows = await read(
    isBlock
      ? sql`SELECT height, content FROM blocks WHERE height IN ${listOf(ids)}`
      : sql`SELECT id, hash, content FROM transactions WHERE id IN ${listOf(ids)}`,
  );
  const byId = new Map(rows.map((row) => [integerAt(row, isBlock ? 'height' : 'id'), row]));
  return Promise.all(
    ids
      .map((id) => byId.get(id))
      .filter((row) => row !== undefined)
      .map((row) => (isBlock ? blockJson(read, row) : transactionJson(read, row, prove))),
  );
}

/** Searches the index. Null if the search needs more than its bounds. */
export async function searchIndex(
  read: Read,
  search: IndexSearch,
  bounds: SearchBounds = searchBounds,
): Promise<IndexPage | null> {
  const { conditions, hash } = search;
  const isSimple = conditions.length === 0 || (conditions.length === 1 && conditions[0]?.operator === '=');
  try {
    const find = hash !== undefined ? pageByHash : isSimple ? simplePage : combinedPage;
    const { total, ids } = await find(read, search, bounds);
    return { total, items: JSON.stringify(await resultsOf(read, search, ids)) };
  } catch (error) {
    if (error instanceof SearchTooLong) return null;
    throw error;
  }
}

interface AccountTransactions {
  /** Results of `tx_search`, one more than the page has if there is a next page. */
  readonly items: readonly JsonValue[];
  readonly total: bigint;
}

/**
 * Reads a page of the transactions of an account up to a height, newest first, or with `reverse` oldest first. Rejects with a `DatabaseError` if a search
 * needs too many rows.
 */
export async function readAccountTransactions(
  { read, search }: { readonly read: Read; search(search: IndexSearch): Promise<IndexPage | null> },
  { address, role, asOf }: { readonly address: string; readonly role: AccountRole; readonly asOf: bigint },
  { first, reverse, count }: { readonly first: number; readonly reverse: boolean; readonly count: boolean },
  after: TransactionKey | undefined,
): Promise<AccountTransactions> {
  const whole: IndexSearch = {
    kind: 'account',
    conditions: [{ tag: role, operator: '=', argument: { type: 'string', text: address } }],
    hash: undefined,
    low: 1n,
    high: asOf,
    newestFirst: !reverse,
    offset: 0,
    limit: 0,
    prove: false,
  };

  async function passed({ height, index }: TransactionKey): Promise<number> {
    const tag = await tagId(read, 'account', role);
    if (tag === undefined) return 0;
    const [row] = await read(
      sql`SELECT places FROM event_values WHERE tag = ${tag} AND value = ${address} AND height = ${height}`,
    );
    const items = row === undefined ? [] : readPlaces(bytesAt(row, 'places')).map(itemOfPlace);
    return items.filter((item) => (reverse ? item <= index : item >= index)).length;
  }

  const window =
    after === undefined
      ? whole
      : {
          ...whole,
          ...(reverse ? { low: after.height } : { high: after.height < asOf ? after.height : asOf }),
          offset: await passed(after),
        };
  async function foundPage(indexSearch: IndexSearch): Promise<IndexPage> {
    const page = await search(indexSearch);
    if (page === null) throw new DatabaseError('FAILED', 'the account has too many transactions to count them');
    return page;
  }

  const [page, all] = await Promise.all([
    first === 0 ? null : foundPage({ ...window, limit: first + 1 }),
    count && (after !== undefined || first === 0) ? foundPage(whole) : null,
  ]);
  const items: JsonValue[] = page === null ? [] : JSON.parse(page.items);
  return { items, total: (all ?? page)?.total ?? 0n };
}
