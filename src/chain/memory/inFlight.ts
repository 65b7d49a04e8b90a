import { onAbort } from '../base/waiting.ts';
import { type Scope, scopeOf, setScope } from '../tracing/tracer.ts';

/** Shares work in progress, so that concurrent callers with the same key cause one call. */
export interface InFlight<T> {
  /**
   * The outcome of the work with this key. `start` runs only if no work with this key is in progress. A caller whose `signal`
   * is aborted gets the signal's reason at once. The work is aborted when the last caller has left. In traces, it belongs to its first caller.
   */
  join(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface Work<T> {
  readonly outcome: Promise<T>;
  readonly controller: AbortController;
  waiters: number;
}

/** Makes an empty registry of work in progress. Keys are local to it. */
export function createInFlight<T>(): InFlight<T> {
  const works = new Map<string, Work<T>>();

  function begin(key: string, scope: Scope | undefined, start: (signal: AbortSignal) => Promise<T>): Work<T> {
    const controller = new AbortController();
    setScope(controller.signal, scope);
    const work: Work<T> = { outcome: start(controller.signal), controller, waiters: 0 };
    const remove = (): void => {
      if (works.get(key) === work) works.delete(key);
    };
    work.outcome.then(remove, remove);
    works.set(key, work);
    return work;
  }

  return {
    join(key, signal, start) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      const work = works.get(key) ?? begin(key, scopeOf(signal), start);
      work.waiters += 1;
      if (signal === undefined) return work.outcome;
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          work.waiters -= 1;
          if (work.waiters === 0) {
            if (works.get(key) === work) works.delete(key);
            work.controller.abort(signal.reason);
          }
          reject(signal.reason);
        };
        const removeListener = onAbort(signal, leave);
        work.outcome.then(
          (value) => {
            removeListener();
            resolve(value);
          },
          (error) => {
            removeListener();
            reject(error);
          },
        );
      });
    },
  };
}
