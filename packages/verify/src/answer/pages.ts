import type { Level } from '../bundle.ts';
import { compareBytes, concat, fromBase64, noBytes } from '../bytes.ts';
import { idBytes, textOf } from '../plans/keyParts.ts';
import { UnplannedRequest } from '../plans/plan.ts';
import { bytesField, type Message, messageField, uintField } from '../plans/wire.ts';
import { type Call, Cursor, noMessage, ownField, type Result, type Rule, type Rules, type Source, source } from './rules.ts';
import { type Steps, together } from './steps.ts';

// Pages of lists, as the schema has them.

/** A list of the chain: a query method that returns a part of it. */
export interface ChainList {
  /** The type of the items. */
  readonly type: string;
  /** The name that its cursors have. */
  readonly name: string;
  readonly path: string;
  /** The fields of the request, and the number of the one that asks for a page. */
  readonly request: Uint8Array;
  readonly pageField?: number;
  /** The number of the field of the response that tells what follows. */
  readonly responseField?: number;
  readonly items: (response: Message) => readonly Source[];
  readonly keyOf: (item: Source) => Uint8Array;
  /** The page key at which the chain starts with the first item at or after a key. Absent if the server does not use page keys. */
  readonly pageKey?: (key: Uint8Array) => Uint8Array;
  /** Whether the server does not use them all the same. */
  readonly hasPageKeys?: boolean;
  /** Whether the chain leaves out items as it walks the list, so that its next key does not tell whether there are more. */
  readonly isFiltered?: boolean;
}

