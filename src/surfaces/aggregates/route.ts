import { z } from 'zod';
import { type Bounds, cursorMax, pageDefault } from '../../config/bounds.ts';
import { checkAccounts } from '../../modules/account/query.ts';
import { readHistory } from '../../modules/history/connection.ts';
import { type HistoryMatch, type NamedHistory, positionKey, positionOfKey } from '../../modules/history/matches.ts';
import { denomOfScope, metadataIdInput, scopeOfDenom } from '../../modules/metadata/address.ts';
import {
  type Columns,
  createListWriter,
  type ListFormat,
  type ListWriter,
  type PageOptions,
} from '../../modules/records/export.ts';
import { badInput } from '../../reads/errors.ts';
import { addressInput, denomInput, idInput } from '../../reads/input.ts';
import { decodeCursor, encodeCursor, type NamedList, type Page, type PageRequest, readPage } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import type { ErrorShape } from '../../server/messages/errors.ts';
import { createMatcher, parseTemplate, type Template, valuesIn } from '../rest/routes.ts';
import type { pagination } from './schemas.ts';

/** Serializes an error as one object. The GraphQL fact `argument` is the member `field`. */
export const aggregatesShape: ErrorShape = ({ code, message, facts }) => {
  const members = Object.entries(facts).map(([name, value]) => [name === 'argument' ? 'field' : name, value]);
  return JSON.stringify({ code, message, ...Object.fromEntries(members) });
};

interface ParameterSchema {
  readonly type: 'string' | 'integer' | 'boolean' | 'array';
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: string | number | boolean;
  readonly items?: ParameterSchema;
}

interface Parameter<T> {
  readonly in: 'path' | 'query';
  readonly description: string;
  /** The items of a list are separated by commas (`style: form`, `explode: false`). The parameter can also be repeated. */
  readonly schema: ParameterSchema;
  /** Whether it is the address of an account, which must be one of the connected chain. */
  readonly isAccount?: true;
  /** Whether it matches the rest of the path, including slashes. */
  readonly takesRest?: true;
  /** Converts the decoded text, which is undefined if the parameter is absent. Throws BAD_USER_INPUT for `name` if the text is invalid. */
  read(text: string | undefined, name: string): T;
}

type Parameters = Readonly<Record<string, Parameter<unknown>>>;

export type Values<P extends Parameters> = { readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never };

/** The read-only variant of a schema's type. */
export type Written<T> = T extends object ? { readonly [K in keyof T]: Written<T[K]> } : T;

export interface RouteRequest {
  readonly points: number;
  /** Whether the response at a height can still change, because it comes from a node's index, which is updated after the block. */
  readonly live: boolean;
  /** The height that the path names, whose next header must be verified. undefined for a path without a height. */
  readonly height: string | undefined;
  /**
   * Reads the response at a height. It does not contain the height. null if the requested object does not exist. `charge` takes points for work whose size is known
   * only once it is done.
   */
  answer(pin: Pin, charge: (points: number) => void): Promise<object | null>;
  /** The whole list as a stream. undefined if the route has none. */
  readonly stream:
    | {
        readonly points: number;
        /**
         * Reads the list page by page and writes it in a format: first what precedes the rows, then the rows of each page. null if the requested
         * object does not exist.
         */
        texts(
          pin: Pin,
          format: ListFormat,
          beforePage: PageOptions['beforePage'],
        ): Promise<AsyncGenerator<string, void> | null>;
      }
    | undefined;
}

/** A list that is also served as a stream of all its rows. */
interface ListStream<V, Row> {
  readonly fileName: string;
  readonly size: number;
  /** null if the requested object does not exist. */
  pages(pin: Pin, values: V, options: PageOptions): Promise<AsyncGenerator<readonly Row[], void> | null>;
  readonly columns: Columns<Row>;
}

/** A route, for both the router and the OpenAPI description. Every route is a GET and needs the scope `read`. */
export interface Route {
  /** The path template of OpenAPI: `/v1/balances/{address}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: Parameters;
  /** Full names of the chain's services that the route needs. */
  readonly services: readonly string[];
  readonly response: { readonly name: string; readonly schema: z.ZodObject };
  /**
   * The parameter that must identify an existing object, and what it must be, as the end of a sentence. Status 404 if it does
   * not. undefined if there always is a response.
   */
  readonly present: { readonly field: string; readonly bound: string } | undefined;
  /** Whether the response is read from the archive. A server without an archive does not have the path. */
  readonly readsArchive: boolean;
  /** The name of the file of the stream of the whole list. undefined if the route has no stream. */
  readonly streamName: string | undefined;
  /** Converts the decoded texts of the parameters. Throws BAD_USER_INPUT if one is invalid. */
  decode(texts: ReadonlyMap<string, string>): RouteRequest;
}

const heightFields = {
  blockHeight: z.string().regex(/^\d+$/).describe('Height of the block at which the whole response was read.'),
  blockTime: z.iso.datetime({ precision: null }).describe('Time of that block.'),
};

