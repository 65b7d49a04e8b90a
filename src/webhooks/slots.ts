/** Runs work in a bounded number of slots. */
export interface Slots {
  /** Runs `work` when a slot is free, in the order of the calls. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** The work that runs, and that waits. */
  counts(): { readonly running: number; readonly waiting: number };
}

export function createSlots(max: number): Slots {
  const waiting: (() => void)[] = [];
  let running = 0;

  return {
    async run(work) {
      if (running < max) running += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        // The slot passes to the next one.
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
    counts: () => ({ running, waiting: waiting.length }),
  };
}
