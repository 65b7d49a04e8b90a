import type { Client } from '../../chain/client.ts';
import {
  type EventCondition,
  EventQueryError,
  parseEventQuery,
  type SearchIndex,
  type SearchMethod,
} from '../../chain/events/eventQuery.ts';
import { rpcError } from '../../chain/rpc/rpcErrors.ts';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import { maxEventQueryBytes } from '../../config/bounds.ts';
import type { IndexSearch } from '../full/search.ts';
import type { Recording } from '../recording/recording.ts';
import type { ArchiveReads } from '../store/archiveStore.ts';
import type { ArchiveReader } from '../store/reader.ts';

interface SearchPlan {
  readonly search: IndexSearch;
  readonly page: bigint;
  readonly perPage: number;
}

/** The size of a page of a node: 30 if absent or below 1, at most 100. */
function pageSize(perPage: bigint | undefined): number {
  if (perPage === undefined || perPage < 1n) return 30;
  return perPage > 100n ? 100 : Number(perPage);
}

/** An integer argument. Null if it is none. */
function integerIn(value: JsonValue | undefined): bigint | undefined | null {
  if (value === undefined || value === null) return undefined;
  return /^-?\d{1,18}$/.test(String(value)) ? BigInt(String(value)) : null;
}

const isRange = ({ operator }: EventCondition): boolean => operator.startsWith('<') || operator.startsWith('>');

/**
 * The heights that conditions on the height allow, up to `newest`. Undefined for conditions that a node's index does not simply combine: it keeps one
 * of two bounds on a side, and ignores an equality next to a range.
 */
function heightsOf(
  conditions: readonly EventCondition[],
  newest: bigint,
): { readonly low: bigint; readonly high: bigint } | undefined {
  let [low, high] = [1n, newest];
  const sides = new Set<string>();
  for (const { operator, argument } of conditions) {
    const isNumber = argument?.type === 'number' || (argument?.type === 'string' && operator === '=');
    if (argument === undefined || operator === 'CONTAINS' || !isNumber || !/^(0|[1-9]\d{0,17})$/.test(argument.text))
      return undefined;
    const height = BigInt(argument.text);
    const [side = ''] = operator;
    if (sides.has(side) || sides.has('=') || (side === '=' && sides.size > 0)) return undefined;
    sides.add(side);
    if (side === '=') [low, high] = [height, height];
    else if (side === '>') low = operator === '>' ? height + 1n : height || 1n;
    else high = operator === '<' ? height - 1n : height;
  }
  return { low, high: high < newest ? high : newest };
}

/** Whether several conditions compare one tag with numbers. A node's index compares one value with all of them. */
function hasSharedRange(conditions: readonly EventCondition[]): boolean {
  const tags = conditions.filter(isRange).map(({ tag }) => tag);
  return new Set(tags).size < tags.length;
}

/** The order of a call: newest first, oldest first, or the order that the method has by itself. */
const orders: readonly JsonValue[] = ['', 'asc', 'desc'];

/**
 * The text with which every node with an index refuses a search, whatever it has indexed. Undefined if none follows from the arguments alone. The texts
 * are recorded ("tx_search long query", "tx_search bad query", "tx_search bad order").
 */
function refusalOf(method: SearchMethod, { query, order_by: order = '' }: JsonObject): string | undefined {
  if (typeof query !== 'string') return undefined;
  if (method === 'tx_search' && Buffer.byteLength(query) > maxEventQueryBytes) return 'maximum query length exceeded';
  try {
    parseEventQuery(query);
  } catch (error) {
    if (error instanceof EventQueryError) return error.message;
    throw error;
  }
  return typeof order !== 'string' || orders.includes(order)
    ? undefined
    : 'expected order_by to be either `asc` or `desc` or empty';
}

/**
 * The search of a call that {@link refusalOf} does not refuse. Undefined if only a node can answer it, because its meaning depends on details of the
 * node's index. The page may be one that does not exist.
 */
