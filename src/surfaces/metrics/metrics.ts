import { createHash } from 'node:crypto';
import type { AnswerCounts } from '../../answers/answerCache.ts';
import type { Archive } from '../../archive/setup/archive.ts';
import type { ArchiveStats } from '../../archive/store/reader.ts';
import type { HistogramView } from '../../chain/base/time.ts';
import type { Client } from '../../chain/client.ts';
import { memoryShares } from '../../chain/memory/memoryBudget.ts';
import type { NodeHealth } from '../../chain/transports/transport.ts';
import type { StreamStats } from '../../graphql/live/liveQueries.ts';
import { schemaText } from '../../graphql/schema.ts';
import type { AuthStats } from '../../server/auth/auth.ts';
import type { FaultCounts } from '../../server/observability/faults.ts';
import type { SpanCounts } from '../../server/observability/openTelemetry.ts';
import type { RequestCounts } from '../../server/observability/requestLog.ts';
import type { SharedStore } from '../../shared/sharedStore.ts';
import type { WebhookStats } from '../../webhooks/deliveries.ts';

/** Labels of a sample. Each label has a small fixed set of values: callers cannot create new ones. */
type Labels = Readonly<Record<string, string>>;

type Samples<T = number | bigint> = readonly { readonly labels?: Labels; readonly value: T }[];

/** Returns the samples of a metric. A metric without labels has one value, and no sample while that is undefined. */
type Read = () => Samples | number | bigint | undefined;

/** The functions that add metrics of each kind. `series` is the name of a metric with those of its labels: `stele_node_height{node}`. */
interface Kinds {
  counter(series: string, help: string, read: Read): void;
  gauge(series: string, help: string, read: Read): void;
  histogram(series: string, help: string, read: () => Samples<HistogramView>): void;
}

/** Splits `stele_node_height{node}` into the name and the names of the labels. */
function namesOf(series: string): { readonly name: string; readonly labelNames: string[] } {
  const [name = '', labels] = series.replace('}', '').split('{');
  return { name, labelNames: labels?.split(',') ?? [] };
}

function samplesOf(read: Read): Samples {
  const samples = read();
  if (typeof samples === 'object') return samples;
  return samples === undefined ? [] : [{ value: samples }];
}

/** Metrics that are not added when those of several processes are put together. */
const aggregators = new Map<string, 'max' | 'min'>([
  ['stele_build_info', 'max'],
  ['stele_queue_events_max', 'max'],
  ['stele_token_keys', 'max'],
  ['stele_webhooks_lag_blocks', 'max'],
  ['stele_token_keys_age_seconds', 'max'],
  ['stele_token_keys_stale', 'max'],
  ['stele_shared_usable', 'min'],
]);

/** Creates the metrics that `add` adds. The library is loaded at the first read, and the metrics of the process are counted from then on. */
export function createMetrics(add: (kinds: Kinds) => void) {
  let registry: ReturnType<typeof register> | undefined;
  const registered = (): ReturnType<typeof register> => {
    registry ??= register(add);
    return registry;
  };
  return {
    /** Returns the metrics in the text format of Prometheus, with those of other processes: the results of their `values`. */
    async text(others: readonly (readonly object[])[] = []): Promise<{ readonly contentType: string; readonly text: string }> {
      const { registry: ownRegistry, aggregate } = await registered();
      const all = others.length === 0 ? ownRegistry : aggregate([await ownRegistry.getMetricsAsJSON(), ...others]);
      return { contentType: ownRegistry.contentType, text: await all.metrics() };
    },
    /** Returns the metrics as values, which can be sent to another process. */
    values: async (): Promise<readonly object[]> => (await registered()).registry.getMetricsAsJSON(),
  };
}

