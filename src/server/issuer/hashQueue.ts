import { createTokenBucket } from '../rateLimits/tokenBucket.ts';

/** The queue in which a secret waits to be hashed. */
export interface HashLane {
  /** Lanes take turns, so that a flood in one lane does not block the others. */
  readonly name: string;
  /**
   * Whether the sender or the client is over the limit of wrong secrets. Such secrets are hashed after all others, and at a low
   * rate.
   */
  readonly isOverLimit: boolean;
}

/** Runs hash computations in turn. */
export interface HashQueue {
  /** Runs `work` when its turn comes. Returns undefined at once if the lane is full. */
  run<T>(lane: HashLane, work: () => Promise<T>): Promise<T | undefined>;
}

/** Concurrent hashes. Each takes one of four threads for tens of milliseconds, and 16 MiB. */
const maxAtOnce = 2;

/** The most secrets that wait in a lane: about one second of work, and few beyond the limit of wrong secrets. */
const maxWaiting = { within: 50, over: 4 } as const;

/** The rate of hashes beyond the limit of wrong secrets: a burst, and a number each minute. They take an eighth of a core. */
const overLimit = { burst: 5, perMinute: 300 } as const;

/** Creates the waiting work by lane. The lane whose turn is next comes first. Empty lanes are not stored. */
function createLanes(max: number) {
  const lanes = new Map<string, (() => void)[]>();
  return {
    isEmpty: () => lanes.size === 0,
    /** Returns false if the lane is full. */
    add(name: string, begin: () => void): boolean {
      const lane = lanes.get(name) ?? [];
      if (lane.length >= max) return false;
      lane.push(begin);
      if (lane.length === 1) lanes.set(name, lane);
      return true;
    },
    /** Removes and returns the next work. undefined if nothing waits. */
    take(): (() => void) | undefined {
      for (const [name, lane] of lanes) {
        lanes.delete(name);
        const begin = lane.shift();
        if (lane.length > 0) lanes.set(name, lane);
        return begin;
      }
      return undefined;
    },
  };
}

/** Creates the queue. `now` is a monotonic clock in ms. */
export function createHashQueue(now: () => number = () => performance.now()): HashQueue {
  const within = createLanes(maxWaiting.within);
  const over = createLanes(maxWaiting.over);
  const allowance = createTokenBucket(overLimit.burst, overLimit.perMinute, now);
  let running = 0;
  let isRunningOver = false;
  let timer: NodeJS.Timeout | undefined;

  /** Starts one hash beyond the limits. Returns false if none waits, if one runs, or if the rate is used up. */
  function beginOver(): boolean {
    if (over.isEmpty() || isRunningOver || timer !== undefined) return false;
    const wait = allowance.take(1);
    if (wait > 0) {
      timer = setTimeout(() => {
        timer = undefined;
        beginNext();
      }, Math.ceil(wait)).unref();
      return false;
    }
    isRunningOver = true;
    over.take()?.();
    return true;
  }

  function beginNext(): void {
    while (running < maxAtOnce) {
      const begin = within.take();
      if (begin !== undefined) begin();
      else if (!beginOver()) return;
    }
  }

  return {
    async run({ name, isOverLimit }, work) {
      const begun = new Promise<boolean>((resolve) => {
        const begin = (): void => {
          running += 1;
          resolve(true);
        };
        if (!(isOverLimit ? over : within).add(name, begin)) resolve(false);
      });
      beginNext();
      if (!(await begun)) return undefined;
      try {
        return await work();
      } finally {
        running -= 1;
        if (isOverLimit) isRunningOver = false;
        beginNext();
      }
    },
  };
}