function planSearch(method: SearchMethod, params: JsonObject, newest: bigint): SearchPlan | undefined {
  const { query, prove, order_by: order = '' } = params;
  const page = integerIn(params.page);
  const perPage = integerIn(params.per_page);
  if (typeof query !== 'string' || page === null || perPage === null || !orders.includes(order)) return undefined;
  const isTx = method === 'tx_search';
  const conditions = parseEventQuery(query);
  const heightTag = isTx ? 'tx.height' : 'block.height';
  const others = conditions.filter(({ tag }) => tag !== heightTag);
  if (hasSharedRange(others)) return undefined;
  const heights = heightsOf(
    conditions.filter(({ tag }) => tag === heightTag),
    newest,
  );
  const hashText = isTx ? conditions.find(({ tag }) => tag === 'tx.hash') : undefined;
  const hash = hashText?.argument?.text.toUpperCase();
  if (heights === undefined || (hashText !== undefined && !/^[0-9A-F]{64}$/.test(hash ?? ''))) return undefined;
  const size = pageSize(perPage);
  const number = page ?? 1n;
  // The pages below the first one are refused with the number of pages, for which the first one is read.
  const offset = number < 1n ? 0n : (number - 1n) * BigInt(size);
  if (offset > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  const search: IndexSearch = {
    kind: isTx ? 'tx' : 'block',
    conditions: others,
    hash,
    ...heights,
    newestFirst: order === '' ? !isTx : order === 'desc',
    offset: Number(offset),
    limit: size,
    prove: isTx && prove === true,
  };
  return { search, page: number, perPage: size };
}

/** How long a search waits for the newest block to be recorded, in ms. After that a node is asked. */
const freshness = 500;

interface ArchiveIndexOptions {
  readonly client: Pick<Client, 'head'>;
  readonly store: Pick<ArchiveReads, 'coverage' | 'search'>;
  readonly reader: Pick<ArchiveReader, 'waitFor'>;
  readonly recording: Pick<Recording, 'status'>;
}

/**
 * The index of mode FULL as a search index of the client. It answers a search if all blocks that the search may find are indexed. A failure of the
 * database is no failure of the search: a node is asked. A search that every node refuses is refused here, so also while no node can be reached.
 */
export function createArchiveIndex({ client, store, reader, recording }: ArchiveIndexOptions): SearchIndex {
  const isIndexed = ({ low, high }: IndexSearch): boolean =>
    store.coverage().indexed.some(({ from, to }) => from <= low && high <= to);

  /** Whether the index holds the heights of a search, now or after the newest block is recorded. */
  async function holds(search: IndexSearch, signal: AbortSignal | undefined): Promise<boolean> {
    if (isIndexed(search)) return true;
    const newest = store.coverage().indexed.at(-1);
    const mayFollow = newest !== undefined && newest.from <= search.low && newest.to < search.high;
    if (!mayFollow || recording.status().state !== 'RECORDING') return false;
    await reader.waitFor(search.high, { milliseconds: freshness, signal }).catch(() => undefined);
    signal?.throwIfAborted();
    return isIndexed(search);
  }

  return {
    async search(method, params, { signal }) {
      const refuse = (data: string) => rpcError({ code: -32603, message: 'Internal error', data }, method);
      const refusal = refusalOf(method, params);
      if (refusal !== undefined) throw refuse(refusal);
      const newest = client.head.current()?.height;
      // Until the hashes of the chain are compared, and if they differ, the records may be of another chain.
      if (newest === undefined || ['STARTING', 'STOPPED'].includes(recording.status().state)) return undefined;
      const plan = planSearch(method, params, newest);
      if (plan === undefined || plan.search.low > plan.search.high) return undefined;
      const { search, page, perPage } = plan;
      if (search.hash === undefined && !(await holds(search, signal))) return undefined;
      const matches = await store.search(search, signal).catch(() => null);
      signal?.throwIfAborted();
      if (matches === null || (search.hash !== undefined && matches.total === 0n)) return undefined;
      const pages = matches.total === 0n ? 1n : (matches.total + BigInt(perPage) - 1n) / BigInt(perPage);
      if (page < 1n || page > pages) throw refuse(`page should be within [1, ${pages}] range, given ${page}`);
      const items: JsonValue = JSON.parse(matches.items);
      // Blocks may have expired since the coverage was read.
      if (search.hash === undefined && !isIndexed(search)) return undefined;
      return { [method === 'tx_search' ? 'txs' : 'blocks']: items, total_count: matches.total.toString() };
    },
  };
}
