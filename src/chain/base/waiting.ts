import { setMaxListeners } from 'node:events';

/** Calls `listener` when `signal` is aborted, until the function that it returns is called. One signal may be listened to by any number. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => undefined;
  // Node warns of a leak from the eleventh listener on; one operation's signal is rightly shared by all its calls.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Unix time in milliseconds that only goes forward: set by the system's clock when the process starts, then monotonic. */
export function monotonicNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Resolves after `milliseconds`; rejects at once with the signal's reason when it is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  return abortable(passed, signal).finally(() => clearTimeout(timer));
}

/** The outcome of `promise`, or the signal's reason as soon as it is aborted. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const removeListener = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(removeListener);
  });
}