interface RouteDefinition<P extends Parameters, F extends z.ZodRawShape, Row>
  extends Omit<Route, 'parameters' | 'response' | 'decode' | 'present' | 'readsArchive' | 'streamName'> {
  readonly parameters: P;
  readonly name: string;
  readonly fields: F;
  /** See {@link RouteRequest.live}. If absent, the response is not live. */
  live?(values: Values<P>): boolean;
  readonly present?: Route['present'];
  readonly readsArchive?: true;
  readonly stream?: ListStream<Values<P>, Row>;
  /** See {@link RouteRequest.height}. If absent, the path has none. */
  height?(values: Values<P>): string;
  /** Returns the price in points. Throws BAD_USER_INPUT for an invalid combination of parameters. */
  points(values: Values<P>): number;
  answer(pin: Pin, values: Values<P>, charge: (points: number) => void): Promise<Written<z.output<z.ZodObject<F>>> | null>;
}

async function* textsOf<Row>(
  pages: AsyncGenerator<readonly Row[], void>,
  { start, row }: ListWriter<Row>,
): AsyncGenerator<string, void> {
  let prefix = start;
  for await (const rows of pages) {
    yield prefix + rows.map(row).join('');
    prefix = '';
  }
}

export function createRoute<P extends Parameters, F extends z.ZodRawShape, Row = never>(
  definition: RouteDefinition<P, F, Row>,
): Route {
  const { name, fields, live, height, points, answer, stream, readsArchive = false, present, ...described } = definition;
  const { parameters } = described;
  return {
    ...described,
    response: { name, schema: z.object({ ...heightFields, ...fields }) },
    present,
    readsArchive,
    streamName: stream?.fileName,
    decode(texts) {
      const entries = Object.entries(parameters).map(([each, parameter]) => [each, parameter.read(texts.get(each), each)]);
      // Object.fromEntries loses the types of the values.
      const values = Object.fromEntries(entries) as Values<P>;
      const isAccount = (name: string): boolean => parameters[name]?.isAccount === true && texts.has(name);
      const accounts = Object.fromEntries([...texts].filter(([name]) => isAccount(name)));
      return {
        points: points(values),
        live: live?.(values) ?? false,
        height: height?.(values),
        async answer(pin, charge) {
          await checkAccounts(pin, accounts);
          return answer(pin, values, charge);
        },
        stream: stream && {
          points: points({ ...values, 'pagination.pageSize': stream.size }),
          async texts(pin, format, beforePage) {
            await checkAccounts(pin, accounts);
            const cursor = texts.get(cursorName);
            if (cursor !== undefined) throw badInput(cursorName, cursor, 'absent: a stream has the whole list');
            const pages = await stream.pages(pin, values, { size: stream.size, beforePage });
            return pages && textsOf(pages, createListWriter(format, stream.columns));
          },
        },
      };
    },
  };
}

/** A route that matches a path, and the values of its path parameters, not yet decoded. */
type Match = { readonly route: Route; readonly inPath: ReadonlyMap<string, string> };

/** The template of a route's path. A parameter that takes the rest of the path is `{name=**}`. */
function templateOf({ path, parameters }: Route): Template {
  const text = path.replace(/\{(\w+)\}/g, (variable, name: string) =>
    parameters[name]?.takesRest === true ? `{${name}=**}` : variable,
  );
  const template = parseTemplate(text);
  if (template === undefined) throw new Error(`${path} is no path template`);
  return template;
}

/** Creates a function that returns the route that a path matches. undefined if there is none. */
export function createRouteMatcher(routes: readonly Route[]): (path: string) => Match | undefined {
  const find = createMatcher(
    routes.map((route) => {
      const template = templateOf(route);
      return [template, { route, template }] as const;
    }),
  );
  return (path) => {
    const segments = path.slice(1).split('/');
    const match = find(segments);
    if (match === undefined) return undefined;
    const inPath = valuesIn(match.template, segments).map(({ field, text }) => [field.join('.'), text] as const);
    // A value begins with a segment that is not empty.
    return inPath.some(([, text]) => text.startsWith('/')) ? undefined : { route: match.route, inPath: new Map(inPath) };
  };
}

function decoded(name: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badInput(name, text, 'percent-encoded UTF-8');
  }
}

/**
 * Returns the decoded values of a request's parameters. A list parameter can be repeated, which equals one list separated by
 * commas. Throws BAD_USER_INPUT for an unknown parameter and for any other repeated parameter.
 */
export function parameterTexts({ route, inPath }: Match, query: URLSearchParams): ReadonlyMap<string, string> {
  const texts = new Map([...inPath].map(([name, text]) => [name, decoded(name, text)]));
  const names = Object.entries(route.parameters).flatMap(([name, each]) => (each.in === 'query' ? [name] : []));
  for (const [name, text] of query) {
    if (!names.includes(name)) throw badInput(name, text, `absent: the parameters of this path are ${names.join(', ')}`);
    const earlier = texts.get(name);
    if (earlier !== undefined && route.parameters[name]?.schema.type !== 'array') throw badInput(name, text, 'given once');
    texts.set(name, earlier === undefined ? text : `${earlier},${text}`);
  }
  return texts;
}

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
