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
  askers: number;
}

/** Makes a place where work is joined. Names are its own. */
export function createInFlight<T>(): InFlight<T> {
  const works = new Map<string, Work<T>>();

  function begin(key: string, start: (signal: AbortSignal) => Promise<T>): Work<T> {
    const controller = new AbortController();
    const work: Work<T> = { outcome: start(controller.signal), controller, askers: 0 };
    const forget = (): void => {
      if (works.get(key) === work) works.delete(key);
    };
    work.outcome.then(forget, forget);
    works.set(key, work);
    return work;
  }

  return {
    join(key, signal, start) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      const work = works.get(key) ?? begin(key, start);
      work.askers += 1;
      if (signal === undefined) return work.outcome;
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          work.askers -= 1;
          if (work.askers === 0) {
            if (works.get(key) === work) works.delete(key);
            work.controller.abort(signal.reason);
          }
          reject(signal.reason);
        };
        const stay = onAbort(signal, leave);
        work.outcome.then(
          (value) => {
            stay();
            resolve(value);
          },
          (error) => {
            stay();
            reject(error);
          },
        );
      });
    },
  };
}
