import type { CallOptions } from '../transports/transport.ts';
import type { JsonObject, JsonValue } from '../wire/json.ts';

/** An index of transactions and blocks besides those of the nodes. */
export interface SearchIndex {
  /**
   * The result of `tx_search` or `block_search`, as a node with an index returns it. Undefined if a node must be asked, because the index does not
   * cover what the search may find. Rejects with the error that a node returns.
   */
  search(
    method: SearchMethod,
    params: JsonObject,
    options: Pick<CallOptions<unknown>, 'signal'>,
  ): Promise<JsonValue | undefined>;
}

/** The methods of the node RPC that search the index of a node. */
export type SearchMethod = 'tx_search' | 'block_search';

/** Whether a method searches the index of a node. */
export function isSearch(method: string): method is SearchMethod {
  return method === 'tx_search' || method === 'block_search';
}
