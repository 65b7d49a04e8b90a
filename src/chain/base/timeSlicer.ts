/** TimeSlicer for work that comes in large numbers at once, so that it leaves the event loop free in between. */
export interface TimeSlicer {
  /** Resolves when the caller may work, in the order of the calls. */
  next(): Promise<void>;
}

/** TimeSlicer that were taken are removed from the queue this many at a time. */
const compactFrom = 1_024;

/**
 * Makes turns. In one iteration of the event loop they take `slice` ms at most, plus what the last of them takes over that; the
 * rest wait for the next iteration, behind the input that has come meanwhile.
 */
export function createTimeSlicer(slice = 4): TimeSlicer {
  let waiting: (() => void)[] = [];
  let at = 0;
  /** When the slice of this iteration began; undefined before the first turn in it. */
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
    // A tick that a microtask asks for comes when all microtasks have run: the work of this turn is done then.
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
