import { createHash } from 'node:crypto';
import { schemaText } from '../../graphql/schema.ts';
import type { SharedStore } from '../../shared/sharedStore.ts';
import { addArchiveMetrics } from './archiveMetrics.ts';
import { addAnswerMetrics, addMemoryMetrics } from './cacheMetrics.ts';
import type { Kinds } from './metricKinds.ts';
import type { MetricSources } from './metricSources.ts';
import { addStreamMetrics } from './streamMetrics.ts';
import { addUpstreamMetrics } from './upstreamMetrics.ts';

/** What a primary process counts itself. Its workers count everything else. */
export interface PrimarySources
  extends Pick<MetricSources, 'client' | 'archive' | 'faults' | 'droppedLines' | 'spans' | 'version'> {
  readonly workers: () => { readonly listening: number; readonly restarts: number };
}

/** Adds every metric of a server in one process, or those of a worker. */
export function addMetrics(kinds: Kinds, sources: MetricSources): void {
  if (!sources.isWorker) addUpstreamMetrics(kinds, sources);
  if (!sources.isWorker && sources.archive !== undefined) addArchiveMetrics(kinds, sources.archive);
  addRequestMetrics(kinds, sources);
  addStreamMetrics(kinds, sources);
  addAnswerMetrics(kinds, sources);
  addMemoryMetrics(kinds, sources);
  if (sources.shared !== undefined) addSharedMetrics(kinds, sources.shared);
  addServerMetrics(kinds, sources);
}

/** Adds the metrics of a primary process. */
export function addPrimaryMetrics(kinds: Kinds, sources: PrimarySources): void {
  const { workers, archive } = sources;
  addUpstreamMetrics(kinds, sources);
  if (archive !== undefined) addArchiveMetrics(kinds, archive);
  addMemoryMetrics(kinds, sources);
  addServerMetrics(kinds, { ...sources, auth: undefined });
  kinds.gauge('stele_workers', 'Worker processes that take requests.', '', () => [{ value: workers().listening }]);
  kinds.counter('stele_worker_restarts_total', 'Worker processes that ended and were started again.', '', () => [
    { value: workers().restarts },
  ]);
}

function addSharedMetrics({ counter, gauge }: Kinds, { stats }: SharedStore): void {
  gauge('stele_shared_usable', '1 while the shared store is used, 0 while this process goes on without it.', '', () => [
    { value: stats().isUsable ? 1 : 0 },
  ]);
  counter(
    'stele_shared_calls_total',
    'Calls to the shared store by outcome. Calls are skipped while the store is not used.',
    'outcome',
    () => Object.entries(stats().calls).map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
  counter('stele_shared_reads_total', 'Reads of the state that were looked up in the shared store.', 'result', () => [
    { labels: { result: 'found' }, value: stats().hits },
    { labels: { result: 'absent' }, value: stats().misses },
  ]);
  counter('stele_shared_losses_total', 'How often the shared store could not be used any more.', '', () => [
    { value: stats().losses },
  ]);
}

function addRequestMetrics({ counter, histogram }: Pick<Kinds, 'counter' | 'histogram'>, { requests }: MetricSources): void {
  counter('stele_requests_total', 'Completed requests by surface and by the code of the first error.', 'surface code', () =>
    requests().codes.map(({ surface, code, count }) => ({ labels: { surface, code }, value: count })),
  );
  histogram('stele_request_seconds', 'Duration of requests. For streams, until the end of the stream.', 'surface', () =>
    requests().surfaces.map(({ surface, times }) => ({ labels: { surface }, value: times })),
  );
  counter('stele_request_cost_total', 'Points charged for requests.', 'surface', () =>
    requests().surfaces.map(({ surface, cost }) => ({ labels: { surface }, value: cost })),
  );
}

function addServerMetrics(
  { counter, gauge }: Pick<Kinds, 'counter' | 'gauge'>,
  sources: Pick<MetricSources, 'auth' | 'faults' | 'droppedLines' | 'spans' | 'version'>,
): void {
  const { auth, faults, droppedLines, spans, version } = sources;
  if (auth !== undefined) {
    gauge('stele_token_keys', 'Keys that verify tokens.', '', () => [{ value: auth().keys.keys }]);
    gauge('stele_token_keys_age_seconds', 'Time since the keys were last loaded or confirmed.', '', () => {
      const { age } = auth().keys;
      return age === undefined ? [] : [{ value: age / 1000 }];
    });
    gauge('stele_token_keys_stale', '1 while the keys cannot be loaded from the issuer and cached keys are used.', '', () => [
      { value: auth().keys.stale ? 1 : 0 },
    ]);
    counter('stele_token_keys_fetches_total', 'Fetches of the keys.', '', () => [{ value: auth().keys.fetches }]);
    counter('stele_token_verifications_total', 'Token signatures checked.', '', () => [{ value: auth().verifications }]);
    counter('stele_token_refusals_total', 'Requests and sockets refused by authentication, by reason.', 'reason', () =>
      Object.entries(auth().refusals).map(([reason, value]) => ({ labels: { reason }, value })),
    );
  }
  counter('stele_faults_total', 'Exceptions and rejections that failed no request, by where they were caught.', 'kind', () =>
    Object.entries(faults()).map(([kind, value]) => ({ labels: { kind }, value })),
  );
  counter('stele_log_lines_dropped_total', 'Log lines dropped because stdout was blocked.', '', () => [
    { value: droppedLines?.() ?? 0 },
  ]);
  if (spans !== undefined) {
    counter('stele_spans_total', 'Spans of traces by outcome. Spans are dropped if too many wait to be sent.', 'outcome', () =>
      Object.entries(spans()).map(([outcome, value]) => ({ labels: { outcome }, value })),
    );
  }
  const schema = createHash('sha256').update(schemaText()).digest('hex').slice(0, 16);
  gauge('stele_build_info', 'Version of the server and hash of its schema.', 'version schema', () => [
    { labels: { version, schema }, value: 1 },
  ]);
}
