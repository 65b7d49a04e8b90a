import type { z } from 'zod';
import { type Bounds, cursorMax, pageDefault } from '../../config/bounds.ts';
import { readHistory } from '../../modules/history/connection.ts';
import { type HistoryMatch, type NamedHistory, positionKey, positionOfKey } from '../../modules/history/matches.ts';
import { denomOfScope, metadataIdInput, scopeOfDenom } from '../../modules/metadata/address.ts';
import { badInput } from '../../reads/errors.ts';
import { addressInput, denomInput, idInput } from '../../reads/input.ts';
import { decodeCursor, encodeCursor, type NamedList, type Page, type PageRequest, readPage } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import type { Parameter, Values } from './route.ts';
import type { pagination } from './schemas.ts';

const isUuid = (text: string): boolean => /^[0-9a-f-]{36}$/i.test(text);

function inPath<T>(
  description: string,
  input: (name: string, text: string) => T,
  more: { readonly takesRest?: true; readonly isAccount?: true } = {},
): Parameter<T> {
  const schema = { type: 'string', minLength: 1 } as const;
  return { in: 'path', description, schema, ...more, read: (text = '', name) => input(name, text) };
}

export const accountInPath = inPath('Bech32 address of an account.', addressInput, { isAccount: true });

/** A denom in the path. Its slashes may be percent-encoded. */
export const denomInPath = inPath('A denom. Slashes in it (`nft/scope1…`) may be percent-encoded.', denomInput, {
  takesRest: true,
});

export const scopeInPath = inPath('A scope: its `scope1…` address or its UUID.', (name, text) =>
  metadataIdInput('scope', name, text),
);

export const proposalInPath = inPath('Id of a proposal, in decimal.', idInput);

/** An asset with net asset values in the path: the denom of a marker, or a scope, which is converted to its denom. */
export const assetInPath = inPath(
  'A denom, or a scope: its `scope1…` address, its UUID, or its denom (`nft/scope1…`).',
  (name, text) => {
    const id = scopeOfDenom(text) ?? (text.startsWith('scope1') || isUuid(text) ? text : undefined);
    return id === undefined ? denomInput(name, text) : denomOfScope(metadataIdInput('scope', name, id));
  },
  { takesRest: true },
);

/** Creates a query parameter. undefined if absent. */
function inQuery<T>(
  description: string,
  schema: Parameter<T>['schema'],
  input: (name: string, text: string) => T,
  more: { readonly isAccount?: true } = {},
): Parameter<T | undefined> {
  const read = (text: string | undefined, name: string): T | undefined => (text === undefined ? undefined : input(name, text));
  return { in: 'query', description, schema, ...more, read };
}

export const accountInQuery = inQuery(accountInPath.description, { type: 'string' }, addressInput, { isAccount: true });

/** Creates a query parameter for text that the route checks. */
export function textInQuery(description: string): Parameter<string | undefined> {
  return inQuery(description, { type: 'string' }, (_, text) => text);
}

export function denomInQuery(description: string): Parameter<string | undefined> {
  return inQuery(description, { type: 'string' }, denomInput);
}

/** The denom in which prices are returned. */
export const priceDenom: Parameter<string> = {
  in: 'query',
  description: 'The denom in which prices are returned. Prices in `usd` are in mills: thousandths of a dollar.',
  schema: { type: 'string', default: 'usd' },
  read: (text = 'usd', name) => denomInput(name, text),
};

function wordOf<W extends string>(words: readonly W[], text: string, name: string): W {
  const word = words.find((each) => each === text);
  if (word === undefined) throw badInput(name, text, `one of ${words.join(', ')}`);
  return word;
}

/** Creates a query parameter for one of some words. */
export function wordInQuery<W extends string>(description: string, words: readonly W[]): Parameter<W | undefined> {
  return inQuery(description, { type: 'string', enum: words }, (name, text) => wordOf(words, text, name));
}

/** Creates a query parameter for a list of words, separated by commas or repeated. */
export function wordsInQuery<W extends string>(description: string, words: readonly W[]): Parameter<readonly W[] | undefined> {
  const schema = { type: 'array', items: { type: 'string', enum: words } } as const;
  return inQuery(description, schema, (name, text) => [...new Set(text.split(',').map((each) => wordOf(words, each, name)))]);
}

/** Creates a boolean query parameter. false if absent. */
export function flagInQuery(description: string): Parameter<boolean> {
  return {
    in: 'query',
    description,
    schema: { type: 'boolean', default: false },
    read: (text = 'false', name) => {
      if (text !== 'true' && text !== 'false') throw badInput(name, text, '`true` or `false`');
      return text === 'true';
    },
  };
}

export const cursorName = 'pagination.cursor';

/** The query parameters of a page. Its largest size is that of GraphQL. */
export function pageInQuery({ pageMax }: Bounds) {
  const cursor: Parameter<string | undefined> = {
    in: 'query',
    description:
      '`pagination.nextCursor` of the previous page, or a GraphQL cursor of the same list. A cursor of another list is BAD_CURSOR.',
    schema: { type: 'string', maxLength: cursorMax },
    read: (text) => text,
  };
  const pageSize: Parameter<number> = {
    in: 'query',
    description: 'Largest number of items on the page (limits `page.size.default` and `page.size.max`).',
    schema: { type: 'integer', minimum: 1, maximum: pageMax, default: pageDefault },
    read(text = String(pageDefault), name) {
      const size = /^\d{1,9}$/.test(text) ? Number(text) : 0;
      if (size < 1 || size > pageMax) throw badInput(name, text, `from 1 to ${pageMax}`);
      return size;
    },
  };
  return { [cursorName]: cursor, 'pagination.pageSize': pageSize } as const;
}

export type PageValues = Values<ReturnType<typeof pageInQuery>>;

/** Converts the page parameters to a request for a page of the list `name`. Throws BAD_CURSOR for a cursor of another list. */
export function pageRequest(name: string, values: PageValues): PageRequest {
  const { [cursorName]: cursor, 'pagination.pageSize': first } = values;
  const after = cursor === undefined ? undefined : decodeCursor(name, cursor, cursorName);
  return { first, reverse: false, count: false, ...(after && { after }) };
}

export function paginationOf<T>(
  name: string,
  { items, placeAt, hasNext }: Page<T>,
  keyOf: (item: T) => Uint8Array,
): z.output<typeof pagination> {
  const last = items.at(-1);
  const nextCursor =
    hasNext && last !== undefined ? encodeCursor(name, { key: keyOf(last), place: placeAt(items.length - 1) }) : null;
  return { nextCursor, hasMore: nextCursor !== null };
}

/** Reads a page of a list of the chain. The upstream reads are those of a GraphQL connection. */
export async function listPage<T>(
  list: NamedList<T>,
  values: PageValues,
): Promise<{ readonly items: readonly T[]; readonly pagination: z.output<typeof pagination> }> {
  const page = await readPage(list, pageRequest(list.name, values));
  return { items: page.items, pagination: paginationOf(list.name, page, list.keyOf) };
}

/** Reads a page of a history, newest first. A page with fewer items than requested can have a next page. */
export async function historyPage<T>(
  pin: Pin,
  { name, query }: NamedHistory<T>,
  values: PageValues,
): Promise<{
  readonly found: readonly HistoryMatch<T>[];
  readonly pagination: z.output<typeof pagination>;
  readonly completeFrom: string;
}> {
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
