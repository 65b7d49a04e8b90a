/** Runs a bounded number of pieces of work at the same time. The others wait in their order. */
export interface Pool {
  /** Runs `work` when a place is free, in the order of the calls. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** The work that runs, and that waits. */
  counts(): { readonly running: number; readonly waiting: number };
}

/**
 * Resolves the calls in their order, a few in each turn of the event loop. A thousand deliveries begin with every block: at once, they would keep the
 * sockets of subscribers waiting for as long as they take to begin.
 */
export function createPace(perTurn: number): () => Promise<void> {
  const waiting: (() => void)[] = [];

  function next(): void {
    for (const begin of waiting.splice(0, perTurn)) begin();
    if (waiting.length > 0) setImmediate(next);
  }

  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(next);
    });
}

/** Creates a pool of `max` places. Its work begins after `pace`, if there is one. */
export function createPool(max: number, pace?: () => Promise<void>): Pool {
  const waiting: (() => void)[] = [];
  let running = 0;

  return {
    async run(work) {
      if (running < max) running += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        if (pace !== undefined) await pace();
        return await work();
      } finally {
        // The place passes to the next one.
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
    counts: () => ({ running, waiting: waiting.length }),
  };
}
