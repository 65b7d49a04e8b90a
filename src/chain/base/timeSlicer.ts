/** Spreads many small pieces of work over iterations of the event loop, so that I/O is handled in between. */
export interface TimeSlicer {
  /** Resolves when the caller may run its piece. Callers run in the order of their calls. */
  next(): Promise<void>;
}

/** Served entries are removed from the queue this many at a time. */
const compactFrom = 1_024;

/**
 * Makes a time slicer. In one iteration of the event loop, pieces start until `slice` ms have passed. The rest run in later
 * iterations, after the I/O that is pending.
 */
export function createTimeSlicer(slice = 4): TimeSlicer {
  let waiting: (() => void)[] = [];
  let at = 0;
  /** When the slice of this iteration began; undefined before its first piece. */
  let began: number | undefined;
  let isRunning = false;

  function renew(): void {
    began = undefined;
    if (!isRunning && at < waiting.length) run();
  }

  function run(): void {
    isRunning = false;
    if (began === undefined) {
      began = performance.now();
      setImmediate(renew);
    }
    if (at >= compactFrom || at === waiting.length) {
      waiting = waiting.slice(at);
      at = 0;
    }
    const resolve = waiting[at];
    if (resolve === undefined) return;
    if (performance.now() - began >= slice) return;
    at += 1;
    isRunning = true;
    resolve();
    // process.nextTick called from a microtask runs after all microtasks: the caller's piece is done by then.
    queueMicrotask(() => process.nextTick(run));
  }

  return {
    next() {
      const turn = new Promise<void>((resolve) => waiting.push(resolve));
      if (!isRunning && waiting.length - at === 1) {
        isRunning = true;
        queueMicrotask(() => process.nextTick(run));
      }
      return turn;
    },
  };
}
