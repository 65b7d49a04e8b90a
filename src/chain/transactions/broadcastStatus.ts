import type { TxExec } from '../base/execution.ts';
import type { Attempt } from './attempt.ts';
import type { Inclusion } from './inclusion.ts';

/** Where a broadcast stands, as the contract's `BroadcastStatus` names it. */
export type BroadcastStatus = 'SENT' | 'ACCEPTED' | 'REJECTED' | 'COMMITTED' | 'EXECUTION_FAILED' | 'UNKNOWN';

/** What became of a broadcast. What the chain says of the transaction is here, never an error. */
export interface Broadcast {
  /** Upper case hex. */
  readonly hash: string;
  readonly status: BroadcastStatus;
  /** null when CheckTx was not waited for, or its answer was lost. Of gas and events a broadcast tells nothing: zero and none. */
  readonly checkTx: TxExec | null;
  /** null until it is in a block. */
  readonly inclusion: Inclusion | null;
  /** Whether identical bytes had been accepted before. */
  readonly duplicate: boolean;
  /** Every sending, in order. */
  readonly attempts: readonly Attempt[];
}

/** What a broadcast has become that a block holds. */
export function ofInclusion(inclusion: Inclusion): Pick<Broadcast, 'status' | 'inclusion'> {
  return { status: inclusion.transaction.result.code === 0 ? 'COMMITTED' : 'EXECUTION_FAILED', inclusion };
}
