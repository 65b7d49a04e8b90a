/** Runs a bounded number of pieces of work at the same time. The others wait in their order. */
export interface Pool {
  /** Runs `work` when a place is free, in the order of the calls. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** The work that runs, and that waits. */
  counts(): { readonly running: number; readonly waiting: number };
}

export function createPool(max: number): Pool {
  const waiting: (() => void)[] = [];
  let running = 0;

  return {
    async run(work) {
      if (running < max) running += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
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
