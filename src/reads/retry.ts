import { isChainError } from '../chain/base/errors.ts';
import { pause } from '../chain/base/waiting.ts';
import { isTransient } from '../chain/blocks/blockLog.ts';

/** Longest wait, ms, before work is done again. */
const longestBackoff = 5_000;

/** Tries after which a failure of a node that no waiting cures is believed. */
const tries = 5;

/** How {@link withRetries} waits. */
export interface RetryOptions {
  /** Ends the waiting, with its reason. */
  readonly signal: AbortSignal;
  /** The signal that the reads of the work are made under: once it is aborted none can succeed, and its reason is thrown. */
  readonly readSignal?: AbortSignal | undefined;
  /** First wait, ms, doubled each time up to 5 s, half of it random, as the block log waits: 100. */
  readonly backoff?: number;
}

/**
 * Does `work` until it succeeds: again and again while no node can answer, a few times when one answers nonsense. What says so for
 * good (a pruned height, a bad request) is thrown at once. `work` is begun anew each time.
 */
export async function withRetries<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, readSignal, backoff = 100 } = options;
  for (let failures = 0; ; ) {
    signal.throwIfAborted();
    readSignal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      failures += 1;
      const hopeless = !isChainError(error) || isChainError(error, 'HEIGHT_PRUNED');
      if (hopeless || (!isTransient(error) && failures >= tries)) throw error;
      const wait = Math.min(backoff * 2 ** (failures - 1), longestBackoff);
      await pause(wait / 2 + (Math.random() * wait) / 2, signal);
    }
  }
}
