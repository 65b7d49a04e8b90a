/** Runs a bounded number of pieces of work at the same time. The others wait in their order. */
export interface Pool {
  /** Runs `work` when a place is free, in the order of the calls. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** The work that runs, and that waits. */
  counts(): { readonly running: number; readonly waiting: number };
}

/** The time that a turn of the event loop takes for one more piece of work to begin after it, in ms, and the most that begin in one turn. */
const [timePerWork, mostPerTurn] = [4, 4];

/**
 * Creates a function that resolves its calls in their order: one in each turn of the event loop, and more after a turn that was long. A thousand
 * deliveries begin with every block: at once, they would keep the sockets of subscribers waiting for as long as they take to begin. On a busy server
 * they get a part of the time, not a part of the turns, so they keep up with the blocks.
 */
export function createPace(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let turnedAt = 0;

  function wait(): void {
    turnedAt = performance.now();
    setImmediate(next);
  }

  function next(): void {
    const count = Math.min(1 + Math.floor((performance.now() - turnedAt) / timePerWork), mostPerTurn);
    for (const begin of waiting.splice(0, count)) begin();
    if (waiting.length > 0) wait();
  }

  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) wait();
    });
}

/** Creates a pool of `max` places. */
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
