import type { Nanoseconds } from '../base/time.ts';
import type { Run } from './storeRuns.ts';

/** A block and its time. */
export interface BlockTime {
  readonly height: bigint;
  readonly time: Nanoseconds;
}

/** What is kept of past blocks beyond the memory of this process. None of its promises rejects: what cannot be read is as if it were not kept. */
export interface KeptPast {
  /**
   * Runs of a store from the one that contains `from` on, ascending, up to the one that contains `to` or to a number of them. `through`: the height up to
   * which none of the kept ones is left out; below `from` if nothing can be said.
   */
  runs(store: string, from: bigint, to: bigint): Promise<{ readonly runs: readonly Run[]; readonly through: bigint }>;
  /** Keeps a run of a store, whose roots were proven against headers. Nothing waits for that. */
  keep(store: string, run: Run): void;
  /** Drops what was given to {@link keep} and is not stored yet, because a block was withdrawn or the chain was reset. */
  forget(): void;
  /** The time of a block; undefined if it is not kept. */
  timeOf(height: bigint): Promise<Nanoseconds | undefined>;
  /** The last kept block whose time is not after `time`, and the first one after that. */
  around(time: Nanoseconds): Promise<readonly BlockTime[]>;
}
