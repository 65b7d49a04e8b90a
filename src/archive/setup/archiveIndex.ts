import type { Client } from '../../chain/client.ts';
import type { SearchIndex } from '../../chain/events/eventQuery.ts';
import { rpcError } from '../../chain/rpc/rpcErrors.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import type { IndexSearch } from '../full/indexSearch.ts';
import { planSearch, refusalOf } from '../full/plan.ts';
import type { ArchiveReader } from '../reader.ts';
import type { Recording } from '../recording/recording.ts';
import type { ArchiveReads } from '../store/archiveStore.ts';

/** How long a search waits for the newest block to be recorded, in ms. After that a node is asked. */
const freshness = 500;

/** Options of {@link createArchiveIndex}. */
export interface ArchiveIndexOptions {
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
      const found = await store.search(search, signal).catch(() => null);
      signal?.throwIfAborted();
      if (found === null || (search.hash !== undefined && found.total === 0n)) return undefined;
      const pages = found.total === 0n ? 1n : (found.total + BigInt(perPage) - 1n) / BigInt(perPage);
      if (page < 1n || page > pages) throw refuse(`page should be within [1, ${pages}] range, given ${page}`);
      const items: JsonValue = JSON.parse(found.items);
      // Blocks may have expired since the coverage was read.
      if (search.hash === undefined && !isIndexed(search)) return undefined;
      return { [method === 'tx_search' ? 'txs' : 'blocks']: items, total_count: found.total.toString() };
    },
  };
}