async function register(add: (kinds: Kinds) => void) {
  // A CommonJS library. In the bundle, it has only a default export.
  const { default: library } = await import('prom-client');
  const { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = library;
  const registry = new Registry();
  // The library counts from here on, and the metrics are registered when they are read for the first time.
  const { user, system } = process.cpuUsage();
  collectDefaultMetrics({ register: registry });
  for (const [kind, microseconds] of [
    ['user_', user],
    ['system_', system],
    ['', user + system],
  ] as const) {
    const metric = registry.getSingleMetric(`process_cpu_${kind}seconds_total`);
    if (metric instanceof Counter) metric.inc(microseconds / 1e6);
  }

  const kinds: Kinds = {
    gauge(series, help, read) {
      const { name, labelNames } = namesOf(series);
      new Gauge({
        name,
        help,
        aggregator: aggregators.get(name) ?? 'sum',
        labelNames,
        registers: [registry],
        collect() {
          this.reset();
          for (const { labels = {}, value } of samplesOf(read)) this.set(labels, Number(value));
        },
      });
    },
    counter(series, help, read) {
      new Counter({
        ...namesOf(series),
        help,
        registers: [registry],
        collect() {
          this.reset();
          for (const { labels = {}, value } of samplesOf(read)) this.inc(labels, Number(value));
        },
      });
    },
    /** A histogram that is counted outside the library, because the library is loaded late. */
    histogram(series, help, read) {
      const { name, labelNames } = namesOf(series);
      const values = () => read().flatMap(({ labels = {}, value }) => bucketsOf(name, labels, value));
      const get = async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: values() });
      const metric = new Histogram({ name, help, labelNames, registers: [] });
      registry.registerMetric(Object.assign(metric, { get, getForPromString: get }));
    },
  };
  add(kinds);
  return {
    registry,
    aggregate: (all: readonly (readonly object[])[]) => AggregatorRegistry.aggregate(all.map((values) => [...values])),
  };
}

