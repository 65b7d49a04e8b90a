/** How long one request has waited for the store that processes share. Waits at the same time count once. */
export interface StoreWait {
  /**
   * Resolves as `command` does. Resolves to undefined as soon as the request has waited for `most` ms in total. From then on, commands of this
   * request are not sent.
   */
  within<T>(most: number, command: () => Promise<T>): Promise<T | undefined>;
  /** How much longer the request may wait, in ms, if it may wait for `most` ms in total. 0 or less: no longer. */
  left(most: number): number;
}

/** It is a class because each operation has one, and few wait. */
class TotalWait implements StoreWait {
  #waited = 0;
  #pending = 0;
  #since = 0;

  left(most: number): number {
    return most - this.#waited - (this.#pending > 0 ? performance.now() - this.#since : 0);
  }

  async within<T>(most: number, command: () => Promise<T>): Promise<T | undefined> {
    const left = this.left(most);
    if (left <= 0) return undefined;
    if (this.#pending === 0) this.#since = performance.now();
    this.#pending += 1;
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<undefined>((resolve) => {
      const end = (): void => {
        this.#waited = Number.POSITIVE_INFINITY;
        resolve(undefined);
      };
      // Responses that have arrived by then are read first.
      timer = setTimeout(() => setImmediate(end), left);
    });
    try {
      return await Promise.race([command(), over]);
    } finally {
      clearTimeout(timer);
      this.#pending -= 1;
      if (this.#pending === 0) this.#waited += performance.now() - this.#since;
    }
  }
}

/** Creates the wait of a request that has not waited yet. */
export function createStoreWait(): StoreWait {
  return new TotalWait();
}

/** The wait of several requests for the same command. It is over for all of them as soon as one of them may not wait any longer. */
export interface JoinedWait extends StoreWait {
  /** Adds a request. It may have waited for other commands before. */
  join(wait: StoreWait): void;
}

/** Creates the wait of a command that one request makes, and others may join. */
export function createJoinedWait(first: StoreWait): JoinedWait {
  const waits = new Set([first]);
  /** Those that wait for the running commands. */
  const running = new Set<(wait: StoreWait) => void>();
  const left = (most: number): number => Math.min(...[...waits].map((wait) => wait.left(most)));
  return {
    left,
    async within<T>(most: number, command: () => Promise<T>): Promise<T | undefined> {
      if (left(most) <= 0) return undefined;
      const result = command();
      let stop = (): void => undefined;
      const stopped = new Promise<undefined>((resolve) => {
        stop = () => resolve(undefined);
      });
      const waiting = new Promise<T | undefined>((resolve, reject) => {
        const wait = (each: StoreWait): void =>
          void each.within(most, () => Promise.race([result, stopped])).then(resolve, reject);
        stopped.then(() => running.delete(wait));
        running.add(wait);
        for (const each of waits) wait(each);
      });
      // The others stop to wait, too, so none is charged for more than it waits.
      return waiting.finally(stop);
    },
    join(other) {
      if (waits.has(other)) return;
      waits.add(other);
      for (const wait of running) wait(other);
    },
  };
}
