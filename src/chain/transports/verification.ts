/** A block by its height and its hash, in upper case hex. */
export interface Checkpoint {
  readonly height: bigint;
  readonly hash: string;
}

/** Facts of a header whose hash is verified. Hashes are in upper case hex. */
export interface VerifiedHeader {
  readonly height: bigint;
  readonly hash: string;
  /** Nanoseconds since 1970. */
  readonly time: bigint;
  /** The hash of the state after the block before it. */
  readonly appHash: string;
  /** The hash of the block before it. */
  readonly lastHash: string;
}

/** How a block was verified. */
export interface Verification extends VerifiedHeader {
  /** The voting power whose signatures were verified. */
  readonly signedPower: bigint;
  /** That of the whole validator set. */
  readonly totalPower: bigint;
  /** The block that the trust began with. */
  readonly trustedFrom: Checkpoint;
}

/**
 * The state of the verification.
 * - `STARTING`: no block was verified since the start.
 * - `VERIFIED`: the newest block is verified.
 * - `UNAVAILABLE`: no block was verified yet, because no node returns a commit that can be verified. Blocks are believed until one does.
 * - `EXPIRED`: the newest trusted block is older than the trusting period. A newer checkpoint is needed.
 * - `OTHER_CHAIN`: a node has another chain under the same id, or has lost its blocks.
 * - `CONFLICT`: the validators signed two blocks that exclude one another.
 */
export type VerificationState = 'STARTING' | 'VERIFIED' | 'UNAVAILABLE' | 'EXPIRED' | 'OTHER_CHAIN' | 'CONFLICT';

/** The verification of heads, for operators. */
export interface VerificationStatus {
  readonly state: VerificationState;
  /** The newest verified block; undefined before the first. */
  readonly newest: Verification | undefined;
  /** Blocks that were verified since the start. */
  readonly verified: number;
  /** Blocks that were refused, by node. */
  readonly refused: ReadonlyMap<string, number>;
  /** Answers that proofs refuted, by node. */
  readonly refuted: ReadonlyMap<string, number>;
}

/** How the newest blocks were verified. */
export interface HeadVerification {
  /** Whether every read that has a proof is proven too, and not only the newest blocks are verified. */
  readonly provesReads?: boolean;
  /** Whether a block may be used: it is verified, or none can be ({@link VerificationState}). */
  admits(block: Checkpoint): boolean;
  /** How a block was verified; undefined if it was not, or is not one of the last 1,024. */
  at(height: bigint): Verification | undefined;
  status(): VerificationStatus;
  /** Calls `listener` with each verified block. Returns a function that removes the listener. */
  onVerified(listener: (verification: Verification) => void): () => void;
  /** Calls `listener` when the validators have signed two blocks that exclude one another. Returns a function that removes the listener. */
  onConflict(listener: (height: bigint) => void): () => void;
}

/** The status before the first block. */
export const noVerification: VerificationStatus = {
  state: 'STARTING',
  newest: undefined,
  verified: 0,
  refused: new Map(),
  refuted: new Map(),
};
