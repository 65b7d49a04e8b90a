import type { JsonValue } from '../../chain/wire/json.ts';
import { encodeTxProof } from '../../chain/wire/merkle.ts';
import type { Row } from '../database/connection.ts';
import { bytesAt, integerAt } from '../database/row.ts';
import { listOf, type Sql, sql } from '../database/sql.ts';
import { readBlock, readTransaction, unpacked } from './blockContents.ts';
import { indexedText } from './eventValues.ts';
import type { IndexPage, IndexSearch } from './indexSearch.ts';
import { createPlaceFinder, type Read, type SearchBounds, SearchTooLong, searchBounds, tagId } from './matchingPlaces.ts';
import { heightOfId, indexOfId, itemOfPlace, readPlaces, transactionId } from './places.ts';

/** The page of ids of transactions, or of heights, that a search finds. */
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

/** The page of a search for all blocks of a range, which are all indexed. */
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
  const found = await read(sql`SELECT height, items, skipped FROM (
        SELECT height, items, CAST(SUM(items) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - items AS BIGINT) AS skipped
          FROM (${counts} ORDER BY ${order} LIMIT ${last}) AS every
      ) AS counted WHERE skipped < ${last} AND skipped + items > ${BigInt(offset)} ORDER BY ${order}`);
  const [first] = found;
  const total = sum === undefined ? 0n : integerAt(sum, 'total');
  if (first === undefined) return { total, ids: [] };
  const heights = found.map((row) => integerAt(row, 'height'));
  const placed = places === undefined || kind === 'block' ? [] : await read(places(heights));
  const itemsAt = new Map(placed.map((row) => [integerAt(row, 'height'), readPlaces(bytesAt(row, 'places')).map(itemOfPlace)]));
  const ids = found.flatMap((row) => {
    const height = integerAt(row, 'height');
    if (kind === 'block') return [height];
    const items = itemsAt.get(height) ?? Array.from({ length: Number(integerAt(row, 'items')) }, (_, index) => index);
    const inOrder = [...new Set(items)].map((item) => transactionId(height, item));
    return newestFirst ? inOrder.toReversed() : inOrder;
  });
  const start = offset - Number(integerAt(first, 'skipped'));
  return { total, ids: ids.slice(start, start + limit) };
}

/** Finds a page of a search with several conditions: all matches are read. */
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

/** The transactions of a block, as rows with `id`, `hash` and `content`. */
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

/** The results of a page, in its order. */
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
