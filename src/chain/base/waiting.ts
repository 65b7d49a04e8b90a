import { setMaxListeners } from 'node:events';

/** Calls `listener` when `signal` is aborted. Returns a function that removes the listener. A signal may have any number of listeners. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => undefined;
  // Node.js warns of a leak from the eleventh listener on. All calls of an operation share its signal, so more are expected.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** A signal that is created on first access, because most work ends before anything listens to it. */
export interface LazySignal {
  /** Whether the signal is aborted, or will be when it is created. */
  readonly aborted: boolean;
  readonly signal: AbortSignal;
}

export function signalOf(signal: AbortSignal | LazySignal): AbortSignal;
export function signalOf(signal: AbortSignal | LazySignal | undefined): AbortSignal | undefined;
export function signalOf(signal: AbortSignal | LazySignal | undefined): AbortSignal | undefined {
  return signal === undefined || signal instanceof AbortSignal ? signal : signal.signal;
}

/** Unix time in milliseconds that never goes backwards: the system clock at process start plus the monotonic clock since then. */
export function monotonicNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Resolves after `milliseconds`. Rejects with the signal's reason as soon as the signal is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  return abortable(passed, signal).finally(() => clearTimeout(timer));
}

/**
 * The waits between tries, in ms, by the number of failures in a row. The wait after the first failure is `first`; each further failure doubles
 * it, up to `max`. `jitter` is the part of a wait that is random, so that clients do not try again together: 0 by default, 1 for all of it.
 */
export function backoff(options: {
  readonly first: number;
  readonly max?: number;
  readonly jitter?: number;
}): (failures: number) => number {
  const { first, max = Number.POSITIVE_INFINITY, jitter = 0 } = options;
  return (failures) => Math.min(first * 2 ** (failures - 1), max) * (1 - jitter + jitter * Math.random());
}

/** Settles as `promise` does, or rejects with the signal's reason as soon as the signal is aborted. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const removeListener = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(removeListener);
  });
}

export type TimeSlicer = ReturnType<typeof createTimeSlicer>;

/** Served entries are removed from the queue this many at a time. */
const compactFrom = 1_024;

/**
 * Spreads many small pieces of work over iterations of the event loop, so that I/O is handled in between. In one iteration, pieces start until
 * `slice` ms have passed. The rest run in later iterations, after the I/O that is pending.
 */
export function createTimeSlicer(slice = 4) {
  let resolvers: (() => void)[] = [];
  let nextIndex = 0;
  /** When the slice of this iteration began; undefined before its first piece. */
  let beganAt: number | undefined;
  let isRunning = false;

  function renew(): void {
    beganAt = undefined;
    if (!isRunning && nextIndex < resolvers.length) run();
  }

  function run(): void {
    isRunning = false;
    if (beganAt === undefined) {
      beganAt = performance.now();
      setImmediate(renew);
    }
    if (nextIndex >= compactFrom || nextIndex === resolvers.length) {
      resolvers = resolvers.slice(nextIndex);
      nextIndex = 0;
    }
    const resolve = resolvers[nextIndex];
    if (resolve === undefined) return;
    if (performance.now() - beganAt >= slice) return;
    nextIndex += 1;
    isRunning = true;
    resolve();
    // process.nextTick called from a microtask runs after all microtasks: the caller's piece is done by then.
    queueMicrotask(() => process.nextTick(run));
  }

  return {
    /** Resolves when the caller may run its piece. Callers run in the order of their calls. */
    next(): Promise<void> {
      const turn = new Promise<void>((resolve) => resolvers.push(resolve));
      if (!isRunning && resolvers.length - nextIndex === 1) {
        isRunning = true;
        queueMicrotask(() => process.nextTick(run));
      }
      return turn;
    },
  };
}
