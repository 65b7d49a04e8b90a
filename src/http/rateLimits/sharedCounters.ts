import { createStoreWait } from '../../chain/state/storeWait.ts';
import type { Counted, SharedStore } from '../../shared/sharedStore.ts';
import type { TokenBucket } from './tokenBucket.ts';

/** The slots of limits that a caller has taken in this process, and in others. */
export interface Places<L extends string> {
  readonly used: Record<L, number>;
  readonly elsewhere: Partial<Record<L, number>>;
}

/** The counters of one caller that all processes share. */
export interface SharedCounter {
  /** Notes that a counter has changed: the other processes learn it soon. */
  changed(): void;
  /** Resolves when this process knows what the others have used, and after a part of `shared.wait` at the latest. Undefined if it does, or if there is no store. */
  fresh(): Promise<void> | undefined;
}

/** Creates the counters of callers that processes share. */
export interface SharedCounters {
  /** `places` are the limits whose slots are shared, with their maximum; 0 is no maximum. */
  of<L extends string>(options: {
    readonly name: string;
    readonly buckets: readonly TokenBucket[];
    readonly places: Places<L>;
    readonly max: Readonly<Partial<Record<L, number>>>;
    /** Whether {@link SharedCounter.fresh} always asks. For counters with small limits that are used rarely. Default false. */
    readonly isExact?: boolean;
  }): SharedCounter;
  /** Ends the updates. */
  close(): void;
}

/** The part of a limit that may be used before the others learn it. */
const unreportedPart = 0.02;

/** The longest time until others learn what was used, in ms. */
const longestUnreported = 50;

/** How old the knowledge of a caller may be, in ms: of one with more than a quarter of a limit left, and of others. */
const longestAge = { plenty: 1_000, scarce: 10 } as const;

/** How often the slots of a caller are reported again, in ms, so that they keep counting. */
const repeatTime = 5_000;

const unshared: SharedCounter = { changed: () => undefined, fresh: () => undefined };

/** Counters of callers in this process only. */
export const noSharedCounters: SharedCounters = { of: () => unshared, close: () => undefined };

/**
 * Creates the counters of callers that processes share through a store. A process decides by what it knows, and reports to the others what
 * it admits: at once if that is a noticeable part of the limit, otherwise within 50 ms. What several processes admit at the same time
 * lowers the level for all of them, so over time callers get no more than the limit. While the store cannot be used, the limits hold in
 * each process. `longest` is how long a request waits for the counters of its caller, in ms. `now` is a monotonic clock in ms.
 */
export function createSharedCounters(
  store: SharedStore,
  { longest, now = () => performance.now() }: { readonly longest: number; readonly now?: () => number },
): SharedCounters {
  /** The callers with slots, which are reported again. */
  const holding = new Set<() => void>();
  const timer = setInterval(() => {
    for (const report of [...holding]) report();
  }, repeatTime).unref();

  return {
    of({ name, buckets, places, max, isExact = false }) {
      const rates = buckets.filter((bucket) => bucket.isLimited());
      const limited = Object.entries<number | undefined>(max).flatMap(([key, most]) =>
        most === undefined || most === 0 ? [] : [{ key, most }],
      );
      if (rates.length === 0 && limited.length === 0) return unshared;
      const {
        used,
        elsewhere,
      }: { readonly used: Readonly<Record<string, number>>; readonly elsewhere: Record<string, number | undefined> } = places;
      let knownAt = Number.NEGATIVE_INFINITY;
      let version: string | undefined;
      let reported: readonly number[] = limited.map(() => 0);
      let running: Promise<void> | undefined;
      let delay: NodeJS.Timeout | undefined;

      const taken = (): readonly number[] => limited.map(({ key }) => used[key] ?? 0);

      function learn(counted: Counted): void {
        const isSame = version === undefined || version === counted.version;
        for (const [index, bucket] of rates.entries()) bucket.learn(counted.levels[index] ?? 0, !isSame);
        for (const [index, { key }] of limited.entries()) elsewhere[key] = counted.elsewhere[index] ?? 0;
        version = counted.version;
        knownAt = now();
      }

      async function report(): Promise<void> {
        clearTimeout(delay);
        delay = undefined;
        const own = taken();
        const updates = rates.map((bucket) => bucket.report());
        const counted = await store.count({ name, buckets: updates, places: own });
        if (counted === undefined) {
          for (const [index, bucket] of rates.entries()) bucket.unreport(updates[index]?.used ?? 0);
          for (const { key } of limited) elsewhere[key] = 0;
          return;
        }
        reported = own;
        if (own.some((count) => count > 0)) holding.add(again);
        else holding.delete(again);
        learn(counted);
      }

      function update(): Promise<void> {
        running ??= report().finally(() => {
          running = undefined;
          if (isNoticeable()) void update();
        });
        return running;
      }

      function again(): void {
        void update();
      }

      /** Whether others should learn at once what they do not know yet. */
      function isNoticeable(): boolean {
        if (!store.isUsable()) return false;
        if (rates.some((bucket) => Math.abs(bucket.unreported()) > bucket.size * unreportedPart)) return true;
        return taken().some(
          (count, index) => Math.abs(count - (reported[index] ?? 0)) > (limited[index]?.most ?? 0) * unreportedPart,
        );
      }

      function isScarce(): boolean {
        if (rates.some((bucket) => bucket.level() < bucket.size / 4)) return true;
        return limited.some(({ key, most }) => (used[key] ?? 0) + (elsewhere[key] ?? 0) > (most * 3) / 4);
      }

      return {
        changed() {
          if (!store.isUsable()) return;
          if (isNoticeable()) void update();
          else
            delay ??= setTimeout(() => {
              delay = undefined;
              void update();
            }, longestUnreported).unref();
        },
        fresh() {
          if (!store.isUsable()) return undefined;
          const age = now() - knownAt;
          const updated = (): Promise<void> => createStoreWait().within(longest, update);
          if (isExact) return updated();
          if (age <= longestAge.scarce || (age <= longestAge.plenty && !isScarce())) return undefined;
          return updated();
        },
      };
    },
    close: () => clearInterval(timer),
  };
}
