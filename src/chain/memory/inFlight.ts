import { onAbort } from '../base/time.ts';
import { shareScope } from '../tracing/tracer.ts';

interface Work<T> {
  readonly outcome: Promise<T>;
  readonly controller: AbortController;
  waiters: number;
}

/** Creates a registry of work in progress, so that concurrent callers with the same key cause one call. Keys are local to it. */
export function createInFlight<T>() {
  const works = new Map<string, Work<T>>();

  return {
    /** Whether work with this key is in progress. */
    has: (key: string): boolean => works.has(key),
    /**
     * The outcome of the work with this key. `start` runs only if no work with this key is in progress. A caller whose `signal`
     * is aborted gets the signal's reason at once. The work is aborted when the last caller has left. In traces, it belongs to its first caller.
     */
    join(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
      if (signal?.aborted) return Promise.reject(signal.reason);
      let work = works.get(key);
      if (work === undefined) {
        const controller = new AbortController();
        shareScope(signal, controller.signal);
        const newWork: Work<T> = { outcome: start(controller.signal), controller, waiters: 0 };
        const remove = (): void => {
          if (works.get(key) === newWork) works.delete(key);
        };
        newWork.outcome.then(remove, remove);
        works.set(key, newWork);
        work = newWork;
      }
      const { outcome, controller } = work;
      const joinedWork = work;
      joinedWork.waiters += 1;
      if (signal === undefined) return outcome;
      return new Promise((resolve, reject) => {
        const removeListener = onAbort(signal, () => {
          joinedWork.waiters -= 1;
          if (joinedWork.waiters === 0) {
            if (works.get(key) === joinedWork) works.delete(key);
            controller.abort(signal.reason);
          }
          reject(signal.reason);
        });
        outcome.then(resolve, reject).finally(removeListener);
      });
    },
  };
}
