import { defaultBudget } from '../../config/memory.ts';
import { type BoundedCache, type CacheCounts, createSharedCache, type SharedCache } from './sharedCache.ts';

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

/** The memory that all caches of this process may use, divided into shares. */
export interface MemoryBudget {
  /** Total bytes of the budget. */
  readonly bytes: number;
  /** Bytes of a share. */
  share(name: MemoryShare): number;
  /**
   * Adds a cache to a share. The caches of a share have a common bound and a common order of use. `sizeOf` estimates the memory
   * of a value without its key, in bytes.
   */
  cache<V>(share: MemoryShare, name: string, sizeOf: (value: V) => number): BoundedCache<V>;
  /** Adds a cache that enforces the bytes of its share itself, so that `stats` lists it. */
  report(share: MemoryShare, name: string, counts: () => CacheCounts): void;
  /** Every cache, in the order of creation. */
  stats(): readonly CacheStats[];
}

/** Makes a budget of `bytes`; the default is {@link defaultBudget}. */
export function createMemoryBudget({ bytes = defaultBudget() }: { readonly bytes?: number | undefined } = {}): MemoryBudget {
  const shares = new Map<MemoryShare, SharedCache>();
  const caches: { readonly share: MemoryShare; readonly cache: string; readonly counts: () => CacheCounts }[] = [];

  function share(name: MemoryShare): number {
    const types = descriptorBytes(bytes);
    return name === 'descriptors' ? types : Math.floor((Math.max(bytes - types, 0) * percentages[name]) / 100);
  }

  function sharedCache(name: MemoryShare): SharedCache {
    let shared = shares.get(name);
    if (shared === undefined) {
      shared = createSharedCache(share(name));
      shares.set(name, shared);
    }
    return shared;
  }

  return {
    bytes,
    share,
    cache(name, cache, sizeOf) {
      const added = sharedCache(name).add(sizeOf);
      caches.push({ share: name, cache, counts: added.counts });
      return added;
    },
    report: (name, cache, counts) => void caches.push({ share: name, cache, counts }),
    stats: () => caches.map(({ share, cache, counts }) => ({ share, cache, ...counts() })),
  };
}
