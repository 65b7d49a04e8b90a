import { createTokenBucket } from '../rateLimits/tokenBucket.ts';

/** Where a secret waits to be hashed. */
export interface HashLane {
  /** Lanes take turns, so that a flood in one does not hold up the others. */
  readonly name: string;
  /** Whether its sender, or its client, is over the limit of wrong secrets: then it comes behind all others, and few of its kind are hashed at all. */
  readonly isOverLimit: boolean;
}

/** Makes hashes in turn. */
export interface HashQueue {
  /** Runs `work` when its turn comes; undefined at once when too many wait in its lane. */
  run<T>(lane: HashLane, work: () => Promise<T>): Promise<T | undefined>;
}

/** Hashes made at once: each takes a thread of four for tens of milliseconds, and 16 MiB. */
const maxAtOnce = 2;

/** Secrets that wait in a lane: a second's worth, and few beyond the limit of wrong secrets. */
const maxWaiting = { within: 50, over: 4 } as const;

/** Hashes beyond the limit of wrong secrets: so many at once after a pause, and so many a minute. They take an eighth of a core. */
const overLimit = { burst: 5, perMinute: 300 } as const;

/** Work that waits, by lane. The lane whose turn is next comes first; one in which nothing waits is not kept. */
function createLanes(max: number) {
  const lanes = new Map<string, (() => void)[]>();
  return {
    isEmpty: () => lanes.size === 0,
    /** False when the lane is full. */
    add(name: string, begin: () => void): boolean {
      const lane = lanes.get(name) ?? [];
      if (lane.length >= max) return false;
      lane.push(begin);
      if (lane.length === 1) lanes.set(name, lane);
      return true;
    },
    /** Takes what is next out; undefined when nothing waits. */
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

/** Makes the queue. `now` is a clock in ms that never goes back. */
export function createHashQueue(now: () => number = () => performance.now()): HashQueue {
  const within = createLanes(maxWaiting.within);
  const over = createLanes(maxWaiting.over);
  const allowance = createTokenBucket(overLimit.burst, overLimit.perMinute, now);
  let running = 0;
  let isRunningOver = false;
  let timer: NodeJS.Timeout | undefined;

  /** Begins one beyond the limits; false when none waits, when one runs, and until the next may begin. */
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