/** A page in the order of the answer. */
interface Page {
  readonly items: readonly Source[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  readonly total: bigint | null;
}

/** The arguments of a page. */
interface PageArgs {
  readonly first: number;
  readonly offset: number;
  readonly reverse: boolean;
  readonly after: Uint8Array | undefined;
  readonly count: boolean;
}

function fromBase64Url(text: string): Uint8Array {
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/');
  return fromBase64(base64.padEnd(Math.ceil(base64.length / 4) * 4, '='), 'a cursor');
}

/** The parts of a cursor; undefined if it is none. */
function partsOf(cursor: string): readonly string[] | undefined {
  try {
    const parts = textOf(fromBase64Url(cursor)).split('\n');
    return parts.length === 3 ? parts : undefined;
  } catch {
    return undefined;
  }
}

const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Whether text is a cursor of an item. Its second part is a hint of the place, which is not verified by those who use it either. */
export function isCursor(text: unknown, { list, key }: Cursor): boolean {
  const parts = typeof text === 'string' ? partsOf(text) : undefined;
  return parts !== undefined && parts[0] === list && /^\d{0,20}$/.test(parts[1] ?? '-') && parts[2] === hexOf(key());
}

function pageArgs({ args, selects }: Call, list: string): PageArgs {
  const { after = null } = args;
  const [first, offset] = [args.first ?? 20, args.offset ?? 0].map(Number);
  if (first === undefined || offset === undefined || !Number.isInteger(first + offset) || first < 0 || offset < 0)
    throw new UnplannedRequest('the arguments of the page are not valid');
  let key: Uint8Array | undefined;
  if (after !== null) {
    const parts = typeof after === 'string' ? partsOf(after) : undefined;
    const digits = parts?.[2] ?? '-';
    if (parts?.[0] !== list || !/^([0-9a-f]{2})*$/.test(digits))
      throw new UnplannedRequest('`after` is a cursor of another list');
    key = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  }
  const needsItems = selects('nodes') || selects('edges') || selects('pageInfo');
  return { first: needsItems ? first : 0, offset, reverse: args.reverse === true, after: key, count: selects('totalCount') };
}

/** A part of a list: items in ascending order, and whether others follow. */
interface Part {
  readonly items: readonly Source[];
  readonly more: boolean;
  readonly total: bigint;
}

/** Reads a part of a list. Returns null if the chain does not have the list. */
export function* partOf(
  call: Call,
  list: ChainList,
  page: { readonly key?: Uint8Array; readonly offset?: number; readonly limit?: number; readonly count?: boolean },
): Steps<Part | null> {
  const { limit = 2 ** 31 } = page;
  const size = list.isFiltered === true && limit < 2 ** 31 ? limit + 1 : limit;
  const request = [
    bytesField(1, page.key ?? noBytes),
    uintField(2, BigInt(page.offset ?? 0)),
    uintField(3, BigInt(size)),
    uintField(4, page.count === true ? 1n : 0n),
  ];
  const response = yield* call.ask(list.path, list.request, messageField(list.pageField ?? 2, ...request));
  if (response === null) return null;
  const items = list.items(response);
  const info = response.message(list.responseField ?? 2);
  const more = list.isFiltered === true ? items.length > limit : info.bytes(1).length > 0;
  return { items: items.slice(0, limit), more, total: info.uint(2) };
}

/** Reads a whole list, in ascending order. An absent list has no items. */
export function* wholeList(call: Call, list: ChainList): Steps<readonly Source[]> {
  const part = yield* partOf(call, list, { count: true });
  return part?.items ?? [];
}

function* chainPage(call: Call, list: ChainList, args: PageArgs): Steps<Page | null> {
  const { first, offset, after, count } = args;
  // A page by offset is counted with the same read. The chain counts nothing if it starts beyond the end of some lists.
  const isCounted = count && first > 0 && after === undefined && !args.reverse;
  const total = count && !isCounted ? ((yield* partOf(call, list, { limit: 1, count: true }))?.total ?? null) : null;
  if (first === 0) return { items: [], hasNext: false, hasPrevious: false, total };
  if (args.reverse) {
    const whole = yield* wholeList(call, list);
    const end =
      after === undefined
        ? Math.max(0, whole.length - offset)
        : whole.filter((item) => compareBytes(list.keyOf(item), after) < 0).length;
    const start = Math.max(0, end - first);
    const items = whole.slice(start, end).toReversed();
    return { items, hasNext: start > 0, hasPrevious: after !== undefined || offset > 0, total };
  }
  if (after !== undefined && (list.pageKey === undefined || list.hasPageKeys === false)) {
    const whole = yield* wholeList(call, list);
    const start = whole.filter((item) => compareBytes(list.keyOf(item), after) <= 0).length;
    const items = whole.slice(start, start + first);
    return { items, hasNext: start + first < whole.length, hasPrevious: start > 0, total };
  }
  // The least key above another is that key with a zero byte behind it.
  const from = after === undefined ? { offset } : { key: list.pageKey?.(concat(after, Uint8Array.of(0))) ?? noBytes };
  const part = yield* partOf(call, list, { ...from, limit: first, count: isCounted });
  if (part === null) return null;
  const hasPrevious = after !== undefined || offset > 0;
  return { items: part.items, hasNext: part.more, hasPrevious, total: isCounted ? part.total : total };
}

/** A page of a list that is whole, ascending by its keys. */
function memoryPage(whole: readonly Source[], keyOf: (item: Source) => Uint8Array, args: PageArgs): Page {
  const { first, after, reverse } = args;
  const ordered = reverse ? whole.toReversed() : whole;
  const isBeyond = (item: Source): boolean => {
    const order = after === undefined ? 0 : compareBytes(keyOf(item), after);
    return reverse ? order < 0 : order > 0;
  };
  const next = ordered.findIndex(isBeyond);
  const start = after === undefined ? args.offset : next < 0 ? ordered.length : next;
  return {
    items: ordered.slice(start, start + first),
    hasNext: start + first < ordered.length,
    hasPrevious: start > 0 && ordered.length > 0,
    total: BigInt(whole.length),
  };
}

/** The object of a page. */
function connection(
  type: string,
  name: string,
  { items, hasNext, hasPrevious, total }: Page,
  keyOf: (item: Source) => Uint8Array,
  rule?: string,
  nodes: readonly Source[] = items,
): Source {
  const level: Level = rule === undefined ? 'PROVEN' : 'RECOMPUTED';
  const make = (name: string, values: Source['own'] & {}) =>
    source(name, noMessage, { own: values, level, ...(rule !== undefined && { rule }) });
  const cursors = items.map((item) => new Cursor(name, () => keyOf(item)));
  const edges = nodes.map((node, index) => make(`${type}Edge`, { node, cursor: cursors[index] ?? null }));
  const info = { hasNextPage: hasNext, hasPreviousPage: hasPrevious };
  const ends = { startCursor: cursors[0] ?? null, endCursor: cursors.at(-1) ?? null };
  const pageInfo = make('PageInfo', { ...info, ...ends });
  const totalCount = total === null ? null : String(total);
  return make(`${type}Connection`, { nodes, edges, pageInfo, totalCount });
}

/** The rules of the types of a page. */
export const pageRules = (type: string): Readonly<Record<string, Rules>> => ({
  [`${type}Connection`]: {
    nodes: ownField('nodes', { types: [type] }),
    edges: ownField('edges', { types: [`${type}Edge`] }),
    pageInfo: ownField('pageInfo', { types: ['PageInfo'] }),
    totalCount: ownField('totalCount'),
  },
  [`${type}Edge`]: { node: ownField('node', { types: [type] }), cursor: ownField('cursor') },
});

/** The rules of `PageInfo`. */
export const pageInfoRules: Rules = {
  hasNextPage: ownField('hasNextPage'),
  hasPreviousPage: ownField('hasPreviousPage'),
  startCursor: ownField('startCursor'),
  endCursor: ownField('endCursor'),
};

/** The page of a list of the chain that the arguments of a field ask for. `objectOf` reads the objects whose ids are listed. */
export function* pageOf(call: Call, list: ChainList, objectOf?: (item: Source) => Steps<Source>): Steps<Result> {
  const part = yield* chainPage(call, list, pageArgs(call, list.name));
  if (part === null || objectOf === undefined) return part && connection(list.type, list.name, part, list.keyOf);
  const nodes = yield* together(part.items.map(objectOf));
  return connection(list.type, list.name, part, list.keyOf, undefined, nodes);
}

/** A field that is a page of a list of the chain. */
export const page = (type: string, list: (call: Call) => ChainList): Rule => ({
  types: [`${type}Connection`],
  value: (call) => pageOf(call, list(call)),
});

/** A page of a list that a rule makes. It is null if there is no such list. */
export function derivedPage(
  call: Call,
  type: string,
  name: string,
  whole: readonly Source[] | null,
  keyOf: (item: Source) => Uint8Array,
  rule: string,
): Result {
  const args = pageArgs(call, name);
  return whole && connection(type, name, memoryPage(whole, keyOf, args), keyOf, rule);
}

/** The page key of a list of ids: the first id of eight bytes at or after a key. */
export function idPageKey(key: Uint8Array): Uint8Array {
  const id = new DataView(concat(key, new Uint8Array(8)).buffer).getBigUint64(0);
  return idBytes(key.length > 8 && id < 2n ** 64n - 1n ? id + 1n : id);
}
