import type { Param } from './args.ts';

/** A method of the node's RPC (docs/chain.md, "Methods of the node RPC"). */
export interface RpcMethod {
  /** In the order of a positional argument list. */
  readonly params: readonly Param[];
  /** When the node lets a client cache the response for a day: never, always, or only if the call names a height. */
  readonly cache: 'never' | 'always' | 'withHeight';
}

const height: Param = { name: 'height', type: 'int64', optional: true };
const page: Param = { name: 'page', type: 'int', optional: true };
const perPage: Param = { name: 'per_page', type: 'int', optional: true };
const tx: Param = { name: 'tx', type: 'bytes', required: true };
const query: Param = { name: 'query', type: 'string', required: true };
const prove: Param = { name: 'prove', type: 'bool' };
const orderBy: Param = { name: 'order_by', type: 'string' };

/** The methods that POST, URI and WebSocket share. */
export const rpcMethods = {
  health: { params: [], cache: 'never' },
  status: { params: [], cache: 'never' },
  net_info: { params: [], cache: 'never' },
  blockchain: {
    params: [
      { name: 'minHeight', type: 'int64' },
      { name: 'maxHeight', type: 'int64' },
    ],
    cache: 'always',
  },
  genesis: { params: [], cache: 'always' },
  genesis_chunked: { params: [{ name: 'chunk', type: 'uint' }], cache: 'always' },
  block: { params: [height], cache: 'withHeight' },
  block_by_hash: { params: [{ name: 'hash', type: 'bytes', required: true }], cache: 'always' },
  block_results: { params: [height], cache: 'withHeight' },
  commit: { params: [height], cache: 'withHeight' },
  header: { params: [height], cache: 'withHeight' },
  header_by_hash: { params: [{ name: 'hash', type: 'hex', required: true }], cache: 'always' },
  check_tx: { params: [tx], cache: 'never' },
  tx: { params: [{ name: 'hash', type: 'bytes', required: true }, prove], cache: 'always' },
  tx_search: { params: [query, prove, page, perPage, orderBy], cache: 'never' },
  block_search: { params: [query, page, perPage, orderBy], cache: 'never' },
  validators: { params: [height, page, perPage], cache: 'withHeight' },
  dump_consensus_state: { params: [], cache: 'never' },
  consensus_state: { params: [], cache: 'never' },
  consensus_params: { params: [height], cache: 'withHeight' },
  unconfirmed_txs: { params: [{ name: 'limit', type: 'int', optional: true }], cache: 'never' },
  num_unconfirmed_txs: { params: [], cache: 'never' },
  broadcast_tx_commit: { params: [tx], cache: 'never' },
  broadcast_tx_sync: { params: [tx], cache: 'never' },
  broadcast_tx_async: { params: [tx], cache: 'never' },
  abci_query: {
    params: [
      { name: 'path', type: 'string', required: true },
      { name: 'data', type: 'hex', required: true },
      { name: 'height', type: 'int64' },
      prove,
    ],
    cache: 'never',
  },
  abci_info: { params: [], cache: 'always' },
  broadcast_evidence: { params: [{ name: 'evidence', type: 'evidence', required: true }], cache: 'never' },
} as const satisfies Readonly<Record<string, RpcMethod>>;

/** The name of a method that all transports share. */
export type RpcMethodName = keyof typeof rpcMethods;

/** The methods that exist on a WebSocket only, with their arguments. The node rejects an absent query as unparsable. */
export const socketMethods: Readonly<Record<string, readonly Param[]>> = {
  subscribe: [{ name: 'query', type: 'string' }],
  unsubscribe: [{ name: 'query', type: 'string' }],
  unsubscribe_all: [],
};

/** The methods that a node offers only with `rpc.unsafe`. */
export const unsafeMethods: readonly string[] = ['dial_seeds', 'dial_peers', 'unsafe_flush_mempool'];

/** Whether a method of this name exists on all transports. */
export function isRpcMethod(name: string): name is RpcMethodName {
  return Object.hasOwn(rpcMethods, name);
}

/**
 * Whether the node lets a client cache the response to a call. This depends on the arguments alone, so errors are cacheable too
 * (docs/chain.md, "Cacheable methods").
 */
export function isCacheable(method: RpcMethodName, args: { has(name: string): boolean }): boolean {
  const { cache } = rpcMethods[method];
  return cache === 'always' || (cache === 'withHeight' && args.has('height'));
}
