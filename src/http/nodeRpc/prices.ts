import { isRpcMethod, type RpcMethodName } from '../../chain/rpc/methods.ts';
import type { Scope, Viewer } from '../../reads/viewer.ts';

/** What calls are charged: points, and how many of them count as broadcasts. */
export interface Price {
  readonly points: number;
  readonly broadcasts: number;
}

/** Those that send need the scope `broadcast`, all others `read`: the rules of the graph. */
const sends: readonly RpcMethodName[] = [
  'broadcast_tx_sync',
  'broadcast_tx_async',
  'broadcast_tx_commit',
  'broadcast_evidence',
];

/** The node evaluates the query on everything that it has indexed, for each page (chain.md 1.2). */
const searches: readonly RpcMethodName[] = ['tx_search', 'block_search'];

/** Each may be 16 MiB and more, of which only the smaller are kept in memory. */
const large: readonly RpcMethodName[] = ['genesis', 'genesis_chunked'];

/** As for a field of the graph that sends. */
const broadcastPoints = 20;
const searchPoints = 10;
const largePoints = 10;

/** What a request of these methods costs: a point a call; a search, a genesis and a broadcast cost more. */
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

/** Whether a method changes what a node holds: calls of a batch with such a one are made one after another. */
export function isSending(method: string): boolean {
  return method === 'check_tx' || (isRpcMethod(method) && sends.includes(method));
}

/** The scope that a call needs and its token lacks; undefined when it has it. */
export function lackOf(method: RpcMethodName, { scopes }: Viewer): Scope | undefined {
  const scope: Scope = sends.includes(method) ? 'broadcast' : 'read';
  return scopes.includes(scope) ? undefined : scope;
}
