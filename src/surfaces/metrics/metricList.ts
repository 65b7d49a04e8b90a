import { createHash } from 'node:crypto';
import type { AnswerCounts } from '../../answers/answerCache.ts';
import type { Archive } from '../../archive/setup/archive.ts';
import type { ArchiveStats } from '../../archive/store/reader.ts';
import type { Client } from '../../chain/client.ts';
import { type CacheStats, memoryShares } from '../../chain/memory/memoryBudget.ts';
import type { NodeHealth, NodeView } from '../../chain/transports/transport.ts';
import type { StreamStats } from '../../graphql/live/liveQueries.ts';
import { schemaText } from '../../graphql/schema.ts';
import type { AuthStats } from '../../server/auth/auth.ts';
import type { FaultCounts } from '../../server/observability/faults.ts';
import type { SpanCounts } from '../../server/observability/openTelemetry.ts';
import type { RequestCounts } from '../../server/observability/requestLog.ts';
import type { SharedStore } from '../../shared/sharedStore.ts';
import type { NodeEventStats } from '../nodeRpc/nodeEvents.ts';
import type { Kinds } from './metrics.ts';

const recordingStates = ['STARTING', 'STANDBY', 'RECORDING', 'PAUSED', 'STOPPED'] as const;

/** Adds the metrics of the archive. */
function addArchiveMetrics({ gauge }: Pick<Kinds, 'gauge'>, { reader, recording }: Archive): void {
  /** The last numbers that were read. Each reading of the metrics reads them again for the next one. */
  let last: ArchiveStats | undefined;
  const ofStats = (name: string, help: string, read: (stats: ArchiveStats) => bigint): void =>
    gauge(name, help, '', () => {
      reader.stats().then(
        (stats) => {
          last = stats;
        },
        () => undefined,
      );
      return last === undefined ? [] : [{ value: Number(read(last)) }];
    });
  gauge('stele_archive_state', '1 for the current state of the recording, 0 for the others.', 'state', () =>
    recordingStates.map((state) => ({ labels: { state }, value: recording.status().state === state ? 1 : 0 })),
  );
  gauge('stele_archive_height', 'Newest recorded block.', '', () =>
    [reader.coverage().ranges.at(-1)].flatMap((range) => (range === undefined ? [] : [{ value: Number(range.to) }])),
  );
  gauge('stele_archive_lag_blocks', 'Blocks between the newest recorded one and the newest one.', '', () => [
    { value: Number(recording.lag()) },
  ]);
  gauge('stele_archive_ranges', 'Ranges of blocks that are recorded without a gap.', '', () => [
    { value: reader.coverage().ranges.length },
  ]);
  gauge('stele_archive_backfill_blocks_per_second', 'Older blocks recorded per second; 0 while none are filled in.', '', () => [
    { value: recording.backfill()?.blocksPerSecond ?? 0 },
  ]);
  gauge('stele_archive_backfill_seconds_left', 'Estimated time until older blocks are filled in.', '', () =>
    [recording.backfill()?.secondsLeft].flatMap((left) => (left == null ? [] : [{ value: Number(left) }])),
  );
  ofStats('stele_archive_proposals', 'Recorded proposals.', ({ proposals }) => proposals);
  ofStats('stele_archive_votes', 'Recorded votes.', ({ votes }) => votes);
  ofStats('stele_archive_bytes', 'Size of the archive on disk.', ({ sizeBytes }) => sizeBytes);
  ofStats(
    'stele_archive_audit_failures',
    'Proposals whose tally, computed from the recorded votes, differs from that of the chain.',
    ({ auditFailures }) => auditFailures,
  );
  ofStats(
    'stele_archive_unexplained',
    'Proposals and votes that events name and neither a message nor the state explains.',
    ({ unexplained }) => unexplained,
  );
}

