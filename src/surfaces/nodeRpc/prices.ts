import { isRpcMethod, type RpcMethodName } from '../../chain/rpc/methods.ts';
import type { Scope, Viewer } from '../../reads/viewer.ts';

/** The price of a request: points, and the number of broadcasts. */
export interface Price {
  readonly points: number;
  readonly broadcasts: number;
}

/** Methods that need the scope `broadcast`. All others need `read`. The GraphQL fields have the same rules. */
const sends: readonly RpcMethodName[] = [
  'broadcast_tx_sync',
  'broadcast_tx_async',
  'broadcast_tx_commit',
  'broadcast_evidence',
];

/** For each page, the node evaluates the query on everything that it has indexed (docs/chain.md, "Pages and searches"). */
const searches: readonly RpcMethodName[] = ['tx_search', 'block_search'];

/** Results of 16 MiB and more are possible. Only smaller ones are cached. */
const large: readonly RpcMethodName[] = ['genesis', 'genesis_chunked'];

/** The price of a GraphQL field that broadcasts. */
const broadcastPoints = 20;
const searchPoints = 10;
const largePoints = 10;

/**
 * Returns the price of a request that calls these methods: one point for each call, and more for a search, a genesis and a
 * broadcast.
 */
export function priceOf(methods: readonly string[]): Price {
  let points = 0;
  let broadcasts = 0;
  for (const method of methods) {
    points += 1;
    if (!isRpcMethod(method)) continue;
    if (searches.includes(method)) points += searchPoints;
    if (large.includes(method)) points += largePoints;
    if (!sends.includes(method)) continue;
    points += broadcastPoints;
    broadcasts += 1;
  }
  return { points, broadcasts };
}

/** Whether a method changes the state of a node. A batch that contains such a method is executed sequentially. */
export function isSending(method: string): boolean {
  return method === 'check_tx' || (isRpcMethod(method) && sends.includes(method));
}

/** Returns the scope that a call needs and the token lacks. undefined if the token has it. */
export function missingScope(method: RpcMethodName, { scopes }: Viewer): Scope | undefined {
  const scope: Scope = sends.includes(method) ? 'broadcast' : 'read';
  return scopes.includes(scope) ? undefined : scope;
}
