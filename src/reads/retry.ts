import { isChainError } from '../chain/base/errors.ts';
import { pause } from '../chain/base/waiting.ts';
import { isTransient } from '../chain/blocks/blockLog.ts';

/** Longest wait between two attempts, in ms. */
const longestBackoff = 5_000;

/** Attempts after which an error that waiting does not resolve is thrown. */
const tries = 5;

/** Options of {@link withRetries}. */
export interface RetryOptions {
  /** Aborts the wait; its reason is thrown. */
  readonly signal: AbortSignal;
  /** The signal of the reads that `work` makes. Once it is aborted no attempt can succeed, so its reason is thrown. */
  readonly readSignal?: AbortSignal | undefined;
  /** First wait in ms, default 100. It doubles with each attempt, up to 5 s; half of it is random. */
  readonly backoff?: number;
}

/**
 * Calls `work` until it succeeds: without limit while no node can respond, and up to 5 times if a node returns an invalid
 * response. A pruned height and errors that are not the chain's are thrown at once.
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
