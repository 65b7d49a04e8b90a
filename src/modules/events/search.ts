import { createHash } from 'node:crypto';
import { isChainError } from '../../chain/base/errors.ts';
import type { Client } from '../../chain/client.ts';
import { type EventCondition, formatEventQuery } from '../../chain/events/eventQuery.ts';
import { arrayAt, asObject, bigintAt, type JsonValue, malformed } from '../../chain/wire/json.ts';
import { maxEventQueryBytes } from '../../config/bounds.ts';
import { RequestError } from '../../reads/errors.ts';
import { heightKey, heightOfKey } from '../../reads/height.ts';
import type { ChainList, ReadRequest } from '../../reads/page.ts';

/** What has answered a search: the index of the archive, or that of a node. */
export type SearchedIndex = 'ARCHIVE' | 'NODE_INDEX';

/** One of the two searches of a node: for transactions or for blocks. */
export interface SearchKind<T> {
  readonly method: 'tx_search' | 'block_search';
  /** The tag for the height of an item. */
  readonly heightTag: 'tx.height' | 'block.height';
  /** The member of the response that holds the items. */
  readonly member: 'txs' | 'blocks';
  readonly decode: (json: JsonValue) => T;
  readonly heightOf: (item: T) => bigint;
  /** Index in the block; undefined for a block. */
  readonly indexOf: (item: T) => number | undefined;
  /** Whether an item matches all conditions. For a condition on `tx.hash`, a node ignores all other conditions. */
  readonly holds: (item: T, conditions: readonly EventCondition[]) => boolean;
}

/** The heights that conditions allow, `low` to `high`, and the conditions on other tags. */
export interface HeightWindow {
  readonly low: bigint;
  readonly high: bigint;
  readonly others: readonly EventCondition[];
}

/**
 * Combines the conditions on the height into one window, up to `latest`. A node handles several such conditions incorrectly: it
 * keeps only one of two upper bounds, and ignores an equality next to a range (source of CometBFT).
 */
export function heightWindow(conditions: readonly EventCondition[], tag: string, latest: bigint): HeightWindow {
  let low = 1n;
  let high = latest;
  const others: EventCondition[] = [];
  for (const condition of conditions) {
    if (condition.tag !== tag) {
      others.push(condition);
      continue;
    }
    const { operator, argument } = condition;
    if (operator === 'EXISTS') continue;
    if (argument === undefined || operator === 'CONTAINS' || !/^\d{1,19}$/.test(argument.text)) {
      const facts = { argument: 'query', value: formatEventQuery([condition]), bound: `a whole number for ${tag}` };
      throw new RequestError('BAD_USER_INPUT', `\`${tag}\` must be compared with a whole number.`, facts);
    }
    const height = BigInt(argument.text);
    const from = operator === '>' ? height + 1n : operator === '=' || operator === '>=' ? height : low;
    const to = operator === '<' ? height - 1n : operator === '=' || operator === '<=' ? height : high;
    if (from > low) low = from;
    if (to < high) high = to;
  }
  return { low, high, others };
}

function printWindow(tag: string, { low, high, others }: HeightWindow): string {
  const number = (operator: '=' | '<=' | '>=', height: bigint): EventCondition => ({
    tag,
    operator,
    argument: { type: 'number', text: height.toString() },
  });
  if (low === high) return formatEventQuery([...others, number('=', low)]);
  return formatEventQuery([...others, ...(low > 1n ? [number('>=', low)] : []), number('<=', high)]);
}

/** The name of the list that a query finds. It is the same at every height. */
export function searchName(method: string, conditions: readonly EventCondition[]): string {
  const hash = createHash('sha256').update(formatEventQuery(conditions)).digest('hex');
  return `${method}/${hash.slice(0, 32)}`;
}

/** Most items on one page of a node. */
const perPageMax = 100;

/**
 * The results of a search up to the height `latest`, as a list in either order. A page takes one read, or two if the offset
 * lies within a page of the node. The node evaluates the whole query for each read. After a cursor, the search starts at the
 * height of the cursor. Only nodes that have the block at `latest` are called. `signal` aborts the reads. `onRead` is called after each read, with
 * the index that has answered.
 */
