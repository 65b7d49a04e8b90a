import { LRUCache } from 'lru-cache';
import { type Counted, type CountUpdate, defaultClaimTime, placeTime, type SharedStore } from './sharedStore.ts';

interface Counters {
  readonly version: string;
  at: number;
  levels: number[];
  readonly places: Map<string, { readonly until: number; readonly used: readonly number[] }>;
}

export type LocalStore = ReturnType<typeof createLocalStore>;

/** The most callers that are stored. Beyond it, the one that was idle for longest is evicted. */
const maxCallers = 10_000;

/** Fixed bytes of an entry, estimated. */
const entryBytes = 200;

/**
 * The store of the processes on one machine, in the memory of one of them: at most `maxBytes` of values, each of at most `maxValue` bytes. `now`
 * is a monotonic clock in ms.
 */
export function createLocalStore(options: {
  readonly maxBytes: number;
  readonly maxValue: number;
  readonly now?: () => number;
}) {
  const { maxBytes, maxValue, now = () => performance.now() } = options;
  const values = new LRUCache<string, Uint8Array>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: (value, key) => value.byteLength + 2 * key.length + entryBytes,
    ttlAutopurge: false,
  });
  const claims = new LRUCache<string, true>({ max: 10_000, ttl: defaultClaimTime });
  const callers = new LRUCache<string, Counters>({ max: maxCallers });
  let versions = 0;

  function count(process: string, { name, buckets, places }: CountUpdate): Counted {
    const time = now();
    const existing = callers.get(name);
    versions += existing === undefined ? 1 : 0;
    const counters = existing ?? {
      version: `${versions}`,
      at: time,
      levels: buckets.map((bucket) => bucket.known),
      places: new Map(),
    };
    counters.levels = buckets.map(({ used, known: believed, size, perMinute }, index) => {
      const level = Math.min(size, (counters.levels[index] ?? believed) + ((time - counters.at) * perMinute) / 60_000);
      return Math.max(-size, Math.min(size, level - used));
    });
    const isGranted = buckets.every(
      ({ wanted, size }, index) => wanted === 0 || (counters.levels[index] ?? 0) >= Math.min(wanted, size),
    );
    if (isGranted) {
      counters.levels = buckets.map(({ wanted, size }, index) => Math.max(-size, (counters.levels[index] ?? 0) - wanted));
    }
    counters.at = time;
    if (places.some((usedPlace) => usedPlace > 0)) counters.places.set(process, { until: time + placeTime, used: places });
    else counters.places.delete(process);
    for (const [other, { until }] of counters.places) if (until < time) counters.places.delete(other);
    callers.set(name, counters);
    const others = [...counters.places].filter(([other]) => other !== process);
    const elsewhere = places.map((_, index) => others.reduce((sum, [, { used }]) => sum + (used[index] ?? 0), 0));
    return { levels: counters.levels, isGranted, elsewhere, version: counters.version };
  }

  return {
    /** The store as the process with this name sees it. */
    of(process: string): SharedStore {
      const counts = { answered: 0, hits: 0, misses: 0 };
      return {
        claimTime: defaultClaimTime,
        async find(group, keys, claim) {
          counts.answered += 1;
          for (const [index, key] of keys.entries()) {
            const value = values.get(`${group}\n${key}`);
            if (value === undefined) continue;
            counts.hits += 1;
            return { kind: 'value', index, value };
          }
          counts.misses += 1;
          const claimKey = `${group}\n${claim}`;
          if (claims.has(claimKey)) return { kind: 'elsewhere' };
          claims.set(claimKey, true);
          return { kind: 'claimed' };
        },
        async get(group, key) {
          counts.answered += 1;
          return values.get(`${group}\n${key}`) ?? null;
        },
        async put(group, key, value, ttl, claim) {
          counts.answered += 1;
          const isSmall = value.byteLength <= maxValue;
          if (isSmall) values.set(`${group}\n${key}`, value, { ttl });
          if (claim !== undefined) claims.delete(`${group}\n${claim}`);
          return isSmall;
        },
        async release(group, key) {
          counts.answered += 1;
          claims.delete(`${group}\n${key}`);
        },
        async count(update) {
          counts.answered += 1;
          return count(process, update);
        },
        isUsable: () => true,
        stats: () => ({
          isUsable: true,
          calls: { answered: counts.answered, failed: 0, skipped: 0 },
          hits: counts.hits,
          misses: counts.misses,
          losses: 0,
        }),
        close: async () => undefined,
      };
    },
    /** Gives back the slots of a process that has ended. */
    forget(process: string): void {
      for (const counters of callers.values()) counters.places.delete(process);
    },
  };
}