/** The sources of the metrics. They are called when the metrics are read. */
export interface MetricSources {
  readonly client: Client;
  readonly requests: () => RequestCounts;
  readonly subscriptions: () => StreamStats;
  /** Statistics of the subscriptions on sockets of the node RPC. */
  readonly nodeEvents: () => NodeEventStats;
  /** Counters of the cached answers of each surface. */
  readonly answers: () => readonly AnswerCounts[];
  /** Number of open WebSockets. */
  readonly sockets: () => number;
  /** Statistics of authentication. undefined if no tokens are required. */
  readonly auth: (() => AuthStats) | undefined;
  /** The archive. undefined if nothing is recorded. */
  readonly archive: Archive | undefined;
  /** What several processes share. undefined if this is the only one. */
  readonly shared: SharedStore | undefined;
  /** Number of faults that failed no request. */
  readonly faults: () => FaultCounts;
  /** Number of dropped log lines. */
  readonly droppedLines: (() => number) | undefined;
  /** What has become of the spans of traces. undefined if traces are off. */
  readonly spans: (() => SpanCounts) | undefined;
  readonly version: string;
  /** Whether this process is a worker, whose primary counts the calls to nodes and the archive. */
  readonly isWorker: boolean;
}

const answerSources = ['carried', 'kept', 'executed', 'uncacheable'] as const;

