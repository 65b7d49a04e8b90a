import { onAbort } from '../base/waiting.ts';

/** Joins equal work that is under way, so that many who ask at once cost one call. */
export interface InFlight<T> {
  /**
   * The outcome of the work named `key`: `start` runs only when none of this name is under way. Each asker leaves at once when
   * its own `signal` is aborted, with the signal's reason; the work itself is aborted when the last asker has left.
   */
  join(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface Work<T> {
  readonly outcome: Promise<T>;
  readonly controller: AbortController;
  waiters: number;
}

/** Makes a place where work is joined. Names are its own. */
export function createInFlight<T>(): InFlight<T> {
  const works = new Map<string, Work<T>>();

  function begin(key: string, start: (signal: AbortSignal) => Promise<T>): Work<T> {
    const controller = new AbortController();
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
      const work = works.get(key) ?? begin(key, start);
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
