/** A read of an operation: its name, and the stores of its method. */
export interface NamedRead {
  readonly name: string;
  readonly stores: readonly string[];
}

/** A block whose roots are learnt. */
export interface LearntBlock {
  readonly height: bigint;
  /** The app hash after it, in upper case hex. */
  readonly appHash: string;
  /** Text that is equal at two heights only if the application has the same version at both. */
  readonly application: string;
}

/** Counters since the start, and what is followed now. */
export interface FollowedReadsStats {
  readonly reads: number;
  /** Responses whose ranges are being proven. */
  readonly pending: number;
  readonly ranges: number;
  /** Proofs and hints that were requested. */
  readonly proofs: number;
  /** Blocks after which what is followed was compared. */
  readonly walks: number;
  /** Ranges that were compared at a new root, and those that may have changed. */
  readonly compared: number;
  readonly changed: number;
}

/** Responses that are followed from block to block by the ranges of keys that they were computed from. */
export interface FollowedReads {
  /**
   * Compares everything that is followed with the state after a block. The blocks come one after another; after a block that was left out, or under another
   * application, nothing is followed any more. Never rejects.
   */
  walk(block: LearntBlock): Promise<void>;
  /** Notes a response with code 0 of a method whose answer depends on its stores alone. It is followed once its ranges are proven. */
  note(
    read: NamedRead & {
      readonly path: string;
      readonly request: Uint8Array;
      readonly response: Uint8Array;
      readonly height: bigint;
    },
  ): void;
  /** Lets each response be followed from its first execution on, because it may never be executed again before it changes. */
  followFirst(): void;
  /** What the response to a read is kept by, if it is known to be the same at a height. */
  rootsAt(name: string, height: bigint): string | undefined;
  /** Whether reads are known to have the same responses at two heights: by their ranges, or by the roots of their stores. */
  areSame(reads: readonly NamedRead[], from: bigint, to: bigint): boolean;
  /** Follows nothing any more. */
  clear(): void;
  stats(): FollowedReadsStats;
}