/** Returns the samples of a histogram in the text format: the cumulative count for each bound, the total count and the sum. */
function bucketsOf(name: string, labels: Labels, { bounds, counts, count, sum }: HistogramView) {
  const upTo = (le: string, value: number) => ({ metricName: `${name}_bucket`, labels: { ...labels, le }, value });
  return [
    ...bounds.map((bound, index) => upTo(`${bound}`, counts[index] ?? 0)),
    upTo('+Inf', count),
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

const recordingStates = ['STARTING', 'STANDBY', 'RECORDING', 'PAUSED', 'STOPPED'] as const;

/** Returns a sample for each member of an object, whose name is the value of a label. */
function byLabel<T extends Readonly<Record<keyof T, number>>>(label: string, values: T): Samples {
  return Object.entries<number>(values).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

function addArchiveMetrics({ gauge }: Kinds, { reader, recording }: Archive): void {
  /** The last numbers that were read. Each reading of the metrics reads them again for the next one. */
  let last: ArchiveStats | undefined;
  const ofStats = (count: 'proposals' | 'votes' | 'sizeBytes' | 'auditFailures' | 'unexplained') => () => {
    reader.stats().then(
      (stats) => {
        last = stats;
      },
      () => undefined,
    );
    return last?.[count];
  };
  gauge('stele_archive_state{state}', '1 for the current state of the recording, 0 for the others.', () =>
    recordingStates.map((state) => ({ labels: { state }, value: recording.status().state === state ? 1 : 0 })),
  );
  gauge('stele_archive_height', 'Newest recorded block.', () => reader.coverage().ranges.at(-1)?.to);
  gauge('stele_archive_lag_blocks', 'Blocks between the newest recorded one and the newest one.', () => recording.lag());
  gauge('stele_archive_ranges', 'Ranges of blocks that are recorded without a gap.', () => reader.coverage().ranges.length);
  gauge(
    'stele_archive_backfill_blocks_per_second',
    'Older blocks recorded per second; 0 while none are filled in.',
    () => recording.backfill()?.blocksPerSecond ?? 0,
  );
  gauge(
    'stele_archive_backfill_seconds_left',
    'Estimated time until older blocks are filled in.',
    () => recording.backfill()?.secondsLeft ?? undefined,
  );
  gauge('stele_archive_proposals', 'Recorded proposals.', ofStats('proposals'));
  gauge('stele_archive_votes', 'Recorded votes.', ofStats('votes'));
  gauge('stele_archive_bytes', 'Size of the archive on disk.', ofStats('sizeBytes'));
  gauge(
    'stele_archive_audit_failures',
    'Proposals whose tally, computed from the recorded votes, differs from that of the chain.',
    ofStats('auditFailures'),
  );
  gauge(
    'stele_archive_unexplained',
    'Proposals and votes that events name and neither a message nor the state explains.',
    ofStats('unexplained'),
  );
}

function addWebhookMetrics({ counter, gauge, histogram }: Kinds, stats: () => WebhookStats): void {
  gauge('stele_webhooks_delivering', '1 if this process delivers the webhooks of its archive, else 0.', () =>
    stats().isDelivering ? 1 : 0,
  );
  gauge('stele_webhooks', 'Webhooks that this process delivers.', () => stats().active);
  gauge('stele_webhooks_failing', 'Webhooks whose last try failed.', () => stats().failing);
  gauge('stele_webhooks_lag_blocks', 'The most blocks that a webhook is behind the newest block.', () => stats().lag);
  gauge('stele_webhooks_waiting', 'Deliveries that wait for a connection.', () => stats().connections.waiting);
  counter('stele_webhook_tries_total{outcome}', 'Tries of deliveries.', () =>
    Object.entries(stats().tries).map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
  histogram('stele_webhook_duration_seconds', 'Duration of tries of deliveries.', () => [{ value: stats().duration }]);
}

/** The sources of the metrics. They are called when the metrics are read. */
export interface MetricSources {
  readonly client: Client;
  readonly requests: () => RequestCounts;
  readonly subscriptions: () => StreamStats;
  readonly nodeEvents: () => Readonly<Record<'subscribers' | 'queries' | 'evaluations' | 'tooSlow', number>>;
  readonly answers: () => readonly AnswerCounts[];
  readonly sockets: () => number;
  /** Statistics of authentication. undefined if no tokens are required. */
  readonly auth: (() => AuthStats) | undefined;
  readonly archive: Archive | undefined;
  /** The delivery of webhooks; undefined if there is none. */
  readonly webhooks: (() => WebhookStats) | undefined;
  /** What several processes share. undefined if this is the only one. */
  readonly shared: SharedStore | undefined;
  readonly faults: () => FaultCounts;
  readonly droppedLines: (() => number) | undefined;
  /** What has become of the spans of traces. undefined if traces are off. */
  readonly spans: (() => SpanCounts) | undefined;
  readonly version: string;
  /** Whether this process is a worker, whose primary counts the calls to nodes and the archive. */
  readonly isWorker: boolean;
}

const answerSources = ['carried', 'kept', 'executed', 'uncacheable'] as const;

function addAnswerMetrics(
  { counter, gauge }: Kinds,
  { client: { roots }, answers }: Pick<MetricSources, 'client' | 'answers'>,
): void {
  counter(
    'stele_answers_total{surface,source}',
    'Answers by source: carried from another height, kept from an earlier request, executed, or executed and uncacheable.',
    () =>
      answers().flatMap((counts) =>
        answerSources.map((source) => ({ labels: { surface: counts.surface, source }, value: counts[source] })),
      ),
  );
  counter('stele_reads_saved_total{surface}', 'Reads of the state that carried answers saved.', () =>
    answers().map(({ surface, readsSaved }) => ({ labels: { surface }, value: readsSaved })),
  );
  counter('stele_root_heights_total{result}', 'Heights by result of reading the roots of their stores.', () => {
    const { learnt, failed, refuted } = roots.stats();
    return byLabel('result', { learnt, failed, refuted });
  });
  counter('stele_root_proofs_total', 'Proofs of roots requested from nodes.', () => roots.stats().requests);
  counter('stele_root_changes_total{store}', 'Changes of the root of a store from one height to the next.', () =>
    [...roots.stats().changes].map(([store, value]) => ({ labels: { store }, value })),
  );
  gauge(
    'stele_followed_reads',
    'Reads that are followed from block to block by ranges of keys.',
    () => roots.keptReads()?.reads ?? 0,
  );
  counter(
    'stele_range_walks_total',
    'Blocks after which the followed ranges were compared.',
    () => roots.keptReads()?.walks ?? 0,
  );
  counter(
    'stele_range_proofs_total',
    'Proofs of keys that were requested from nodes to follow ranges.',
    () => roots.keptReads()?.proofs ?? 0,
  );
  counter('stele_ranges_total{result}', 'Ranges that were compared at a changed root, by result.', () => {
    const { compared = 0, changed = 0 } = roots.keptReads() ?? {};
    return byLabel('result', { unchanged: compared - changed, changed });
  });
}

function addMemoryMetrics({ counter, gauge }: Kinds, { client: { memory } }: Pick<MetricSources, 'client'>): void {
  const ofCaches = (name: 'bytes' | 'entries' | 'hits' | 'misses' | 'evictions') => () =>
    memory.stats().map((stats) => ({ labels: { share: stats.share, cache: stats.cache }, value: stats[name] }));
  gauge('stele_cache_budget_bytes', 'Memory budget of all caches together (cache.bytes).', () => memory.bytes);
  gauge('stele_cache_share_bytes{share}', 'Memory budget of the caches of a share together.', () =>
    memoryShares.map((share) => ({ labels: { share }, value: memory.share(share) })),
  );
  gauge('stele_cache_bytes{share,cache}', 'Estimated memory use of a cache.', ofCaches('bytes'));
  gauge('stele_cache_entries{share,cache}', 'Entries of a cache.', ofCaches('entries'));
  counter('stele_cache_hits_total{share,cache}', 'Cache lookups that found a value.', ofCaches('hits'));
  counter('stele_cache_misses_total{share,cache}', 'Cache lookups that found no value.', ofCaches('misses'));
  counter('stele_cache_evictions_total{share,cache}', 'Entries evicted from a cache to free memory.', ofCaches('evictions'));
}

function addStreamMetrics({ counter, gauge }: Kinds, { client, subscriptions, nodeEvents, sockets }: MetricSources): void {
  const ofStreams = (name: 'subscribers' | 'topics' | 'sources' | 'executions' | 'tooSlow') => () => subscriptions()[name];
  const ofLive = (name: 'topics' | 'listeners' | 'executions' | 'unchanged') => () => subscriptions().live[name];
  const ofQueue = (name: 'events' | 'bytes' | 'most') => () => subscriptions().queued[name];
  const ofRpc = (name: keyof ReturnType<typeof nodeEvents>) => () => nodeEvents()[name];
  gauge('stele_subscribers', 'Active subscriptions.', ofStreams('subscribers'));
  gauge('stele_subscription_topics', 'Distinct active subscriptions.', ofStreams('topics'));
  gauge('stele_subscription_sources', 'Streams that feed subscriptions.', ofStreams('sources'));
  gauge('stele_block_readers', 'Active readers of the block log.', () => client.blocks.stats().readers);
  counter('stele_subscription_executions_total', 'Events executed for subscriptions.', ofStreams('executions'));
  gauge('stele_live_queries', 'Distinct active live queries.', ofLive('topics'));
  gauge('stele_live_query_listeners', 'Active live queries.', ofLive('listeners'));
  counter('stele_live_query_executions_total', 'Executions of live queries.', ofLive('executions'));
  counter(
    'stele_live_query_unchanged_total',
    'Blocks at which a live query was not executed, because the roots of its stores had not changed.',
    ofLive('unchanged'),
  );
  gauge('stele_queue_events', 'Events queued for slow subscribers.', ofQueue('events'));
  gauge(
    'stele_queue_bytes',
    'Bytes of the events queued for slow subscribers, counted once for each subscriber.',
    ofQueue('bytes'),
  );
  gauge('stele_queue_events_max', 'Events queued for the slowest subscriber.', ofQueue('most'));
  counter('stele_slow_consumers_total', 'Subscriptions ended because the client read too slowly.', ofStreams('tooSlow'));
  gauge('stele_rpc_subscribers', 'Active subscriptions on sockets of the node RPC.', ofRpc('subscribers'));
  gauge('stele_rpc_queries', 'Distinct queries of subscriptions on sockets of the node RPC.', ofRpc('queries'));
  counter('stele_rpc_evaluations_total', 'Evaluations of a node RPC subscription query on a block.', ofRpc('evaluations'));
  counter(
    'stele_rpc_slow_consumers_total',
    'Subscriptions on sockets of the node RPC ended because the client read too slowly.',
    ofRpc('tooSlow'),
  );
  gauge(
    'stele_live_subscriptions',
    'Upstream subscriptions to events that are not part of blocks.',
    () => client.live.stats().running,
  );
  gauge('stele_websockets', 'Open WebSockets.', () => sockets());
}

const healths: readonly NodeHealth[] = ['HEALTHY', 'LAGGING', 'DOWN', 'EJECTED', 'WRONG_CHAIN'];

function addUpstreamMetrics({ counter, gauge, histogram }: Kinds, { client }: Pick<MetricSources, 'client'>): void {
  const { head, blocks, broadcaster } = client;
  histogram('stele_upstream_call_seconds{node,method,outcome}', 'Duration of calls to nodes.', () =>
    client.calls().map(({ node, method, outcome, times }) => ({ labels: { node, method, outcome }, value: times })),
  );
  gauge('stele_node_health{node,health}', '1 for the current health of a node, 0 for the others.', () =>
    client
      .nodes()
      .flatMap((node) =>
        healths.map((health) => ({ labels: { node: node.alias, health }, value: health === node.health ? 1 : 0 })),
      ),
  );
  const ofNodes = (name: 'height' | 'lag' | 'consecutiveFailures' | 'contradictions' | 'differences') => () =>
    client.nodes().flatMap(({ alias, [name]: value }) => (value === undefined ? [] : [{ labels: { node: alias }, value }]));
  gauge('stele_node_height{node}', 'Newest block height of a node.', ofNodes('height'));
  gauge('stele_node_lag_blocks{node}', 'Number of blocks that a node is behind the highest node.', ofNodes('lag'));
  gauge(
    'stele_node_consecutive_failures{node}',
    'Failures of a node since its last successful response.',
    ofNodes('consecutiveFailures'),
  );
  counter(
    'stele_node_contradictions_total{node}',
    'Times that a node returned a different block than other nodes at the same height.',
    ofNodes('contradictions'),
  );
  counter('stele_node_differences_total{node}', 'Answers of a node that other nodes gave differently.', ofNodes('differences'));
  counter('stele_quorum_calls_total{outcome}', 'Calls that several nodes had to agree on, by outcome.', () =>
    byLabel('outcome', client.quorums() ?? {}),
  );
  counter(
    'stele_hedged_calls_total{outcome}',
    'Calls that were made on a second node because the first was slow, by the node that answered first, or not made because there were too many.',
    () => byLabel('outcome', client.hedges() ?? {}),
  );
  counter('stele_simulations_total{outcome}', 'Simulations of transactions by outcome.', () =>
    byLabel('outcome', client.simulations()?.outcomes ?? {}),
  );
  gauge('stele_simulation_paused{node}', '1 for a node that did not end a simulation and is left alone.', () =>
    (client.simulations()?.paused ?? []).map((node) => ({ labels: { node }, value: 1 })),
  );
  gauge('stele_head_height', 'Newest block height.', () => head.current()?.height);
  gauge('stele_block_age_seconds', 'Time since the newest block was received.', () => client.sinceBlock() / 1000);
  gauge('stele_chain_stalled', '1 while the chain is stalled.', () => (head.isStalled() ? 1 : 0));
  gauge('stele_head_subscribed', '1 while a subscription to new blocks is active.', () => (head.stats().isSubscribed ? 1 : 0));
  counter('stele_head_subscriptions_total', 'Subscriptions to new blocks started.', () => head.stats().subscriptions);
  counter('stele_duplicate_blocks_total', 'Blocks received more than once and dropped.', () => head.stats().duplicates);
  counter('stele_skipped_heights_total', 'Heights that the subscriptions to new blocks skipped.', () => head.stats().skipped);
  counter(
    'stele_verified_blocks_total',
    'Newest blocks whose signatures were verified.',
    () => client.verification?.status().verified,
  );
  counter('stele_refused_blocks_total{node}', 'Blocks of a node that did not verify.', () =>
    [...(client.verification?.status().refused ?? [])].map(([node, value]) => ({ labels: { node }, value })),
  );
  counter('stele_refuted_answers_total{node}', 'Answers of a node about the state that its proof refutes.', () =>
    [...(client.verification?.status().refuted ?? [])].map(([node, value]) => ({ labels: { node }, value })),
  );
  counter('stele_reads_total{level}', 'Reads of the state with --verify reads: PROVEN, or why a node is believed.', () =>
    [...(client.levels() ?? [])].map(([level, value]) => ({ labels: { level }, value })),
  );
  counter('stele_proof_requests_total', 'Proofs of keys that were requested from nodes.', () => client.proofs?.stats().proofs);
  gauge(
    'stele_verified_power_ratio',
    'Share of the voting power whose signatures of the newest verified block were verified.',
    () => {
      const block = client.verification?.status().newest;
      return block && Number((block.signedPower * 10_000n) / block.totalPower) / 10_000;
    },
  );
  gauge('stele_chain_conflict', '1 if the validators have signed two different blocks.', () =>
    client.verification?.status().state === 'CONFLICT' ? 1 : 0,
  );
  counter('stele_head_rewinds_total{kind}', 'Times that the newest block was withdrawn, by kind.', () =>
    byLabel('kind', head.stats().rewinds),
  );
  counter(
    'stele_gap_fills_total',
    'Blocks read by height because no subscription delivered them: gaps and past blocks.',
    () => blocks.stats().filled,
  );
  counter('stele_rebroadcast_total{reason}', 'Transactions sent again, by reason.', () =>
    byLabel('reason', broadcaster.rebroadcasts()),
  );
}

/** What a primary process counts itself. Its workers count everything else. */
export interface PrimarySources
  extends Pick<MetricSources, 'client' | 'archive' | 'faults' | 'droppedLines' | 'spans' | 'version'> {
  readonly workers: () => { readonly listening: number; readonly restarts: number };
}

/** Adds every metric of a server in one process, or those of a worker. */
export function addMetrics(kinds: Kinds, sources: MetricSources): void {
  if (!sources.isWorker) addUpstreamMetrics(kinds, sources);
  if (!sources.isWorker && sources.archive !== undefined) addArchiveMetrics(kinds, sources.archive);
  if (sources.webhooks !== undefined) addWebhookMetrics(kinds, sources.webhooks);
  addRequestMetrics(kinds, sources);
  addStreamMetrics(kinds, sources);
  addAnswerMetrics(kinds, sources);
  addMemoryMetrics(kinds, sources);
  if (sources.shared !== undefined) addSharedMetrics(kinds, sources.shared);
  addServerMetrics(kinds, sources);
}

export function addPrimaryMetrics(kinds: Kinds, sources: PrimarySources): void {
  const { workers, archive } = sources;
  addUpstreamMetrics(kinds, sources);
  if (archive !== undefined) addArchiveMetrics(kinds, archive);
  addMemoryMetrics(kinds, sources);
  addServerMetrics(kinds, { ...sources, auth: undefined });
  kinds.gauge('stele_workers', 'Worker processes that take requests.', () => workers().listening);
  kinds.counter('stele_worker_restarts_total', 'Worker processes that ended and were started again.', () => workers().restarts);
}

function addSharedMetrics({ counter, gauge }: Kinds, { stats }: SharedStore): void {
  gauge('stele_shared_usable', '1 while the shared store is used, 0 while this process goes on without it.', () =>
    stats().isUsable ? 1 : 0,
  );
  counter(
    'stele_shared_calls_total{outcome}',
    'Calls to the shared store by outcome. Calls are skipped while the store is not used.',
    () => byLabel('outcome', stats().calls),
  );
  counter('stele_shared_reads_total{result}', 'Reads of the state that were looked up in the shared store.', () => [
    { labels: { result: 'found' }, value: stats().hits },
    { labels: { result: 'absent' }, value: stats().misses },
  ]);
  counter('stele_shared_losses_total', 'How often the shared store could not be used any more.', () => stats().losses);
}

function addRequestMetrics({ counter, histogram }: Kinds, { requests }: MetricSources): void {
  counter('stele_requests_total{surface,code}', 'Completed requests by surface and by the code of the first error.', () =>
    requests().codes.map(({ surface, code, count }) => ({ labels: { surface, code }, value: count })),
  );
  histogram('stele_request_seconds{surface}', 'Duration of requests. For streams, until the end of the stream.', () =>
    requests().surfaces.map(({ surface, times }) => ({ labels: { surface }, value: times })),
  );
  counter('stele_request_cost_total{surface}', 'Points charged for requests.', () =>
    requests().surfaces.map(({ surface, cost }) => ({ labels: { surface }, value: cost })),
  );
}

function addServerMetrics(
  { counter, gauge }: Kinds,
  sources: Pick<MetricSources, 'auth' | 'faults' | 'droppedLines' | 'spans' | 'version'>,
): void {
  const { auth, faults, droppedLines, spans, version } = sources;
  if (auth !== undefined) {
    gauge('stele_token_keys', 'Keys that verify tokens.', () => auth().keys.keys);
    gauge('stele_token_keys_age_seconds', 'Time since the keys were last loaded or confirmed.', () => {
      const { age } = auth().keys;
      return age && age / 1000;
    });
    gauge('stele_token_keys_stale', '1 while the keys cannot be loaded from the issuer and cached keys are used.', () =>
      auth().keys.stale ? 1 : 0,
    );
    counter('stele_token_keys_fetches_total', 'Fetches of the keys.', () => auth().keys.fetches);
    counter('stele_token_verifications_total', 'Token signatures checked.', () => auth().verifications);
    counter('stele_token_refusals_total{reason}', 'Requests and sockets refused by authentication, by reason.', () =>
      byLabel('reason', auth().refusals),
    );
  }
  counter('stele_faults_total{kind}', 'Exceptions and rejections that failed no request, by where they were caught.', () =>
    byLabel('kind', faults()),
  );
  counter('stele_log_lines_dropped_total', 'Log lines dropped because stdout was blocked.', () => droppedLines?.() ?? 0);
  if (spans !== undefined) {
    counter('stele_spans_total{outcome}', 'Spans of traces by outcome. Spans are dropped if too many wait to be sent.', () =>
      byLabel('outcome', spans()),
    );
  }
  const schema = createHash('sha256').update(schemaText()).digest('hex').slice(0, 16);
  gauge('stele_build_info{version,schema}', 'Version of the server and hash of its schema.', () => [
    { labels: { version, schema }, value: 1 },
  ]);
}
