import type { BlockResult, TxResult } from '../../abci/abci.ts';

/** Which block, by its hash and the hash of its parts (64 KiB pieces of its bytes). All empty before the first. */
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

/** One validator's signature in a commit. `flag` 1 is absent, 2 for the block, 3 for none. */
export interface CommitSignature {
  readonly flag: 1 | 2 | 3;
  readonly validatorAddress: Uint8Array;
  readonly timestamp: bigint;
  readonly signature: Uint8Array | null;
}

/** What proves that a block was agreed on. */
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

/** A validator of the set of some height. */
export interface Validator {
  readonly address: Uint8Array;
  /** 32 bytes, ed25519. */
  readonly publicKey: Uint8Array;
  readonly power: bigint;
}

/** The consensus parameters that a node shows. Durations are nanoseconds. */
export interface ConsensusParams {
  readonly maxBytes: bigint;
  readonly maxGas: bigint;
  readonly evidence: { readonly maxAgeBlocks: bigint; readonly maxAgeDuration: bigint; readonly maxBytes: bigint };
}

/** A committed block with what executing it gave. */
export interface CommittedBlock {
  readonly block: Block;
  readonly blockId: BlockId;
  /** Bytes of the encoded block. */
  readonly size: number;
  readonly result: BlockResult;
  /** SHA-256 of each transaction. */
  readonly txHashes: readonly Uint8Array[];
  /** The signatures as first seen, before the next block holds them. */
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
