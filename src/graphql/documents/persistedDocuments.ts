import { LRUCache } from 'lru-cache';
import { type CacheCounts, objectBytes, textBytes } from '../../chain/memory/memoryBudget.ts';

/** Documents that clients have sent with their hashes (automatic persisted queries), by SHA-256 in hex. */
export interface PersistedDocuments {
  /** Returns the document with this hash. undefined if it was never sent, or was evicted: the client then sends it again. */
  get(hash: string): string | undefined;
  /** Whether the document with this hash is stored. */
  has(hash: string): boolean;
  /** Adds a document whose hash was verified. Evicts the least recently used documents to make room. */
  add(hash: string, text: string): void;
  stats(): CacheCounts;
}

/** Documents that clients have sent to any of several processes. */
export interface SharedDocuments {
  /** Returns the document with this hash. undefined if it is not stored, or not available. Never rejects. */
  get(hash: string): Promise<string | undefined>;
  /** Adds a document whose hash was verified. */
  add(hash: string, text: string): void;
}

/** Creates an empty store of at most `maxBytes` of memory. A document longer than `maxText` characters is not stored. */
export function createPersistedDocuments({
  maxBytes,
  maxText,
}: {
  readonly maxBytes: number;
  readonly maxText: number;
}): PersistedDocuments {
  const counts = { hits: 0, misses: 0, evictions: 0 };
  const stored = new LRUCache<string, string>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: (text, hash) => objectBytes + textBytes(text) + textBytes(hash),
    dispose(_text, _hash, reason) {
      if (reason === 'evict') counts.evictions += 1;
    },
  });
  return {
    get(hash) {
      const text = stored.get(hash);
      counts[text === undefined ? 'misses' : 'hits'] += 1;
      return text;
    },
    has: (hash) => stored.has(hash),
    add(hash, text) {
      if (text.length <= maxText && !stored.has(hash)) stored.set(hash, text);
    },
    stats: () => ({ bytes: stored.calculatedSize, entries: stored.size, ...counts }),
  };
}
