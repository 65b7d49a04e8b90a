/**
 * The seam between the devnet's node (consensus, mempool, RPC) and its application (state, keepers): ABCI 2.0 in the terms of
 * CometBFT, as far as the RPC shows it. The node knows no module; the application knows no socket.
 */

/** One attribute of an event. Key and value are plain text (chain.md 1.6). */
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

/** What executing or checking one transaction gave: ExecTxResult and ResponseCheckTx have the same fields. `code` 0 is success. */
export interface TxResult {
  readonly code: number;
  /** null prints as `null`; an empty array prints as `""`. */
  readonly data: Uint8Array | null;
  readonly log: string;
  readonly info: string;
  readonly gasWanted: bigint;
  readonly gasUsed: bigint;
  readonly events: readonly AbciEvent[];
  readonly codespace: string;
}

/** What executing a block gave. */
export interface BlockResult {
  readonly txResults: readonly TxResult[];
  /** The block's own events (begin and end block). */
  readonly events: readonly AbciEvent[];
  /** The application's state hash after this block: `app_hash` of the next header. */
  readonly appHash: Uint8Array;
}

/** The block that is to be executed. */
export interface BlockInput {
  readonly height: bigint;
  /** Nanoseconds since 1970. */
  readonly time: bigint;
  readonly txs: readonly Uint8Array[];
  /** The validator's address, 20 bytes. */
  readonly proposer: Uint8Array;
}

/** Answer to `abci_query`. */
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

/** A transaction in a block of the node's index. */
export interface IndexedTx {
  readonly height: bigint;
  /** Of its block, in nanoseconds since 1970. */
  readonly time: bigint;
  readonly tx: Uint8Array;
  readonly hash: Uint8Array;
  readonly result: TxResult;
}

/** A block as its node has it. */
export interface NodeBlock {
  readonly height: bigint;
  readonly hash: Uint8Array;
  readonly parts: { readonly total: number; readonly hash: Uint8Array };
  /** A `tendermint.types.Block`. */
  readonly bytes: Uint8Array;
}

/** What a node says of itself. */
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
 * What an application asks of the very node that asks it: the Cosmos SDK answers questions about blocks and transactions through a
 * client of its node's RPC. What is refused throws the `RpcError` that the RPC answers with.
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
  /** A page, counted from 1, of what a query finds, and how many it finds; `order` is `asc` or `desc`. */
  search(
    query: string,
    page: { readonly page: bigint; readonly perPage: bigint; readonly order: string },
  ): { readonly txs: readonly IndexedTx[]; readonly total: number };
}

/** A question to `abci_query`. `height` 0 is the newest. */
export interface QueryInput {
  readonly path: string;
  readonly data: Uint8Array;
  readonly height: bigint;
  readonly prove: boolean;
  /** Newest height that the node asked has: a lagging node answers as if the chain ended there. */
  readonly latestHeight: bigint;
  /** Oldest height whose state the node asked still has. */
  readonly earliestHeight: bigint;
  /** The node asked; absent where nobody but the application is. */
  readonly node?: NodeReader;
}

/** One node's check state: what its mempool has let in since the last block (chain.md finding 13: checking uses sequences up). */
export interface CheckState {
  /** `recheck`: asked again after a block. */
  checkTx(tx: Uint8Array): TxResult;
  /** Throws away what was checked and starts again from the newest committed state. The mempool then checks again what it still holds. */
  reset(): void;
}

/** The application behind the devnet's nodes. State is versioned: a query may ask any kept height. Everything is synchronous. */
export interface Application {
  /** For `abci_info` and `status`. */
  info(): { readonly data: string; readonly version: string; readonly appVersion: bigint };
  /**
   * Makes the genesis state; what `app_hash` of the first header is. `height` 1 is the first block. `validators`: ed25519 keys of those
   * that make the blocks, 32 bytes each; default nobody.
   */
  initChain(input: {
    readonly chainId: string;
    readonly time: bigint;
    readonly validators?: readonly { readonly publicKey: Uint8Array; readonly power: bigint }[];
  }): { readonly appHash: Uint8Array };
  /** Executes and commits one block: after it, queries at this height answer. */
  finalizeBlock(block: BlockInput): BlockResult;
  query(input: QueryInput): QueryResult;
  createCheckState(): CheckState;
  /** Forgets the states below `height`. */
  prune(height: bigint): void;
}
