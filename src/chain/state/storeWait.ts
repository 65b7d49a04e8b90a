/** How long one request has waited for the store that processes share. Waits at the same time count once. */
export interface StoreWait {
  /**
   * Resolves as `command` does. Resolves to undefined as soon as the request has waited for `most` ms in total. From then on, commands of this
   * request are not sent.
   */
  within<T>(most: number, command: () => Promise<T>): Promise<T | undefined>;
}

/** Creates the wait of a request that has not waited yet. */
export function createStoreWait(): StoreWait {
  let waited = 0;
  let pending = 0;
  let since = 0;

  return {
    async within(most, command) {
      const now = performance.now();
      const left = most - waited - (pending > 0 ? now - since : 0);
      if (left <= 0) return undefined;
      if (pending === 0) since = now;
      pending += 1;
      let timer: NodeJS.Timeout | undefined;
      const over = new Promise<undefined>((resolve) => {
        const end = (): void => {
          waited = Number.POSITIVE_INFINITY;
          resolve(undefined);
        };
        // Responses that have arrived by then are read first.
        timer = setTimeout(() => setImmediate(end), left);
      });
      try {
        return await Promise.race([command(), over]);
      } finally {
        clearTimeout(timer);
        pending -= 1;
        if (pending === 0) waited += performance.now() - since;
      }
    },
  };
}
