import type { Event } from '../../chain/base/execution.ts';
import { type EventCondition, matchesIndexedValue } from '../../chain/events/eventQuery.ts';
import type { Row, SqlValue } from '../database/connection.ts';
import { bytesAt, integerAt, textAt } from '../database/row.ts';
import { listOf, type Sql, sql } from '../database/sql.ts';
import { readBlock, transactionEvents, unpacked } from './blockContents.ts';
import { indexedText, isShortened, tagName } from './eventValues.ts';
import type { IndexSearch } from './indexSearch.ts';
import { eventOfPlace, itemOfPlace, readPlaces, transactionId } from './places.ts';

/** Runs a query that reads. */
export type Read = (query: Sql) => Promise<readonly Row[]>;

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
export const searchBounds: SearchBounds = { rows: 400_000, blocks: 2_000_000 };

/** The search needs more than its {@link SearchBounds}. */
export class SearchTooLong extends Error {
  override readonly name = 'SearchTooLong';
}

/** The places that match, by height. */
type Matches = Map<bigint, readonly number[]>;

/** The id of a tag; undefined if no event has it. */
export async function tagId(read: Read, kind: IndexSearch['kind'], tag: string): Promise<bigint | undefined> {
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

/** Finds the places of conditions one after the other, with a common limit of rows. */
export function createPlaceFinder(
  read: Read,
  { kind, low, high }: Pick<IndexSearch, 'kind' | 'low' | 'high'>,
  bounds: Pick<SearchBounds, 'rows'>,
) {
  let scanned = 0;

  async function counted(query: Sql): Promise<readonly Row[]> {
    const rows = await read(query);
    scanned += rows.length;
    if (scanned > bounds.rows) throw new SearchTooLong('the search needs too many rows');
    return rows;
  }

  /** The rows of a value, in steps. With `heights`, only those. */
  async function* rowsOfValue(tag: bigint, text: string, heights: readonly bigint[] | undefined): AsyncGenerator<Row> {
    if (heights !== undefined) {
      for (let start = 0; start < heights.length; start += step) {
        const part: readonly SqlValue[] = heights.slice(start, start + step);
        yield* await counted(
          sql`SELECT value, height, places FROM event_values WHERE tag = ${tag} AND value = ${text} AND height IN ${listOf(part)}`,
        );
      }
      return;
    }
    for (let from = low; ; ) {
      const rows = await counted(
        sql`SELECT value, height, places FROM event_values WHERE tag = ${tag} AND value = ${text} AND height >= ${from} AND height <= ${high}
          ORDER BY height LIMIT ${BigInt(step)}`,
      );
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < step) return;
      from = integerAt(last, 'height') + 1n;
    }
  }

  /** All rows of a tag, in steps. */
  async function* rowsOfTag(tag: bigint): AsyncGenerator<Row> {
    let [value, height]: [string, bigint] = ['', -1n];
    for (;;) {
      const rows = await counted(
        sql`SELECT value, height, places FROM event_values WHERE tag = ${tag} AND (value, height) > (${value}, ${height})
          AND height >= ${low} AND height <= ${high} ORDER BY value, height LIMIT ${BigInt(step)}`,
      );
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < step) return;
      [value, height] = [textAt(last, 'value'), integerAt(last, 'height')];
    }
  }

  /** The places of a row that satisfy a condition. */
  async function placesIn(row: Row, condition: EventCondition): Promise<readonly number[]> {
    const text = textAt(row, 'value');
    const places = readPlaces(bytesAt(row, 'places'));
    const { operator, tag } = condition;
    if (operator === '=' || operator === 'EXISTS') return places;
    if (!isShortened(text)) return matchesIndexedValue(condition, text) ? places : [];
    const kept: number[] = [];
    for (const place of places) {
      const event = (await eventsOf(read, kind, integerAt(row, 'height'), itemOfPlace(place)))[eventOfPlace(place)];
      const values = event?.attributes.filter(({ key, index }) => index && `${event.type}.${key}` === tag) ?? [];
      if (values.some(({ value }) => matchesIndexedValue(condition, value))) kept.push(place);
    }
    return kept;
  }

  async function find(condition: EventCondition, within: Matches | undefined): Promise<Matches> {
    const found = new Map<bigint, number[]>();
    const tag = await tagId(read, kind, condition.tag);
    if (tag === undefined) return found;
    const heights = within === undefined ? undefined : [...within.keys()];
    const rows =
      condition.operator === '=' ? rowsOfValue(tag, indexedText(condition.argument?.text ?? ''), heights) : rowsOfTag(tag);
    for await (const row of rows) {
      const height = integerAt(row, 'height');
      const wanted = within?.get(height);
      if (within !== undefined && wanted === undefined) continue;
      const allowed = wanted && new Set(wanted);
      const places = (await placesIn(row, condition)).filter((place) => allowed === undefined || allowed.has(place));
      if (places.length === 0) continue;
      found.set(height, [...(found.get(height) ?? []), ...places]);
    }
    return found;
  }

  /** Number of rows of the value of a condition, to begin with the rarest. */
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
