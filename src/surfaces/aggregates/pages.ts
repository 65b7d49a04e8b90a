import type { z } from 'zod';
import { readHistory } from '../../modules/history/connection.ts';
import { type HistoryMatch, type NamedHistory, positionKey, positionOfKey } from '../../modules/history/matches.ts';
import { decodeCursor, encodeCursor, type NamedList, type Page, type PageRequest, readPage } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import { cursorName, type PageValues } from './parameters.ts';
import type { pagination } from './schemas.ts';

/** The pagination of a response. */
export type Pagination = z.output<typeof pagination>;

/** Converts the page parameters to a request for a page of the list `name`. Throws BAD_CURSOR for a cursor of another list. */
export function pageRequest(name: string, values: PageValues): PageRequest {
  const { [cursorName]: cursor, 'pagination.pageSize': first } = values;
  const after = cursor === undefined ? undefined : decodeCursor(name, cursor, cursorName);
  return { first, reverse: false, count: false, ...(after && { after }) };
}

/** Returns the pagination of a page of the list `name`. */
export function paginationOf<T>(
  name: string,
  { items, placeAt, hasNext }: Page<T>,
  keyOf: (item: T) => Uint8Array,
): Pagination {
  const last = items.at(-1);
  const nextCursor =
    hasNext && last !== undefined ? encodeCursor(name, { key: keyOf(last), place: placeAt(items.length - 1) }) : null;
  return { nextCursor, hasMore: nextCursor !== null };
}

/** Reads a page of a list of the chain. The upstream reads are those of a GraphQL connection. */
export async function listPage<T>(
  { name, list }: NamedList<T>,
  values: PageValues,
): Promise<{ readonly items: readonly T[]; readonly pagination: Pagination }> {
  const page = await readPage(list, pageRequest(name, values));
  return { items: page.items, pagination: paginationOf(name, page, list.keyOf) };
}

/** Reads a page of a history, newest first. A page with fewer items than requested can have a next page. */
export async function historyPage<T>(
  pin: Pin,
  { name, query }: NamedHistory<T>,
  values: PageValues,
): Promise<{ readonly found: readonly HistoryMatch<T>[]; readonly pagination: Pagination; readonly completeFrom: string }> {
  const { first, after } = pageRequest(name, values);
  const page = await readHistory(pin, query, { first, after: after && positionOfKey(after.key, cursorName) });
  const end = page.more ? page.end : undefined;
  const nextCursor = end === undefined ? null : encodeCursor(name, { key: positionKey(end), place: undefined });
  return {
    found: page.found,
    pagination: { nextCursor, hasMore: nextCursor !== null },
    completeFrom: (await page.completeFrom()).toString(),
  };
}
