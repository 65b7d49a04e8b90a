import type { IncomingMessage } from 'node:http';
import {
  bufferBytes,
  type MemoryBudget,
  objectBytes,
  ownBytes,
  textBytes,
  valueBytes,
} from '../../chain/memory/memoryBudget.ts';
import type { ReadRequest } from './reading.ts';
import type { RouteTable } from './routes/routeTable.ts';
import type { RouteTables } from './routes/routeTables.ts';

/** The decoded requests of URLs that were requested again. */
export interface DecodedRequests {
  /** Returns the decoded request of a URL by the current table. undefined if it is not known. */
  find(request: IncomingMessage, tables: Pick<RouteTables, 'known'>): ReadRequest | undefined;
  /** Keeps a decoded request. Requests with a body are not kept. */
  note(request: IncomingMessage, read: ReadRequest): void;
}

function sizeOf({ path, json, request }: ReadRequest): number {
  return 2 * objectBytes + textBytes(path) + valueBytes(json) + bufferBytes + request.length;
}

/** Creates the decoded requests of one surface, within the memory for answers. */
export function createDecodedRequests(memory: Pick<MemoryBudget, 'cache'>, surface: string): DecodedRequests {
  const again = memory.cache('answers', `${surface}-decoded`, sizeOf);
  /** The table of all requests in the cache. */
  let table: RouteTable | undefined;
  return {
    find({ method, url = '/' }, tables) {
      const known = method === 'GET' ? again.get(url) : undefined;
      return known !== undefined && known.table === tables.known() ? known : undefined;
    },
    note({ method, url = '/' }, read) {
      if (method !== 'GET') return;
      // The descriptors of the earlier table would stay in memory.
      if (read.table !== table) again.clear();
      table = read.table;
      again.set(url, { ...read, request: ownBytes(read.request) });
    },
  };
}
