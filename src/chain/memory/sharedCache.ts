import { LRUCache } from 'lru-cache';
import { entryBytes, textBytes } from './sizes.ts';

/** A cache by key. Its bound in bytes may be shared with other caches. */
export interface BoundedCache<V> {
  /** The value at `key`, marked as the most recently used. Counts a hit or a miss. */
  get(key: string): V | undefined;
  /** The same, but a miss is not counted. */
  use(key: string): V | undefined;
  /** The value at `key`, without any effect on counters and order of use. */
  peek(key: string): V | undefined;
  /**
   * Stores a value. Evicts the least recently used values, whichever cache of the share they belong to. A value larger than a
   * quarter of the share is not stored.
   */
  set(key: string, value: V): void;
  /** Whether the share is nearly full, so that a new value evicts others. */
  isFull(): boolean;
  delete(key: string): void;
  /** Removes all values of this cache, but none of other caches in the share. */
  clear(): void;
  counts(): CacheCounts;
}

/** The content of a cache now, and its counters since the start. */
export interface CacheCounts {
  readonly entries: number;
  /** Estimated memory of keys and values. */
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
  /** Values that were removed to make room. */
  readonly evictions: number;
}

/** Several caches within one bound in bytes. */
export interface SharedCache {
  /** Adds a cache. `sizeOf` estimates the memory of a value in bytes; the sizes of the key and of the entry are added. */
  add<V>(sizeOf: (value: V) => number): BoundedCache<V>;
}

/** A key of the order of use. It is the cache entry itself, so that the order stores no text. */
interface Placed {
  readonly key: string;
  readonly bytes: number;
}

interface Entry<V> extends Placed {
  readonly value: V;
}

/** Removes an entry from the cache that it belongs to. */
type Evict = (entry: Placed) => void;

/** The largest fraction of the share for a single value. */
const largestPart = 1 / 4;

/** The fraction of the share that is in use when it is nearly full. */
const fullPart = 15 / 16;

/** Makes a bound of `maxBytes` without any cache. */
export function createSharedCache(maxBytes: number): SharedCache {
  const maxSize = Math.max(1, Math.floor(maxBytes));
  const order = new LRUCache<Placed, Evict>({
    maxSize,
    dispose(evict, entry, reason) {
      if (reason === 'evict') evict(entry);
    },
  });

  return {
    add<V>(sizeOf: (value: V) => number): BoundedCache<V> {
      const entries = new Map<string, Entry<V>>();
      let bytes = 0;
      let hits = 0;
      let misses = 0;
      let evictions = 0;

      function remove(entry: Placed): void {
        entries.delete(entry.key);
        bytes -= entry.bytes;
      }

      function evict(entry: Placed): void {
        remove(entry);
        evictions += 1;
      }

      function drop(key: string): void {
        const entry = entries.get(key);
        if (entry === undefined) return;
        remove(entry);
        order.delete(entry);
      }

      function use(key: string): V | undefined {
        const entry = entries.get(key);
        if (entry === undefined) return undefined;
        hits += 1;
        order.get(entry);
        return entry.value;
      }

      const cache: BoundedCache<V> = {
        get(key) {
          const value = use(key);
          if (value === undefined) misses += 1;
          return value;
        },
        use,
        peek: (key) => entries.get(key)?.value,
        set(key, value) {
          drop(key);
          const size = Math.ceil(entryBytes + textBytes(key) + sizeOf(value));
          if (size > maxSize * largestPart) return;
          const entry: Entry<V> = { key, value, bytes: size };
          entries.set(key, entry);
          bytes += size;
          order.set(entry, evict, { size });
        },
        isFull: () => order.calculatedSize > maxSize * fullPart,
        delete: drop,
        clear() {
          for (const entry of entries.values()) order.delete(entry);
          entries.clear();
          bytes = 0;
        },
        counts: () => ({ entries: entries.size, bytes, hits, misses, evictions }),
      };
      return cache;
    },
  };
}
