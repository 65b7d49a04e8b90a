import type { RpcMethodName } from '../../../chain/rpc/methods.ts';

/** Tags of the node RPC, with their descriptions. */
export const nodeTags = {
  Transactions: 'Send and check transactions.',
  Application: 'Query the application of the chain (ABCI).',
  Blocks: 'Read blocks, their results and their commits.',
  Search: 'Search the transactions and blocks that the node has indexed.',
  Validators: 'Read validators, consensus parameters and the state of consensus.',
  Node: 'Read the state of the node and of its network.',
  Events: 'Subscribe to events over WebSocket.',
} as const;

/** Texts of a method. */
export interface MethodTexts {
  readonly tag: keyof typeof nodeTags;
  readonly summary: string;
  readonly description: string;
}

const latest = 'Without a height, the newest block is used.';

/** Texts of each method. */
export const nodeMethods: Readonly<Record<RpcMethodName, MethodTexts>> = {
  broadcast_tx_sync: {
    tag: 'Transactions',
    summary: 'Broadcast, wait for check',
    description:
      'Sends a transaction and returns the response of CheckTx, without waiting for a block. To learn whether a block includes the transaction, subscribe to its result over the WebSocket. If no block includes it within a few blocks, send the same bytes again.',
  },
  broadcast_tx_async: {
    tag: 'Transactions',
    summary: 'Broadcast, no wait',
    description: 'Sends a transaction and returns immediately, without waiting for CheckTx or for a block.',
  },
  broadcast_tx_commit: {
    tag: 'Transactions',
    summary: 'Broadcast, wait for commit',
    description:
      'Sends a transaction, waits until a block includes it, and returns the responses of CheckTx (without gas and events) and of its execution. For testing and development only. If CheckTx or the execution fails, the result has a nonzero code. The call returns an error only if the mempool itself fails or the wait times out.',
  },
  check_tx: {
    tag: 'Transactions',
    summary: 'Check only',
    description: 'Checks a transaction without executing it and without adding it to the mempool.',
  },
  broadcast_evidence: {
    tag: 'Transactions',
    summary: 'Broadcast evidence of misbehavior',
    description: 'Sends evidence of misbehavior of a validator to the node.',
  },
  abci_info: {
    tag: 'Application',
    summary: 'Application info',
    description: 'Returns the version and the last block of the application.',
  },
  abci_query: {
    tag: 'Application',
    summary: 'Application query',
    description:
      'Queries the application at a path: a method of a query service (`/cosmos.group.v1.Query/Proposal`), or a key of a store (`/store/group/key`). A nonzero code is a result, not an error.',
  },
  block: { tag: 'Blocks', summary: 'A block', description: `Returns the block at a height. ${latest}` },
  block_by_hash: { tag: 'Blocks', summary: 'A block by its hash', description: 'Returns the block with a hash.' },
  block_results: {
    tag: 'Blocks',
    summary: 'The results of a block',
    description: `Returns the results of executing a block: the results of its transactions, its events, and its changes to validators and parameters. ${latest}`,
  },
  blockchain: {
    tag: 'Blocks',
    summary: 'Headers of a range of blocks',
    description: 'Returns at most 20 headers of the blocks from `minHeight` to `maxHeight`, newest first.',
  },
  commit: {
    tag: 'Blocks',
    summary: 'The commit of a block',
    description: `Returns the header of a block and the validators' signatures of it. ${latest}`,
  },
  header: {
    tag: 'Blocks',
    summary: 'The header of a block',
    description: `Returns the header of the block at a height. ${latest}`,
  },
  header_by_hash: {
    tag: 'Blocks',
    summary: 'A header by its hash',
    description: 'Returns the header of the block with a hash.',
  },
  tx: {
    tag: 'Search',
    summary: 'A transaction by its hash',
    description: 'Returns a transaction and its result from the block that includes it.',
  },
  tx_search: {
    tag: 'Search',
    summary: 'Transactions by their events',
    description: "Returns the transactions whose events match a query such as `message.action='/cosmos.group.v1.MsgVote'`.",
  },
  block_search: {
    tag: 'Search',
    summary: 'Blocks by their events',
    description: 'Returns the blocks whose events match a query such as `block.height=102`.',
  },
  validators: {
    tag: 'Validators',
    summary: 'The validators at a height',
    description:
      'Returns the validators at a height, those with the most voting power first. Without a height, returns the validators of the block after the newest.',
  },
  consensus_params: {
    tag: 'Validators',
    summary: 'The parameters of consensus',
    description: 'Returns the parameters at a height. Without a height, returns those of the block after the newest.',
  },
  consensus_state: {
    tag: 'Validators',
    summary: 'The state of consensus',
    description: 'Returns the state of the current round. Its format depends on the version of the node.',
  },
  dump_consensus_state: {
    tag: 'Validators',
    summary: 'The state of consensus, in full',
    description:
      'Returns the state of the current round and the states that peers report. Its format depends on the version of the node.',
  },
  health: { tag: 'Node', summary: 'Whether the node responds', description: 'Returns an empty object if a node responds.' },
  status: {
    tag: 'Node',
    summary: 'The state of the node',
    description: 'Returns information about the node, its newest block and its validator.',
  },
  net_info: { tag: 'Node', summary: 'The peers of the node', description: 'Returns the peers that the node is connected to.' },
  genesis: {
    tag: 'Node',
    summary: 'The genesis document',
    description: 'Returns the genesis document. If it is larger than 16 MiB, the call fails: use `genesis_chunked`.',
  },
  genesis_chunked: {
    tag: 'Node',
    summary: 'A chunk of the genesis document',
    description: 'Returns one chunk of the genesis document, of at most 16 MiB. Chunks are numbered from 0.',
  },
  unconfirmed_txs: {
    tag: 'Node',
    summary: 'Unconfirmed transactions',
    description: 'Returns transactions in the mempool: 30 by default, at most 100.',
  },
  num_unconfirmed_txs: {
    tag: 'Node',
    summary: 'Number of unconfirmed transactions',
    description: 'Returns the number and the size of the transactions in the mempool.',
  },
};

/** Descriptions of arguments, by name. */
export const nodeArguments: Readonly<Record<string, string>> = {
  tx: 'The transaction.',
  hash: 'The hash.',
  path: 'Path of the query, separated by slashes.',
  data: 'The request: protobuf for a method of a query service, the key for a store.',
  height: 'The height. 0 or absent: the newest.',
  prove: 'Whether to return a proof.',
  query: 'Conditions in the event query language of CometBFT, joined by `AND`.',
  page: 'Number of the page, from 1.',
  per_page: 'Items on a page. Default 30, at most 100.',
  order_by: 'Order of the results: `asc` or `desc`.',
  limit: 'Largest number of transactions to return.',
  minHeight: 'The lowest height.',
  maxHeight: 'The highest height. 0 or absent: the newest.',
  chunk: 'Number of the chunk, from 0.',
  evidence: 'The evidence: JSON with `type` and `value`.',
};

/** Required arguments. */
export const neededArguments: ReadonlySet<string> = new Set(['tx', 'hash', 'path', 'data', 'query', 'evidence']);
