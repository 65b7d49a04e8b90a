import { LRUCache } from 'lru-cache';
import { entryBytes, textBytes } from './sizes.ts';

/** Values by key within a bound of bytes that other caches may share. */
export interface BoundedCache<V> {
  /** The value at `key`, which becomes the one used last; counts a hit or a miss. */
  get(key: string): V | undefined;
  /** The value at `key`, of which nothing is noted. */
  peek(key: string): V | undefined;
  /**
   * Keeps a value in place of the one at its key. The values that were not used for the longest time are evicted, whichever cache of the
   * share they belong to. A value above a quarter of the share is not kept.
   */
  set(key: string, value: V): void;
  delete(key: string): void;
  /** Removes all values of this cache. Those of the other caches in the share stay. */
  clear(): void;
  counts(): CacheCounts;
}

/** What a cache holds now, and what it did since the start. */
export interface CacheCounts {
  readonly entries: number;
  /** Memory of keys and values, as estimated when they were put in. */
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
  /** Values that were removed to make room. */
  readonly evictions: number;
}

/** Several caches within one bound of bytes. */
export interface SharedCache {
  /** Adds a cache. `sizeOf` estimates the memory that a value holds, in bytes; the key and the entry itself are added to it. */
  add<V>(sizeOf: (value: V) => number): BoundedCache<V>;
}

/** What the order of use holds: the entry itself is its key there, so that the order needs no text of its own. */
interface Placed {
  readonly key: string;
  readonly bytes: number;
}

interface Entry<V> extends Placed {
  readonly value: V;
}

/** How the cache that an entry belongs to removes it. */
type Evict = (entry: Placed) => void;

/** The largest part of the share that one value may take. */
const largestPart = 1 / 4;

/** Makes a bound of `maxBytes` without a cache in it. */
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

      const cache: BoundedCache<V> = {
        get(key) {
          const entry = entries.get(key);
          if (entry === undefined) {
            misses += 1;
            return undefined;
          }
          hits += 1;
          order.get(entry);
          return entry.value;
        },
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
