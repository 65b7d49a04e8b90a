import type { TxExec } from '../base/execution.ts';
import type { Attempt } from './attempt.ts';
import type { Inclusion } from './inclusion.ts';

/** The status of a broadcast: the values of `BroadcastStatus` in the GraphQL schema. */
export type BroadcastStatus = 'SENT' | 'ACCEPTED' | 'REJECTED' | 'COMMITTED' | 'EXECUTION_FAILED' | 'UNKNOWN';

/** The outcome of a broadcast. Results of CheckTx and execution are part of it, never errors. */
export interface Broadcast {
  /** Upper case hex. */
  readonly hash: string;
  readonly status: BroadcastStatus;
  /**
   * Null if CheckTx was not waited for, or its response was lost. Gas and events are zero and empty, because nodes do not
   * return them for broadcasts.
   */
  readonly checkTx: TxExec | null;
  /** Null until a block contains it. */
  readonly inclusion: Inclusion | null;
  /** Whether a node had the same bytes already. */
  readonly duplicate: boolean;
  /** Every attempt, in order. */
  readonly attempts: readonly Attempt[];
}

/** The status of a transaction that a block contains. */
export function ofInclusion(inclusion: Inclusion): Pick<Broadcast, 'status' | 'inclusion'> {
  return { status: inclusion.transaction.result.code === 0 ? 'COMMITTED' : 'EXECUTION_FAILED', inclusion };
}