/** Adds the metrics of cached answers, and of the roots that they are cached by. */
function addAnswerMetrics(
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
function addMemoryMetrics(
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

/** Adds the metrics of subscriptions, of live queries and of WebSockets. */
function addStreamMetrics(
  { counter, gauge }: Pick<Kinds, 'counter' | 'gauge'>,
  { client, subscriptions, nodeEvents, sockets }: MetricSources,
): void {
  gauge('stele_subscribers', 'Active subscriptions.', '', () => [{ value: subscriptions().subscribers }]);
  gauge('stele_subscription_topics', 'Distinct active subscriptions.', '', () => [{ value: subscriptions().topics }]);
  gauge('stele_subscription_sources', 'Streams that feed subscriptions.', '', () => [{ value: subscriptions().sources }]);
  gauge('stele_block_readers', 'Active readers of the block log.', '', () => [{ value: client.blocks.stats().readers }]);
  counter('stele_subscription_executions_total', 'Events executed for subscriptions.', '', () => [
    { value: subscriptions().executions },
  ]);
  gauge('stele_live_queries', 'Distinct active live queries.', '', () => [{ value: subscriptions().live.topics }]);
  gauge('stele_live_query_listeners', 'Active live queries.', '', () => [{ value: subscriptions().live.listeners }]);
  counter('stele_live_query_executions_total', 'Executions of live queries.', '', () => [
    { value: subscriptions().live.executions },
  ]);
  counter(
    'stele_live_query_unchanged_total',
    'Blocks at which a live query was not executed, because the roots of its stores had not changed.',
    '',
    () => [{ value: subscriptions().live.unchanged }],
  );
  gauge('stele_queue_events', 'Events queued for slow subscribers.', '', () => [{ value: subscriptions().queued.events }]);
  gauge('stele_queue_bytes', 'Bytes of the events queued for slow subscribers, counted once for each subscriber.', '', () => [
    { value: subscriptions().queued.bytes },
  ]);
  gauge('stele_queue_events_max', 'Events queued for the slowest subscriber.', '', () => [
    { value: subscriptions().queued.most },
  ]);
  counter('stele_slow_consumers_total', 'Subscriptions ended because the client read too slowly.', '', () => [
    { value: subscriptions().tooSlow },
  ]);
  gauge('stele_rpc_subscribers', 'Active subscriptions on sockets of the node RPC.', '', () => [
    { value: nodeEvents().subscribers },
  ]);
  gauge('stele_rpc_queries', 'Distinct queries of subscriptions on sockets of the node RPC.', '', () => [
    { value: nodeEvents().queries },
  ]);
  counter('stele_rpc_evaluations_total', 'Evaluations of a node RPC subscription query on a block.', '', () => [
    { value: nodeEvents().evaluations },
  ]);
  counter(
    'stele_rpc_slow_consumers_total',
    'Subscriptions on sockets of the node RPC ended because the client read too slowly.',
    '',
    () => [{ value: nodeEvents().tooSlow }],
  );
  gauge('stele_live_subscriptions', 'Upstream subscriptions to events that are not part of blocks.', '', () => [
    { value: client.live.stats().running },
  ]);
  gauge('stele_websockets', 'Open WebSockets.', '', () => [{ value: sockets() }]);
}

const healths: readonly NodeHealth[] = ['HEALTHY', 'LAGGING', 'DOWN', 'EJECTED', 'WRONG_CHAIN'];

/** Adds the metrics of the nodes, of the newest block, and of the transactions that are sent to nodes. */
function addUpstreamMetrics({ counter, gauge, histogram }: Kinds, { client }: Pick<MetricSources, 'client'>): void {
  const { head, blocks, broadcaster } = client;
  histogram('stele_upstream_call_seconds', 'Duration of calls to nodes.', 'node method outcome', () =>
    client.calls().map(({ node, method, outcome, times }) => ({ labels: { node, method, outcome }, value: times })),
  );
  gauge('stele_node_health', '1 for the current health of a node, 0 for the others.', 'node health', () =>
    client
      .nodes()
      .flatMap(({ alias, health: own }) =>
        healths.map((health) => ({ labels: { node: alias, health }, value: health === own ? 1 : 0 })),
      ),
  );
  const ofNodes = (read: (node: NodeView) => bigint | number | undefined) => () =>
    client.nodes().flatMap((node) => {
      const value = read(node);
      return value === undefined ? [] : [{ labels: { node: node.alias }, value: Number(value) }];
    });
  gauge(
    'stele_node_height',
    'Newest block height of a node.',
    'node',
    ofNodes(({ height }) => height),
  );
  gauge(
    'stele_node_lag_blocks',
    'Number of blocks that a node is behind the highest node.',
    'node',
    ofNodes(({ lag }) => lag),
  );
  gauge(
    'stele_node_consecutive_failures',
    'Failures of a node since its last successful response.',
    'node',
    ofNodes(({ consecutiveFailures }) => consecutiveFailures),
  );
  counter(
    'stele_node_contradictions_total',
    'Times that a node returned a different block than other nodes at the same height.',
    'node',
    () => client.nodes().map(({ alias, contradictions }) => ({ labels: { node: alias }, value: contradictions })),
  );
  counter('stele_simulations_total', 'Simulations of transactions by outcome.', 'outcome', () =>
    Object.entries(client.simulations()?.outcomes ?? {}).map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
  gauge('stele_simulation_paused', '1 for a node that did not end a simulation and is left alone.', 'node', () =>
    (client.simulations()?.paused ?? []).map((node) => ({ labels: { node }, value: 1 })),
  );
  gauge('stele_head_height', 'Newest block height.', '', () =>
    [head.current()].flatMap((block) => (block === undefined ? [] : [{ value: Number(block.height) }])),
  );
  gauge('stele_block_age_seconds', 'Time since the newest block was received.', '', () => [
    { value: client.sinceBlock() / 1000 },
  ]);
  gauge('stele_chain_stalled', '1 while the chain is stalled.', '', () => [{ value: head.isStalled() ? 1 : 0 }]);
  gauge('stele_head_subscribed', '1 while a subscription to new blocks is active.', '', () => [
    { value: head.stats().isSubscribed ? 1 : 0 },
  ]);
  counter('stele_head_subscriptions_total', 'Subscriptions to new blocks started.', '', () => [
    { value: head.stats().subscriptions },
  ]);
  counter('stele_duplicate_blocks_total', 'Blocks received more than once and dropped.', '', () => [
    { value: head.stats().duplicates },
  ]);
  counter('stele_skipped_heights_total', 'Heights that the subscriptions to new blocks skipped.', '', () => [
    { value: head.stats().skipped },
  ]);
  counter('stele_head_rewinds_total', 'Times that the newest block was withdrawn, by kind.', 'kind', () =>
    Object.entries(head.stats().rewinds).map(([kind, value]) => ({ labels: { kind }, value })),
  );
  counter(
    'stele_gap_fills_total',
    'Blocks read by height because no subscription delivered them: gaps and past blocks.',
    '',
    () => [{ value: blocks.stats().filled }],
  );
  counter('stele_rebroadcast_total', 'Transactions sent again, by reason.', 'reason', () =>
    Object.entries(broadcaster.rebroadcasts()).map(([reason, value]) => ({ labels: { reason }, value })),
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
