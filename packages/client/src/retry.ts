import { SteleError } from './errors.ts';
import { retriesAfter } from './policy.ts';

/** The first delay before a retry, and the longest, in ms. The delay doubles with each failure in a row. */
const [firstDelay, longestDelay] = [250, 30_000];

/** An attempt that lasted this long counts as a success, in ms: the next failure is the first in a row. */
const steady = 10_000;

/** Options of {@link withRetries}. */
export interface RetryOptions {
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
  /** Called before each delay. */
  readonly onRetry: (error: SteleError) => void;
  /** Whether the stream ends with an error that a retry could otherwise heal. */
  readonly isFinal?: (error: SteleError) => boolean;
}

/** Waits. Rejects at once when the signal is aborted. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave);
      resolve();
    }, milliseconds);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}

/** The delay before a retry, in ms: half of it is random, so that the clients of a restarted server do not return together. */
function delayOf(failures: number, { facts: { retryAfter } }: SteleError): number {
  const delay = Math.min(longestDelay, firstDelay * 2 ** failures);
  const askedWait = typeof retryAfter === 'number' ? retryAfter * 1_000 : 0;
  return askedWait + delay * (0.5 + Math.random() / 2);
}

/**
 * Repeats an attempt until it resolves. Between attempts it waits, longer after each failure in a row. Rejects with an error that a retry cannot heal,
 * and when the signal is aborted. The attempt calls `progress` when an event has arrived.
 */
export async function withRetries<T>(
  attempt: (progress: () => void) => Promise<T>,
  { signal, onRetry, isFinal = () => false }: RetryOptions,
): Promise<T> {
  /** Failures in a row, by their codes. */
  const failures = new Map<string, number>();
  const progress = (): void => failures.clear();
  for (;;) {
    const beginning = Date.now();
    try {
      return await attempt(progress);
    } catch (error) {
      if (signal.aborted || !(error instanceof SteleError)) throw error;
      if (Date.now() - beginning >= steady) progress();
      const same = failures.get(error.code) ?? 0;
      if (same >= retriesAfter(error) || isFinal(error)) throw error;
      onRetry(error);
      const all = [...failures.values()].reduce((sum, count) => sum + count, 0);
      failures.set(error.code, same + 1);
      await sleep(delayOf(all, error), signal);
    }
  }
}
