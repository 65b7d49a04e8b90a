import { type AnswerCache, type AnswerCacheSource, type AnswerCounts, createAnswerCache } from './answerCache.ts';

/** The answer caches of all surfaces. */
export interface AnswerCaches {
  /** The cache of a surface. It is created at the first call with this surface. */
  of(surface: string): AnswerCache;
  /** The counters of each cache since the start. */
  counts(): readonly AnswerCounts[];
}

/** Creates the caches of a server, without any cache. */
export function createAnswerCaches(source: AnswerCacheSource): AnswerCaches {
  const caches = new Map<string, AnswerCache>();
  return {
    of(surface) {
      const known = caches.get(surface);
      if (known !== undefined) return known;
      const created = createAnswerCache(source, surface);
      caches.set(surface, created);
      return created;
    },
    counts: () => [...caches.values()].map((cache) => cache.counts()),
  };
}
