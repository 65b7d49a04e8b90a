import { type CacheStats, memoryShares } from '../../chain/memory/memoryBudget.ts';
import type { Kinds } from './metricKinds.ts';
import type { MetricSources } from './metricSources.ts';

const answerSources = ['carried', 'kept', 'executed', 'uncacheable'] as const;

/** Adds the metrics of cached answers, and of the roots that they are cached by. */
export function addAnswerMetrics(
  { counter }: Pick<Kinds, 'counter'>,
  { client: { roots }, answers }: Pick<MetricSources, 'client' | 'answers'>,
): void {
  counter(
    'stele_answers_total',
    'Answers by source: carried from another height, kept from an earlier request, executed, or executed and uncacheable.',
    'surface source',
    () =>
      answers().flatMap((counts) =>
        answerSources.map((source) => ({ labels: { surface: counts.surface, source }, value: counts[source] })),
      ),
  );
  counter('stele_reads_saved_total', 'Reads of the state that carried answers saved.', 'surface', () =>
    answers().map(({ surface, readsSaved }) => ({ labels: { surface }, value: readsSaved })),
  );
  counter('stele_root_heights_total', 'Heights by result of reading the roots of their stores.', 'result', () => {
    const { learnt, failed, refuted } = roots.stats();
    return Object.entries({ learnt, failed, refuted }).map(([result, value]) => ({ labels: { result }, value }));
  });
  counter('stele_root_proofs_total', 'Proofs of roots requested from nodes.', '', () => [{ value: roots.stats().requests }]);
  counter('stele_root_changes_total', 'Changes of the root of a store from one height to the next.', 'store', () =>
    [...roots.stats().changes].map(([store, value]) => ({ labels: { store }, value })),
  );
}

/** Adds the metrics of the caches and their memory. */
export function addMemoryMetrics(
  { counter, gauge }: Pick<Kinds, 'counter' | 'gauge'>,
  { client: { memory } }: Pick<MetricSources, 'client'>,
): void {
  const ofCaches = (read: (stats: CacheStats) => number) => () =>
    memory.stats().map((stats) => ({ labels: { share: stats.share, cache: stats.cache }, value: read(stats) }));
  gauge('stele_cache_budget_bytes', 'Memory budget of all caches together (cache.bytes).', '', () => [{ value: memory.bytes }]);
  gauge('stele_cache_share_bytes', 'Memory budget of the caches of a share together.', 'share', () =>
    memoryShares.map((share) => ({ labels: { share }, value: memory.share(share) })),
  );
  gauge(
    'stele_cache_bytes',
    'Estimated memory use of a cache.',
    'share cache',
    ofCaches(({ bytes }) => bytes),
  );
  gauge(
    'stele_cache_entries',
    'Entries of a cache.',
    'share cache',
    ofCaches(({ entries }) => entries),
  );
  counter(
    'stele_cache_hits_total',
    'Cache lookups that found a value.',
    'share cache',
    ofCaches(({ hits }) => hits),
  );
  counter(
    'stele_cache_misses_total',
    'Cache lookups that found no value.',
    'share cache',
    ofCaches(({ misses }) => misses),
  );
  counter(
    'stele_cache_evictions_total',
    'Entries evicted from a cache to free memory.',
    'share cache',
    ofCaches(({ evictions }) => evictions),
  );
}
