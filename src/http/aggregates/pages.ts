import type { z } from 'zod';
import type { HistoryMatch, NamedHistory } from '../../modules/history/matches.ts';
import { readHistory } from '../../modules/history/page.ts';
import { positionKey, positionOfKey } from '../../modules/history/position.ts';
import type { NamedList } from '../../reads/chainList.ts';
import { decodeCursor, encodeCursor } from '../../reads/cursor.ts';
import { type Page, type PageRequest, readPage } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import { cursorName, type PageValues } from './parameters.ts';
import type { pagination } from './schemas.ts';

/** Where a list goes on, as it is told. */
export type Pagination = z.output<typeof pagination>;

/** The part of the list `name` that is asked for. A cursor of another list is BAD_CURSOR. */
export function pageRequest(name: string, values: PageValues): PageRequest {
  const { [cursorName]: cursor, 'pagination.pageSize': first } = values;
  const after = cursor === undefined ? undefined : decodeCursor(name, cursor, cursorName);
  return { first, reverse: false, count: false, ...(after && { after }) };
}

/** Where a page of the list `name` goes on. */
export function paginationOf<T>(name: string, { items, places, hasNext }: Page<T>, keyOf: (item: T) => Uint8Array): Pagination {
  const last = items.at(-1);
  const nextCursor = hasNext && last !== undefined ? encodeCursor(name, { key: keyOf(last), place: places.at(-1) }) : null;
  return { nextCursor, hasMore: nextCursor !== null };
}

/** A page of a list of the chain. Upstream reads as those of the graph's connections. */
export async function listPage<T>(
  { name, list }: NamedList<T>,
  values: PageValues,
): Promise<{ readonly items: readonly T[]; readonly pagination: Pagination }> {
  const page = await readPage(list, pageRequest(name, values));
  return { items: page.items, pagination: paginationOf(name, page, list.keyOf) };
}

/** A page of a history, newest first. One that found less than was asked for may have a next page all the same. */
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
