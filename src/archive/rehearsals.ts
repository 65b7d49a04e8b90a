/** The last rehearsal of a proposal, as it is kept. */
export interface KeptRehearsal {
  readonly proposalId: bigint;
  /** The block after which it ran. */
  readonly height: bigint;
  /** SUCCEEDS or FAILS. */
  readonly outcome: string;
  /** The rehearsal as JSON. */
  readonly content: string;
}

/** A kept rehearsal beside the execution that followed it. */
export interface ComparedRehearsal extends KeptRehearsal {
  /** Whether the first execution after it ended as it said; null if there was none. */
  readonly agreed: boolean | null;
}