export function searchList<T>(
  client: Client,
  kind: SearchKind<T>,
  conditions: readonly EventCondition[],
  latest: bigint,
  newestFirst: boolean,
  signal?: AbortSignal,
  onRead?: (index: SearchedIndex) => void,
): ChainList<T> {
  const window = heightWindow(conditions, kind.heightTag, latest);
  const byHash = conditions.some(({ tag }) => tag === 'tx.hash');

  async function page(within: HeightWindow, number: bigint, size: number): Promise<{ items: readonly T[]; total: bigint }> {
    if (within.low > within.high) return { items: [], total: 0n };
    const query = printWindow(kind.heightTag, within);
    if (Buffer.byteLength(query) > maxEventQueryBytes) {
      const facts = { argument: 'query', bound: `at most ${maxEventQueryBytes} bytes including the conditions on the height` };
      throw new RequestError('BAD_USER_INPUT', `maximum query length exceeded: ${Buffer.byteLength(query)}`, facts);
    }
    const params = {
      query,
      ...(kind.method === 'tx_search' && { prove: false }),
      page: number.toString(),
      per_page: size.toString(),
      order_by: newestFirst ? 'desc' : 'asc',
    };
    let index: SearchedIndex = 'NODE_INDEX';
    const onIndex = (): void => {
      index = 'ARCHIVE';
    };
    try {
      const result = asObject(await client.call(kind.method, params, { height: latest, signal, onIndex }), kind.method);
      onRead?.(index);
      const foundItems = arrayAt(result, kind.member).map(kind.decode);
      const items = byHash ? foundItems.filter((item) => kind.holds(item, conditions)) : foundItems;
      if (items.some((item) => kind.heightOf(item) > latest)) {
        if (!byHash) throw malformed('a search returned an item above its greatest height');
        return { items: [], total: 0n };
      }
      return { items, total: byHash ? BigInt(items.length) : bigintAt(result, 'total_count') };
    } catch (error) {
      const isPastEnd = isChainError(error, 'RPC_ERROR') && /^page should be within \[1, \d+\] range/.test(error.facts.data);
      if (!isPastEnd || number === 1n) throw error;
      return { items: [], total: (await page(within, 1n, 1)).total };
    }
  }

  function keyOf(item: T): Buffer {
    const index = kind.indexOf(item);
    const key = heightKey(kind.heightOf(item), newestFirst);
    if (index === undefined) return key;
    const place = Buffer.alloc(4);
    place.writeUInt32BE(newestFirst ? 0xffff_ffff - index : index);
    return Buffer.concat([key, place]);
  }

  /** Reads from the first item at or after a key. Earlier items of the same block are skipped. */
  async function fromKey(key: Uint8Array, limit: number) {
    const height = heightOfKey(key, newestFirst);
    const within = newestFirst
      ? { ...window, high: height < window.high ? height : window.high }
      : { ...window, low: height > window.low ? height : window.low };
    const size = Math.min(perPageMax, limit + 1);
    const items: T[] = [];
    for (let number = 1n; ; number += 1n) {
      const read = await page(within, number, size);
      items.push(...read.items.filter((item) => Buffer.compare(keyOf(item), key) >= 0));
      const last = read.items.length === 0 || number * BigInt(size) >= read.total;
      if (items.length > limit || last) return { items: items.slice(0, limit), more: items.length > limit || !last };
    }
  }

  return {
    keyOf,
    pageKey: (key) => key,
    async read({ key, offset = 0n, limit }: ReadRequest) {
      if (key !== undefined) return { ...(await fromKey(key, limit)), total: undefined };
      const size = BigInt(limit);
      const skipped = offset % size;
      const number = offset / size + 1n;
      const first = await page(window, number, limit);
      const second = skipped > 0n && number * size < first.total ? (await page(window, number + 1n, limit)).items : [];
      const items = [...first.items, ...second].slice(Number(skipped), Number(skipped) + limit);
      return { items, more: offset + BigInt(items.length) < first.total, total: first.total };
    },
  };
}
