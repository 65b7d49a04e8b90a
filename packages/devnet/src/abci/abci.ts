/**
 * The interface between the devnet's node (consensus, mempool, RPC) and its application (state, keepers): the parts of ABCI 2.0
 * that the RPC exposes. The node does not depend on modules, and the application not on sockets.
 */

/** An attribute of an event. Key and value are plain text (docs/chain.md, "Block results"). */
export interface EventAttribute {
  readonly key: string;
  readonly value: string;
  readonly index: boolean;
}

/** An event of a transaction or a block. */
export interface AbciEvent {
  readonly type: string;
  readonly attributes: readonly EventAttribute[];
}

/**
 * The result of executing or checking a transaction. ExecTxResult and ResponseCheckTx have the same fields. `code` 0 is
 * success.
 */
export interface TxResult {
  readonly code: number;
  /** null is encoded as `null`, and an empty array as `""`. */
  readonly data: Uint8Array | null;
  readonly log: string;
  readonly info: string;
  readonly gasWanted: bigint;
  readonly gasUsed: bigint;
  readonly events: readonly AbciEvent[];
  readonly codespace: string;
}

/** The result of executing a block. */
export interface BlockResult {
  readonly txResults: readonly TxResult[];
  /** Events of the block itself (begin block and end block). */
  readonly events: readonly AbciEvent[];
  /** The application's state hash after this block: `app_hash` of the next header. */
  readonly appHash: Uint8Array;
}

/** A block to execute. */
export interface BlockInput {
  readonly height: bigint;
  /** Nanoseconds since 1970. */
  readonly time: bigint;
  readonly txs: readonly Uint8Array[];
  /** The validator's address, 20 bytes. */
  readonly proposer: Uint8Array;
}

/** The response to `abci_query`. */
export interface QueryResult {
  readonly code: number;
  readonly log: string;
  readonly info: string;
  readonly index: bigint;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly proofOps: readonly { readonly type: string; readonly key: Uint8Array; readonly data: Uint8Array }[] | null;
  readonly height: bigint;
  readonly codespace: string;
}

/** A transaction in the node's index. */
export interface IndexedTx {
  readonly height: bigint;
  /** Time of its block, in nanoseconds since 1970. */
  readonly time: bigint;
  readonly tx: Uint8Array;
  readonly hash: Uint8Array;
  readonly result: TxResult;
}

/** A block of a node. */
export interface NodeBlock {
  readonly height: bigint;
  readonly hash: Uint8Array;
  readonly parts: { readonly total: number; readonly hash: Uint8Array };
  /** A `tendermint.types.Block`. */
  readonly bytes: Uint8Array;
}

/** The identity of a node. */
export interface NodeIdentity {
  readonly id: string;
  readonly network: string;
  readonly moniker: string;
  readonly version: string;
  readonly listenAddress: string;
  readonly rpcAddress: string;
  readonly channels: Uint8Array;
  readonly protocols: { readonly p2p: bigint; readonly block: bigint; readonly app: bigint };
  readonly indexing: boolean;
}

/**
 * The reads that an application makes of its own node. The Cosmos SDK serves queries for blocks and transactions through a
 * client of the node's RPC. Reads throw the `RpcError` of the RPC.
 */
export interface NodeReader {
  readonly identity: NodeIdentity;
  readonly catchingUp: boolean;
  /** Its newest block. */
  readonly height: bigint;
  block(height: bigint): NodeBlock;
  /** ed25519 keys, 32 bytes each. */
  readonly validators: readonly { readonly address: Uint8Array; readonly publicKey: Uint8Array; readonly power: bigint }[];
  tx(hash: Uint8Array): IndexedTx;
  /**
   * Returns a page of the results of a query, and their total number. Pages are numbered from 1. `order` is `asc` or `desc`.
   */
  search(
    query: string,
    page: { readonly page: bigint; readonly perPage: bigint; readonly order: string },
  ): { readonly txs: readonly IndexedTx[]; readonly total: number };
}

/** What a lying application says, consistently in all of its answers. docs/development-chain.md explains each. */
export const lieKinds = [
  'tally',
  'changedVote',
  'changedWeight',
  'leftOutVote',
  'addedVote',
  'oldState',
  'swappedStore',
  'absentAsPresent',
  'presentAsAbsent',
] as const;

/** How a lying application answers requests with proofs. */
export const lieProofs = ['true', 'otherKey', 'otherStore', 'patched', 'grafted', 'rebuilt'] as const;

/** A lie of an application. */
export interface Lie {
  readonly kind: (typeof lieKinds)[number];
  readonly proofs: (typeof lieProofs)[number];
}

/** A request of `abci_query`. `height` 0 is the newest. */
export interface QueryInput {
  readonly path: string;
  readonly data: Uint8Array;
  readonly height: bigint;
  readonly prove: boolean;
  /** Newest height of the queried node. A lagging node responds as if the chain ended there. */
  readonly latestHeight: bigint;
  /** Oldest height whose state the queried node keeps. */
  readonly earliestHeight: bigint;
  /** The queried node. Absent if the application is used without a node. */
  readonly node?: NodeReader;
  /** The lie of the queried node. Default: it says the truth. */
  readonly lie?: Lie | undefined;
}

/**
 * The check state of a node: the transactions checked since the last block. A check uses up the sequence
 * (docs/chain.md, "check_tx uses up a sequence").
 */
export interface CheckState {
  /** Checks a transaction. */
  checkTx(tx: Uint8Array): TxResult;
  /** Resets the check state to the newest committed state. The mempool then rechecks its transactions. */
  reset(): void;
}

/**
 * The application of the devnet's nodes. Its state is versioned, so queries can read at any kept height. Everything is
 * synchronous.
 */
export interface Application {
  /** Returns the data for `abci_info` and `status`. */
  info(): { readonly data: string; readonly version: string; readonly appVersion: bigint };
  /**
   * Creates the genesis state, and returns the `app_hash` of the first header. The first block has height 1. `validators` have
   * ed25519 keys of 32 bytes. Default: none.
   */
  initChain(input: {
    readonly chainId: string;
    readonly time: bigint;
    readonly validators?: readonly { readonly publicKey: Uint8Array; readonly power: bigint }[];
  }): { readonly appHash: Uint8Array };
  /** Executes and commits a block. Afterwards, queries at its height succeed. */
  finalizeBlock(block: BlockInput): BlockResult;
  query(input: QueryInput): QueryResult;
  /** Returns the hash that a lying application has after a block, as it would be in the next header. Absent if it cannot lie. */
  readonly falseAppHash?: (height: bigint, lie: Lie) => Uint8Array | undefined;
  createCheckState(): CheckState;
  /** Deletes the states below `height`. */
  prune(height: bigint): void;
}
