import { type Bounds, cursorMax, pageDefault } from '../../config/bounds.ts';
import { denomOfScope, metadataIdInput, scopeOfDenom } from '../../modules/metadata/address.ts';
import { badInput } from '../../reads/errors.ts';
import { addressInput, denomInput } from '../../reads/input.ts';
import type { Parameter } from './parameter.ts';

const isUuid = (text: string): boolean => /^[0-9a-f-]{36}$/i.test(text);

/** What a path names, which is always there. */
function inPath<T>(
  description: string,
  input: (name: string, text: string) => T,
  more: { readonly takesRest?: true } = {},
): Parameter<T> {
  const schema = { type: 'string', minLength: 1 } as const;
  return { in: 'path', description, schema, ...more, read: (text = '', name) => input(name, text) };
}

/** An account in the path. */
export const accountInPath = inPath('Address of an account, in bech32.', addressInput);

/** A denom in the path, with its slashes, encoded or not. */
export const denomInPath = inPath(
  'A denom; one with slashes (`nft/scope1…`) stands in the path as it is, or encoded.',
  denomInput,
  { takesRest: true },
);

/** A scope in the path. */
export const scopeInPath = inPath('A scope: its `scope1…` address or its UUID.', (name, text) =>
  metadataIdInput('scope', name, text),
);

/** What has a net asset value, in the path: the denom of a marker, or a scope, which is read as the denom of its coin. */
export const assetInPath = inPath(
  'A denom, or a scope: its `scope1…` address, its UUID, or the denom of its coin (`nft/scope1…`).',
  (name, text) => {
    const id = scopeOfDenom(text) ?? (text.startsWith('scope1') || isUuid(text) ? text : undefined);
    return id === undefined ? denomInput(name, text) : denomOfScope(metadataIdInput('scope', name, id));
  },
  { takesRest: true },
);

/** An account in the query; undefined when absent. */
export const accountInQuery: Parameter<string | undefined> = {
  in: 'query',
  description: accountInPath.description,
  schema: { type: 'string' },
  read: (text, name) => (text === undefined ? undefined : addressInput(name, text)),
};

/** A denom in the query; undefined when absent. */
export function denomInQuery(description: string): Parameter<string | undefined> {
  const read = (text: string | undefined, name: string) => (text === undefined ? undefined : denomInput(name, text));
  return { in: 'query', description, schema: { type: 'string' }, read };
}

/** The denom that prices are told in. */
export const priceDenom: Parameter<string> = {
  in: 'query',
  description: 'The denom that prices are told in. Those in `usd` count mills, a thousandth of a dollar.',
  schema: { type: 'string', default: 'usd' },
  read: (text = 'usd', name) => denomInput(name, text),
};

/** One of some words; undefined when absent. */
export function wordInQuery<W extends string>(description: string, words: readonly W[]): Parameter<W | undefined> {
  return {
    in: 'query',
    description,
    schema: { type: 'string', enum: words },
    read: (text, name) => (text === undefined ? undefined : wordOf(words, text, name)),
  };
}

function wordOf<W extends string>(words: readonly W[], text: string, name: string): W {
  const word = words.find((each) => each === text);
  if (word === undefined) throw badInput(name, text, `one of ${words.join(', ')}`);
  return word;
}

/** A list of words, separated by commas or given several times; undefined when absent. */
export function wordsInQuery<W extends string>(description: string, words: readonly W[]): Parameter<readonly W[] | undefined> {
  return {
    in: 'query',
    description,
    schema: { type: 'array', items: { type: 'string', enum: words } },
    read: (text, name) =>
      text === undefined ? undefined : [...new Set(text.split(',').map((each) => wordOf(words, each, name)))],
  };
}

/** Yes or no; no when absent. */
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

/** The name of the parameter that a page goes on at. */
export const cursorName = 'pagination.cursor';

/** The parameters of a page; its greatest size is that of the graph's. */
export function pageInQuery({ pageMax }: Bounds) {
  const cursor: Parameter<string | undefined> = {
    in: 'query',
    description:
      '`pagination.nextCursor` of the page before, or a cursor of the same list of the graph. A cursor of another list is BAD_CURSOR.',
    schema: { type: 'string', maxLength: cursorMax },
    read: (text) => text,
  };
  const pageSize: Parameter<number> = {
    in: 'query',
    description: 'Items of the page, at most (limits page.size.default and page.size.max).',
    schema: { type: 'integer', minimum: 1, maximum: pageMax, default: pageDefault },
    read(text = String(pageDefault), name) {
      const size = /^\d{1,9}$/.test(text) ? Number(text) : 0;
      if (size < 1 || size > pageMax) throw badInput(name, text, `from 1 to ${pageMax}`);
      return size;
    },
  };
  return { [cursorName]: cursor, 'pagination.pageSize': pageSize } as const;
}

/** What was given for {@link pageInQuery}. */
export interface PageValues {
  readonly [cursorName]: string | undefined;
  readonly 'pagination.pageSize': number;
}
