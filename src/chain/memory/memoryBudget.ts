import { defaultBudget } from '../../config/memory.ts';
import { type BoundedCache, type CacheCounts, createSharedCache, type SharedCache } from './sharedCache.ts';

/** What the budget is divided into. */
export const memoryShares = ['state', 'answers', 'documents', 'newestBlocks', 'blocks', 'callers', 'descriptors'] as const;

/** A share of the budget. */
export type MemoryShare = (typeof memoryShares)[number];

/**
 * The shares, in percentages of a hundred of what `descriptors` leave. The shares do not lend to each other: a flood of distinct requests, which fills
 * `answers`, takes nothing from the blocks that streams are read from. The 20 percentages that are left are for garbage: V8 lets a heap grow before it
 * collects.
 */
const percentages: Readonly<Record<Exclude<MemoryShare, 'descriptors'>, number>> = {
  /** Answers of nodes to reads at a height. */
  state: 25,
  /** Answers to callers: GraphQL, REST, aggregates, node RPC and events of subscriptions. */
  answers: 22,
  /** Parsed GraphQL documents. */
  documents: 10,
  /** The newest blocks, which streams are read from. */
  newestBlocks: 8,
  /** Blocks of the past that were read lately. */
  blocks: 10,
  /** Tokens that were verified, and what is remembered of transactions that were sent. */
  callers: 5,
};

/**
 * The share of the types that the chain describes: 16 MiB at least, else a twentieth of the budget. They are not evicted, as they are needed as a
 * whole: those of Provenance v1.29 are 0.97 MB, and 12 MB when all of them are decoded.
 */
function descriptorBytes(budget: number): number {
  return Math.max(16 * 1024 * 1024, Math.floor(budget / 20));
}

/** A cache and the share that it belongs to. */
export interface CacheStats extends CacheCounts {
  readonly share: MemoryShare;
  readonly cache: string;
}

/** The memory that all caches of this process may use together, divided into shares. */
export interface MemoryBudget {
  /** Bytes of all shares. */
  readonly bytes: number;
  /** Bytes of one share. */
  share(name: MemoryShare): number;
  /**
   * Adds a cache to a share. The caches of one share have one bound, and one order of use. `sizeOf` estimates the memory of a value, without its key, in
   * bytes.
   */
  cache<V>(share: MemoryShare, name: string, sizeOf: (value: V) => number): BoundedCache<V>;
  /** Adds a cache that holds itself to the bytes of its share, to be shown with the others. */
  report(share: MemoryShare, name: string, counts: () => CacheCounts): void;
  /** Every cache, in the order in which they were added. */
  stats(): readonly CacheStats[];
}

/** Makes a budget of `bytes`: {@link defaultBudget} if absent. */
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
