import type { BlockResult, TxResult } from '../../abci/abci.ts';

/** The id of a block: its hash, and the hash of its parts of 64 KiB. Empty before the first block. */
export interface BlockId {
  readonly hash: Uint8Array;
  readonly parts: { readonly total: number; readonly hash: Uint8Array };
}

/** A block's header. Times are nanoseconds since 1970. */
export interface Header {
  readonly version: { readonly block: bigint; readonly app: bigint };
  readonly chainId: string;
  readonly height: bigint;
  readonly time: bigint;
  readonly lastBlockId: BlockId;
  readonly lastCommitHash: Uint8Array;
  readonly dataHash: Uint8Array;
  readonly validatorsHash: Uint8Array;
  readonly nextValidatorsHash: Uint8Array;
  readonly consensusHash: Uint8Array;
  readonly appHash: Uint8Array;
  readonly lastResultsHash: Uint8Array;
  readonly evidenceHash: Uint8Array;
  readonly proposerAddress: Uint8Array;
}

/** A validator's signature in a commit. `flag`: 1 absent, 2 for the block, 3 for no block. */
export interface CommitSignature {
  readonly flag: 1 | 2 | 3;
  readonly validatorAddress: Uint8Array;
  readonly timestamp: bigint;
  readonly signature: Uint8Array | null;
}

/** The signatures that commit a block. */
export interface Commit {
  readonly height: bigint;
  readonly round: number;
  readonly blockId: BlockId;
  readonly signatures: readonly CommitSignature[];
}

/** A block. The devnet has no evidence. */
export interface Block {
  readonly header: Header;
  readonly txs: readonly Uint8Array[];
  readonly lastCommit: Commit;
}

/** A validator. */
export interface Validator {
  readonly address: Uint8Array;
  /** 32 bytes, ed25519. */
  readonly publicKey: Uint8Array;
  readonly power: bigint;
}

/** The consensus parameters. Durations are in nanoseconds. */
export interface ConsensusParams {
  readonly maxBytes: bigint;
  readonly maxGas: bigint;
  readonly evidence: { readonly maxAgeBlocks: bigint; readonly maxAgeDuration: bigint; readonly maxBytes: bigint };
}

/** A committed block and its results. */
export interface CommittedBlock {
  readonly block: Block;
  readonly blockId: BlockId;
  /** Bytes of the encoded block. */
  readonly size: number;
  readonly result: BlockResult;
  /** SHA-256 of each transaction. */
  readonly txHashes: readonly Uint8Array[];
  /** The commit before the next block contains it. */
  readonly seenCommit: Commit;
}

/** A transaction in its block. */
export interface CommittedTx {
  readonly height: bigint;
  readonly index: number;
  readonly tx: Uint8Array;
  readonly hash: Uint8Array;
  readonly result: TxResult;
}
