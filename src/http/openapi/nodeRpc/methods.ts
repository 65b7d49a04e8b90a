import type { RpcMethodName } from '../../../chain/rpc/methods.ts';

/** The headings of the node RPC. */
export const nodeTags = {
  Transactions: 'What sends and checks transactions.',
  Application: 'The application of the chain, asked through the node.',
  Blocks: 'Blocks, their results and their commits.',
  Search: 'What the node has indexed.',
  Validators: 'Validators and the parameters of consensus.',
  Node: 'The node and its network.',
  Events: 'Events, over WebSocket alone.',
} as const;

/** What a method does, in words. */
export interface MethodWords {
  readonly tag: keyof typeof nodeTags;
  readonly summary: string;
  readonly description: string;
}

const latest = 'Without a height it is of the newest block.';

/** Each method in words. */
export const nodeMethods: Readonly<Record<RpcMethodName, MethodWords>> = {
  broadcast_tx_sync: {
    tag: 'Transactions',
    summary: 'Broadcast, wait for check',
    description:
      'Returns the CheckTx response, and does not wait for a block. To be sure that the transaction is in one, subscribe to its result over the WebSocket; nothing after a couple of blocks: send the same bytes again.',
  },
  broadcast_tx_async: {
    tag: 'Transactions',
    summary: 'Broadcast, no wait',
    description: 'Returns right away. It waits neither for CheckTx nor for a block.',
  },
  broadcast_tx_commit: {
    tag: 'Transactions',
    summary: 'Broadcast, wait for commit',
    description:
      'Returns the responses of CheckTx, without its gas and events, and of the block. For testing and development only. It is an error only if the mempool check itself errs or the wait is over; when CheckTx or the execution fails the result has a code other than 0.',
  },
  check_tx: {
    tag: 'Transactions',
    summary: 'Check only',
    description: 'Checks the transaction without executing it. It is not added to the mempool.',
  },
  broadcast_evidence: {
    tag: 'Transactions',
    summary: 'Broadcast evidence of misbehaviour',
    description: 'Hands evidence against a validator to the node.',
  },
  abci_info: {
    tag: 'Application',
    summary: 'Application info',
    description: 'What the application says of itself.',
  },
  abci_query: {
    tag: 'Application',
    summary: 'Application query',
    description:
      'Asks the application at a path: a method of one of its query services (`/cosmos.group.v1.Query/Proposal`), or its store (`/store/group/key`). A code other than 0 is a result, not an error.',
  },
  block: { tag: 'Blocks', summary: 'A block', description: `The block at a height. ${latest}` },
  block_by_hash: { tag: 'Blocks', summary: 'A block by its hash', description: 'The block with a hash.' },
  block_results: {
    tag: 'Blocks',
    summary: 'The results of a block',
    description: `What executing the block gave: the results of its transactions, its events and what it changed. ${latest}`,
  },
  blockchain: {
    tag: 'Blocks',
    summary: 'Headers of a range of blocks',
    description: 'At most 20 of the blocks from `minHeight` to `maxHeight`, the newest first.',
  },
  commit: {
    tag: 'Blocks',
    summary: 'The commit of a block',
    description: `The header of the block, and the signatures of the validators under it. ${latest}`,
  },
  header: { tag: 'Blocks', summary: 'The header of a block', description: `The header at a height. ${latest}` },
  header_by_hash: { tag: 'Blocks', summary: 'A header by its hash', description: 'The header of the block with a hash.' },
  tx: {
    tag: 'Search',
    summary: 'A transaction by its hash',
    description: 'The transaction with its result, of the block that holds it.',
  },
  tx_search: {
    tag: 'Search',
    summary: 'Transactions by their events',
    description: "The transactions that a query matches, such as `message.action='/cosmos.group.v1.MsgVote'`.",
  },
  block_search: {
    tag: 'Search',
    summary: 'Blocks by their events',
    description: 'The blocks that a query matches, such as `block.height=102`.',
  },
  validators: {
    tag: 'Validators',
    summary: 'The validators at a height',
    description:
      'The validators at a height, those with the most power first. Without a height they are those of the block after the newest.',
  },
  consensus_params: {
    tag: 'Validators',
    summary: 'The parameters of consensus',
    description: 'The parameters at a height. Without one they are those of the block after the newest.',
  },
  consensus_state: {
    tag: 'Validators',
    summary: 'Where consensus stands',
    description: 'The round that the node is in. What is in it may change with the version of the node.',
  },
  dump_consensus_state: {
    tag: 'Validators',
    summary: 'Where consensus stands, in full',
    description: 'The same with what the node knows of its peers. What is in it may change with the version of the node.',
  },
  health: { tag: 'Node', summary: 'Whether the node answers', description: 'An empty object.' },
  status: {
    tag: 'Node',
    summary: 'The state of the node',
    description: 'The node, the newest block that it has, and its validator.',
  },
  net_info: { tag: 'Node', summary: 'The peers of the node', description: 'The peers that the node is connected to.' },
  genesis: {
    tag: 'Node',
    summary: 'The genesis document',
    description: 'How the chain began. One of more than 16 MiB is an error: ask for its chunks.',
  },
  genesis_chunked: {
    tag: 'Node',
    summary: 'A chunk of the genesis document',
    description: 'Up to 16 MiB of the document; chunks are counted from 0.',
  },
  unconfirmed_txs: {
    tag: 'Node',
    summary: 'Transactions that wait',
    description: 'Transactions of the mempool: 30 if nothing is said, 100 at most.',
  },
  num_unconfirmed_txs: {
    tag: 'Node',
    summary: 'How many transactions wait',
    description: 'Numbers of the mempool.',
  },
};

/** Arguments in words, by name. */
export const nodeArguments: Readonly<Record<string, string>> = {
  tx: 'The transaction.',
  hash: 'The hash.',
  path: 'Path to the data, slash-separated.',
  data: 'The request. That of a method is protobuf, that of a store its key.',
  height: 'A height; nothing or 0 is the newest.',
  prove: 'Whether proofs are to be in the answer.',
  query: 'Conditions in the language of the chain, joined by `AND`.',
  page: 'The page, counted from 1.',
  per_page: 'How many there are on a page: 30 if nothing is said, 100 at most.',
  order_by: '`asc` or `desc`.',
  limit: 'How many there are to be.',
  minHeight: 'The first height.',
  maxHeight: 'The last height.',
  chunk: 'Which chunk.',
  evidence: 'The evidence, as JSON with `type` and `value`.',
};

/** Arguments that a call means nothing without. */
export const neededArguments: ReadonlySet<string> = new Set(['tx', 'hash', 'path', 'data', 'query', 'evidence']);
