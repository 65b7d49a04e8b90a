import { type DescField, type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { isJsonObject, type JsonObject, type JsonValue } from '../../chain/wire/json.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { ParameterError } from './dialect.ts';
import type { RestRoute } from './routes.ts';

export interface PageAsked {
  readonly items: number;
  /** Whether the chain counts the whole list, or walks through it to an offset beyond `page.offset`. */
  readonly counts: boolean;
  /** Whether the client asked for more items than `rest.page.node`. */
  readonly isCut: boolean;
}

interface PageRequest {
  readonly key: string;
  readonly offset: bigint;
  readonly limit: bigint;
  readonly countTotal: boolean;
  readonly reverse: boolean;
}

function readPageRequest(json: JsonValue | undefined): PageRequest {
  const { key, offset, limit, countTotal, reverse } = isJsonObject(json) ? json : {};
  return {
    key: typeof key === 'string' ? key : '',
    offset: BigInt(typeof offset === 'string' ? offset : 0),
    limit: BigInt(typeof limit === 'string' ? limit : 0),
    countTotal: countTotal === true,
    reverse: reverse === true,
  };
}

function pageError(name: string, value: bigint | string, bound: string, nodeText?: string): ParameterError {
  const parameter = `pagination.${name}`;
  const text = nodeText ?? `${parameter} must be ${bound}`;
  return new ParameterError({ parameter, value: String(value), bound, nodeText: text, where: 'query' });
}

/**
 * Checks the page request of the documented dialect against the limits of size and offset, rejects a key together with an offset, and sets the
 * default size in `json`. Throws a {@link ParameterError}. In the node's dialect every page request is accepted, as on a node: a page has at most
 * `rest.page.node` items, which `json` then asks for, and the page key of the response continues behind them. A page without a size is left to
 * the chain: it returns 100 items and counts the list (docs/chain.md, "Page requests"). Returns undefined if the request is not for a list.
 */
export function boundPage(
  request: DescMessage,
  json: JsonObject,
  limits: Limits,
  enforcesPageRules: boolean,
): PageAsked | undefined {
  const field = request.fields.find(({ message }) => message?.typeName === 'cosmos.base.query.v1beta1.PageRequest');
  if (field === undefined) return undefined;
  const members = json[field.jsonName];
  const { key, offset, limit, countTotal } = readPageRequest(members);
  const setLimit = (size: bigint): void => {
    json[field.jsonName] = { ...(isJsonObject(members) && members), limit: size.toString() };
  };
  const maxOffset = BigInt(limits['page.offset']);
  if (!enforcesPageRules) {
    const most = BigInt(limits['rest.page.node']);
    const isCut = limit > most;
    if (isCut) setLimit(most);
    const counts = countTotal || limit === 0n || offset > maxOffset;
    return { items: Number(isCut ? most : limit || 100n), counts, isCut };
  }
  const max = BigInt(limits['rest.page.max']);
  if (limit > max) throw pageError('limit', limit, `at most ${max} (rest.page.max)`);
  if (offset > maxOffset) throw pageError('offset', offset, `at most ${maxOffset} (page.offset); use a page key`);
  if (offset > 0n && key !== '') {
    throw pageError('offset', offset, 'absent if `pagination.key` is given: either offset or key is expected, got both');
  }
  const size = limit || BigInt(limits['rest.page.default']);
  setLimit(size);
  return { items: Number(size), counts: countTotal, isCut: false };
}

const service = 'cosmos.group.v1.Query';

/** First byte of Stele's page keys, by direction. The position of an item follows in 8 bytes. Keys of the chain have 8 bytes, or 28 and more. */
const forwards = 0x66;
const backwards = 0x72;

function keyOf(direction: number, position: bigint): Uint8Array {
  const key = Buffer.alloc(9);
  key.writeUInt8(direction, 0);
  key.writeBigUInt64BE(position, 1);
  return key;
}

function isOurs(key: Uint8Array): boolean {
  return key.length === 9;
}

function keyError(key: string): ParameterError {
  return pageError('key', key, 'a `nextKey` of this list, in this direction', 'invalid pagination.key');
}

/** Returns the position in a page key of Stele. Throws a {@link ParameterError} for any other key. */
function positionIn(key: string, direction: number): bigint {
  const bytes = Buffer.from(key, 'base64');
  if (!isOurs(bytes) || bytes[0] !== direction) throw keyError(key);
  return bytes.readBigUInt64BE(1);
}

function partsOf(output: DescMessage): { list: DescField & { fieldKind: 'list' }; page: DescField & { fieldKind: 'message' } } {
  const list = output.fields.find((field) => field.fieldKind === 'list');
  const page = output.fields.find((field) => field.fieldKind === 'message' && field.name === 'pagination');
  if (list?.fieldKind !== 'list' || page?.fieldKind !== 'message') throw new Error(`${output.typeName} is no list`);
  return { list, page };
}

function readPart(output: DescMessage, bytes: Uint8Array) {
  const answer = reflect(output, fromBinary(output, bytes));
  const { list, page } = partsOf(output);
  const info = answer.isSet(page) ? answer.get(page) : undefined;
  const [key, total] = page.message.fields.map((field) => info?.get(field));
  return {
    answer,
    items: [...answer.get(list)],
    total: typeof total === 'bigint' ? total : 0n,
    more: key instanceof Uint8Array && key.length > 0,
  };
}

function writePart(
  output: DescMessage,
  { answer }: Part,
  items: readonly unknown[],
  nextKey: Uint8Array,
  total: bigint,
): Uint8Array {
  const { list, page } = partsOf(output);
  const target = answer.get(list);
  target.clear();
  for (const item of items) target.add(item);
  const info = answer.get(page);
  const [keyField, totalField] = page.message.fields;
  if (keyField !== undefined) info.set(keyField, nextKey);
  if (totalField !== undefined) info.set(totalField, total);
  answer.set(page, info);
  return toBinary(output, answer.message);
}

const none = new Uint8Array();

function isGroupList({ call }: RestRoute): boolean {
  return call.parent.typeName === service && call.input.fields.some(({ name }) => name === 'pagination');
}

/** Whether {@link groupListPage} makes the chain count the whole list to find its end, although the request does not require the total. */
export function needsTotal(route: RestRoute, json: JsonObject): boolean {
  const { reverse, key } = readPageRequest(json.pagination);
  return isGroupList(route) && reverse && key === '';
}

/**
 * Reads a page of a list of the group module if the chain would ignore parts of the page request (docs/chain.md, "Page requests"): `reverse` in all
 * lists, and page keys in `Groups`. Such a page is read by offset. Its `nextKey` contains the next position, which is exact at a fixed height. In the
 * node's dialect these are only the pages of `Groups` that were cut (`isCut`), and those that continue them: a node returns its first page for each
 * key. Returns undefined if the chain answers the request.
 */
export function groupListPage(
  route: RestRoute,
  json: JsonObject,
  { enforcesPageRules, isCut }: { readonly enforcesPageRules: boolean; readonly isCut: boolean },
  query: (json: JsonObject) => Promise<Uint8Array>,
): Promise<Uint8Array> | undefined {
  const { call } = route;
  if (!isGroupList(route)) return undefined;
  const page = readPageRequest(json.pagination);
  const key = Buffer.from(page.key, 'base64');
  const read = async (part: JsonObject): Promise<Part> => readPart(call.output, await query({ ...json, pagination: part }));
  if (!enforcesPageRules) {
    const isContinued = isOurs(key) && key[0] === forwards;
    const isOffset = call.name === 'Groups' && (isContinued || (isCut && page.key === ''));
    return isOffset ? forward(call.output, page, read) : undefined;
  }
  if (page.reverse) return backward(call.output, page, read);
  if (call.name === 'Groups') return forward(call.output, page, read);
  // The chain cannot use the key of a reversed list.
  if (isOurs(key)) throw keyError(page.key);
  return undefined;
}

/** Number of items in the list of a response; 0 if it has none. */
export function itemsIn(output: DescMessage, bytes: Uint8Array): number {
  const list = output.fields.find((field) => field.fieldKind === 'list');
  return list === undefined ? 0 : reflect(output, fromBinary(output, bytes)).get(list).size;
}

type Part = ReturnType<typeof readPart>;
type Read = (part: JsonObject) => Promise<Part>;

async function forward(output: DescMessage, page: PageRequest, read: Read): Promise<Uint8Array> {
  const start = page.key === '' ? page.offset : positionIn(page.key, forwards);
  const counts = page.countTotal && page.key === '';
  const part = await read({ offset: start.toString(), limit: page.limit.toString(), ...(counts && { countTotal: true }) });
  const nextKey = part.more ? keyOf(forwards, start + BigInt(part.items.length)) : none;
  return writePart(output, part, part.items, nextKey, counts ? part.total : 0n);
}

async function backward(output: DescMessage, page: PageRequest, read: Read): Promise<Uint8Array> {
  const resumed = page.key === '' ? undefined : positionIn(page.key, backwards);
  const countedPage = resumed === undefined ? await read({ limit: '1', countTotal: true }) : undefined;
  const total = countedPage?.total ?? 0n;
  const end = resumed ?? (total > page.offset ? total - page.offset : 0n);
  const shownTotal = page.countTotal ? total : 0n;
  if (end === 0n) return writePart(output, countedPage ?? (await read({ limit: '1' })), [], none, shownTotal);
  const start = end > page.limit ? end - page.limit : 0n;
  const part = await read({ offset: start.toString(), limit: (end - start).toString() });
  return writePart(output, part, part.items.toReversed(), start > 0n ? keyOf(backwards, start) : none, shownTotal);
}
