/** How long one request has waited for the store that processes share. Waits at the same time count once. */
export interface StoreWait {
  /**
   * Resolves as `command` does. Resolves to undefined as soon as the request has waited for `most` ms in total. From then on, commands of this
   * request are not sent.
   */
  within<T>(most: number, command: () => Promise<T>): Promise<T | undefined>;
}

/** It is a class because each operation has one, and few wait. */
class TotalWait implements StoreWait {
  #waited = 0;
  #pending = 0;
  #since = 0;

  async within<T>(most: number, command: () => Promise<T>): Promise<T | undefined> {
    const now = performance.now();
    const left = most - this.#waited - (this.#pending > 0 ? now - this.#since : 0);
    if (left <= 0) return undefined;
    if (this.#pending === 0) this.#since = now;
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
