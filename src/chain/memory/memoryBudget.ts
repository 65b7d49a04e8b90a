import { LRUCache } from 'lru-cache';
import { defaultBudget } from '../../config/bounds.ts';

// Memory of values in this process (Node.js 20, 64 bits). The constants are measured: the growth of `process.memoryUsage()`
// after garbage collection for 100,000 entries, divided by their number.

/**
 * A cache entry without its key and value: the entry, its slots in the map and in the order of use, and the spare capacity of
 * both tables.
 */
const entryBytes = 300;

/** An object with few short members, or an element of an array of such objects, without its texts. */
export const objectBytes = 76;

/** The overhead of a `Buffer` or `Uint8Array` that owns its memory: the view, its `ArrayBuffer` and the allocator. */
export const bufferBytes = 300;

/** The header of a string, and its rounding. */
const stringBytes = 20;

const wide = /[^\0-\xff]/;

/** Memory of a string: one byte for each character, or two if any character is outside of Latin-1. */
export function textBytes(text: string): number {
  return stringBytes + text.length * (wide.test(text) ? 2 : 1);
}

/** Copies bytes to new memory. A small `Buffer` usually is a slice of a larger one, and keeps all of it alive. */
export function ownBytes(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** The largest part of the memory of stored bytes that they may leave unused. */
const largestUnused = 1 / 64;

/** Returns the bytes if they fill nearly all of their memory, else a copy of them. Use it for values that are stored. */
export function compact(bytes: Buffer): Buffer {
  const { byteLength } = bytes.buffer;
  return byteLength - bytes.length <= byteLength * largestUnused ? bytes : ownBytes(bytes);
}

/** A view of bytes that another value owns. */
const viewBytes = 200;

/** A member of an object or an element of an array. */
const slotBytes = 8;

/** A bigint of 64 bits. */
const bigintBytes = 24;

/**
 * Memory of a decoded value: objects, arrays, texts and numbers at any depth. The bytes of a `Uint8Array` are not counted, because
 * those of a decoded response are a view of the response.
 */
export function valueBytes(value: unknown): number {
  if (typeof value === 'string') return textBytes(value);
  if (typeof value === 'bigint') return bigintBytes;
  if (typeof value !== 'object' || value === null) return 0;
  if (ArrayBuffer.isView(value)) return viewBytes;
  let bytes = objectBytes;
  for (const member of Object.values(value)) bytes += slotBytes + valueBytes(member);
  return bytes;
}

/** A key of a cache. A text that is made for a lookup has to be hashed; a number does not. */
type CacheKey = string | number;

/** A cache by key. Its bound in bytes may be shared with other caches. */
export interface BoundedCache<V, K extends CacheKey = string> {
  /** The value at `key`, marked as the most recently used. Counts a hit or, by default, a miss. */
  get(key: K, isMissCounted?: boolean): V | undefined;
  /** The value at `key`, without any effect on counters and order of use. */
  peek(key: K): V | undefined;
  /**
   * Stores a value. Evicts the least recently used values, whichever cache of the share they belong to. A value larger than a
   * quarter of the share is not stored.
   */
  set(key: K, value: V): void;
  /** Whether the share is nearly full, so that a new value evicts others. */
  isFull(): boolean;
  delete(key: K): void;
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

/** A key of the order of use. It is the cache entry itself, so that the order stores no text. */
interface Placed {
  readonly key: CacheKey;
  readonly bytes: number;
}

interface Entry<V> extends Placed {
  readonly value: V;
}

/** The largest fraction of the share for a single value. */
const largestPart = 1 / 4;

/** The fraction of the share that is in use when it is nearly full. */
const fullPart = 15 / 16;

/** Creates a bound of `maxBytes` that several caches share. It has none yet. */
export function createSharedCache(maxBytes: number) {
  const maxSize = Math.max(1, Math.floor(maxBytes));
  const order = new LRUCache<Placed, (entry: Placed) => void>({
    maxSize,
    dispose(evict, entry, reason) {
      if (reason === 'evict') evict(entry);
    },
  });

  return {
    /** Adds a cache. `sizeOf` estimates the memory of a value in bytes; the sizes of the key and of the entry are added. `onEvict` gets what is removed to make room. */
    add<V, K extends CacheKey = string>(sizeOf: (value: V) => number, onEvict?: (value: V) => void): BoundedCache<V, K> {
      const entries = new Map<CacheKey, Entry<V>>();
      let bytes = 0;
      let hits = 0;
      let misses = 0;
      let evictions = 0;

      function evict({ key, bytes: size }: Placed): void {
        const entry = entries.get(key);
        entries.delete(key);
        bytes -= size;
        evictions += 1;
        if (entry !== undefined) onEvict?.(entry.value);
      }

      function drop(key: K): void {
        const entry = entries.get(key);
        if (entry === undefined) return;
        entries.delete(key);
        bytes -= entry.bytes;
        order.delete(entry);
      }

      const cache: BoundedCache<V, K> = {
        get(key, isMissCounted = true) {
          const entry = entries.get(key);
          if (entry === undefined) {
            if (isMissCounted) misses += 1;
            return undefined;
          }
          hits += 1;
          order.get(entry);
          return entry.value;
        },
        peek: (key) => entries.get(key)?.value,
        set(key, value) {
          drop(key);
          const size = Math.ceil(entryBytes + (typeof key === 'string' ? textBytes(key) : 0) + sizeOf(value));
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

/** The names of the shares of the budget. */
export const memoryShares = ['state', 'answers', 'documents', 'newestBlocks', 'blocks', 'callers', 'descriptors'] as const;

/** A share of the budget. */
export type MemoryShare = (typeof memoryShares)[number];

/**
 * The shares, in percent of the budget without `descriptors`. Shares do not lend memory to each other: a flood of distinct
 * requests fills `answers` but does not evict the blocks that streams are read from. The remaining 20 percent are for garbage,
 * because V8 lets a heap grow before it collects.
 */
const percentages: Readonly<Record<Exclude<MemoryShare, 'descriptors'>, number>> = {
  /** Responses of nodes to queries at a height. */
  state: 25,
  /** Responses to clients: GraphQL, REST, aggregates, node RPC and subscription events. */
  answers: 22,
  /** Parsed GraphQL documents. */
  documents: 10,
  /** The newest blocks, which streams are read from. */
  newestBlocks: 8,
  /** Older blocks that were read recently. */
  blocks: 10,
  /** Verified tokens, and records of sent transactions. */
  callers: 5,
};

/**
 * The share of the chain's type descriptors: a twentieth of the budget, at least 16 MiB. Descriptors are not evicted, because
 * they are needed as a whole. Those of Provenance v1.29 have 0.97 MB, and take 12 MB when all of them are decoded.
 */
function descriptorBytes(budget: number): number {
  return Math.max(16 * 1024 * 1024, Math.floor(budget / 20));
}

/** A cache and its share. */
export interface CacheStats extends CacheCounts {
  readonly share: MemoryShare;
  readonly cache: string;
}

export type MemoryBudget = ReturnType<typeof createMemoryBudget>;

/** Creates the memory that all caches of this process may use, divided into shares. */
export function createMemoryBudget({ bytes = defaultBudget() }: { readonly bytes?: number | undefined } = {}) {
  const shares = new Map<MemoryShare, ReturnType<typeof createSharedCache>>();
  const caches: { readonly share: MemoryShare; readonly cache: string; readonly counts: () => CacheCounts }[] = [];

  /** Bytes of a share. */
  function share(name: MemoryShare): number {
    const types = descriptorBytes(bytes);
    return name === 'descriptors' ? types : Math.floor((Math.max(bytes - types, 0) * percentages[name]) / 100);
  }

  return {
    bytes,
    share,
    /**
     * Adds a cache to a share. The caches of a share have a common bound and a common order of use. `sizeOf` estimates the memory
     * of a value without its key, in bytes. `onEvict` gets each value that is removed to make room.
     */
    cache<V, K extends CacheKey = string>(
      name: MemoryShare,
      cache: string,
      sizeOf: (value: V) => number,
      onEvict?: (value: V) => void,
    ): BoundedCache<V, K> {
      const shared = shares.get(name) ?? createSharedCache(share(name));
      shares.set(name, shared);
      const added = shared.add<V, K>(sizeOf, onEvict);
      caches.push({ share: name, cache, counts: added.counts });
      return added;
    },
    /** Adds a cache that enforces the bytes of its share itself, so that `stats` lists it. */
    report: (name: MemoryShare, cache: string, counts: () => CacheCounts): void =>
      void caches.push({ share: name, cache, counts }),
    /** Every cache, in the order of creation. */
    stats: (): readonly CacheStats[] => caches.map(({ share, cache, counts }) => ({ share, cache, ...counts() })),
  };
}

/**
 * Freezes a value and everything in it, and returns it. Bytes cannot be frozen: no code may write to those of a shared value.
 */
export function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFrozen(member);
  return Object.freeze(value);
}

/** The number of names that are remembered at most. Each takes four bytes. */
const slots = 2 ** 16;

/** The slots that a name may be in. With as many, names that are noted in turn rarely replace one another before the table is nearly full. */
const slotsOfName = 8;

/**
 * Creates an empty table of names that were seen. It has a fixed size, so it forgets names over time: a name replaces the oldest one in its slots. It
 * practically never takes one for another.
 */
export function createSeenNames() {
  let marks: Uint32Array | undefined;
  return {
    /** Notes a name. Returns whether it was noted before and not forgotten. */
    note(name: string): boolean {
      let place = 0;
      let mark = 0x811c9dc5;
      for (let at = 0; at < name.length; at += 1) {
        const code = name.charCodeAt(at);
        place = (Math.imul(place, 31) + code) | 0;
        mark = Math.imul(mark ^ code, 0x01000193);
      }
      // A mark of 0 is an empty slot.
      const ownMark = mark >>> 0 || 1;
      const first = ((place ^ (place >>> 16)) & (slots / slotsOfName - 1)) * slotsOfName;
      marks ??= new Uint32Array(slots);
      for (let slot = first; slot < first + slotsOfName; slot += 1) if (marks[slot] === ownMark) return true;
      marks.copyWithin(first + 1, first, first + slotsOfName - 1);
      marks[first] = ownMark;
      return false;
    },
  };
}
