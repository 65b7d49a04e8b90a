import { createHash } from 'node:crypto';
import type { Client } from '../../chain/client.ts';
import { type CacheStats, memoryShares } from '../../chain/memory/memoryBudget.ts';
import type { HistogramView } from '../../chain/transports/histogram.ts';
import type { NodeHealth, NodeView } from '../../chain/transports/nodeViews.ts';
import { schemaText } from '../../graphql/schema.ts';
import type { SubscriptionStats } from '../../graphql/subscriptions/subscriptions.ts';
import type { FaultCounts } from './faults.ts';
import type { RequestCounts } from './requestStats.ts';
import type { AuthStats, NodeEventStats } from './stats.ts';

/** What metrics are read from, when they are read. Each of these costs nothing while nobody asks. */
export interface MetricSources {
  readonly client: Client;
  readonly requests: () => RequestCounts;
  readonly subscriptions: () => SubscriptionStats;
  /** Of the subscriptions on sockets of the node RPC. */
  readonly nodeEvents: () => NodeEventStats;
  /** WebSockets that are open. */
  readonly sockets: () => number;
  /** Of tokens; undefined where none are asked for. */
  readonly auth: (() => AuthStats) | undefined;
  /** Faults that no request answers for. */
  readonly faults: () => FaultCounts;
  /** Lines that the log has dropped. */
  readonly droppedLines: (() => number) | undefined;
  readonly version: string;
}

/** Labels of a value. Each has few values that can be: none is what a caller may make up. */
export type Labels = Readonly<Record<string, string>>;

/** What a metric is now. */
export type Samples<T = number> = readonly { readonly labels?: Labels; readonly value: T }[];

/** Adds a metric: its name, what it is, the names of its labels, and what gives its values when they are read. */
export type Add<T = number> = (name: string, help: string, labels: string, read: () => Samples<T>) => void;

/** Adds metrics of each kind. */
export interface Kinds {
  readonly counter: Add;
  readonly gauge: Add;
  readonly histogram: Add<HistogramView>;
}

/** Adds every metric. */
export function addMetrics(kinds: Kinds, sources: MetricSources): void {
  addRequestMetrics(kinds, sources);
  addUpstreamMetrics(kinds, sources);
  addStreamMetrics(kinds, sources);
  addMemoryMetrics(kinds, sources);
  addServerMetrics(kinds, sources);
}

function addRequestMetrics({ counter, histogram }: Pick<Kinds, 'counter' | 'histogram'>, { requests }: MetricSources): void {
  counter(
    'stele_requests_total',
    'Requests that are over, by what was asked and the code of the first error.',
    'surface code',
    () => requests().codes.map(({ surface, code, count }) => ({ labels: { surface, code }, value: count })),
  );
  histogram('stele_request_seconds', 'Time of requests; of streams, to their end.', 'surface', () =>
    requests().surfaces.map(({ surface, times }) => ({ labels: { surface }, value: times })),
  );
  counter('stele_request_cost_total', 'Points that operations were charged.', 'surface', () =>
    requests().surfaces.map(({ surface, cost }) => ({ labels: { surface }, value: cost })),
  );
}

const healths: readonly NodeHealth[] = ['HEALTHY', 'LAGGING', 'DOWN', 'EJECTED', 'WRONG_CHAIN'];

function addUpstreamMetrics({ counter, gauge, histogram }: Kinds, { client }: MetricSources): void {
  const { head, blocks, broadcaster } = client;
  histogram('stele_upstream_call_seconds', 'Calls to nodes and their time.', 'node method outcome', () =>
    client.calls().map(({ node, method, outcome, times }) => ({ labels: { node, method, outcome }, value: times })),
  );
  gauge('stele_node_health', '1 for the health that a node has, 0 for every other.', 'node health', () =>
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
    'Newest block of a node.',
    'node',
    ofNodes(({ height }) => height),
  );
  gauge(
    'stele_node_lag_blocks',
    'Blocks that a node is behind the best one.',
    'node',
    ofNodes(({ lag }) => lag),
  );
  gauge(
    'stele_node_consecutive_failures',
    'Failures of a node since its last good answer.',
    'node',
    ofNodes(({ consecutiveFailures }) => consecutiveFailures),
  );
  counter('stele_node_contradictions_total', 'Times that a node held another block than others at a height.', 'node', () =>
    client.nodes().map(({ alias, contradictions }) => ({ labels: { node: alias }, value: contradictions })),
  );
  gauge('stele_head_height', 'Newest block seen.', '', () =>
    [head.current()].flatMap((block) => (block === undefined ? [] : [{ value: Number(block.height) }])),
  );
  gauge('stele_block_age_seconds', 'Time since the newest block was seen.', '', () => [{ value: client.sinceBlock() / 1000 }]);
  gauge('stele_chain_stalled', '1 while the chain stands still.', '', () => [{ value: head.isStalled() ? 1 : 0 }]);
  gauge('stele_head_subscribed', '1 while a subscription to new blocks runs.', '', () => [
    { value: head.stats().isSubscribed ? 1 : 0 },
  ]);
  counter('stele_head_subscriptions_total', 'Subscriptions to new blocks that were begun.', '', () => [
    { value: head.stats().subscriptions },
  ]);
  counter('stele_duplicate_blocks_total', 'Blocks that were told again, and dropped.', '', () => [
    { value: head.stats().duplicates },
  ]);
  counter('stele_skipped_heights_total', 'Heights whose block no subscription told of.', '', () => [
    { value: head.stats().skipped },
  ]);
  counter('stele_head_rewinds_total', 'Times that the newest block was given up, by kind.', 'kind', () =>
    Object.entries(head.stats().rewinds).map(([kind, value]) => ({ labels: { kind }, value })),
  );
  counter(
    'stele_gap_fills_total',
    'Blocks read by height because no subscription told of them: gaps, and the past.',
    '',
    () => [{ value: blocks.stats().filled }],
  );
  counter('stele_rebroadcast_total', 'Transactions sent once more, by reason.', 'reason', () =>
    Object.entries(broadcaster.rebroadcasts()).map(([reason, value]) => ({ labels: { reason }, value })),
  );
}

function addStreamMetrics(
  { counter, gauge }: Pick<Kinds, 'counter' | 'gauge'>,
  { client, subscriptions, nodeEvents, sockets }: MetricSources,
): void {
  gauge('stele_subscribers', 'Subscriptions that run.', '', () => [{ value: subscriptions().subscribers }]);
  gauge('stele_subscription_topics', 'Subscriptions that differ.', '', () => [{ value: subscriptions().topics }]);
  gauge('stele_subscription_sources', 'Streams that subscriptions are read from.', '', () => [
    { value: subscriptions().sources },
  ]);
  gauge('stele_block_readers', 'Readers of the block log.', '', () => [{ value: client.blocks.stats().readers }]);
  counter('stele_subscription_executions_total', 'Events executed for subscriptions.', '', () => [
    { value: subscriptions().executions },
  ]);
  gauge('stele_queue_events', 'Events that wait for subscribers who read slowly.', '', () => [
    { value: subscriptions().queued.events },
  ]);
  gauge('stele_queue_bytes', 'Bytes of these events, each counted for everyone who waits for it.', '', () => [
    { value: subscriptions().queued.bytes },
  ]);
  gauge('stele_queue_events_max', 'Events that wait for the slowest subscriber.', '', () => [
    { value: subscriptions().queued.most },
  ]);
  counter('stele_slow_consumers_total', 'Subscriptions ended because they did not keep up.', '', () => [
    { value: subscriptions().tooSlow },
  ]);
  gauge('stele_rpc_subscribers', 'Subscriptions on sockets of the node RPC.', '', () => [{ value: nodeEvents().subscribers }]);
  gauge('stele_rpc_queries', 'Queries of these that differ.', '', () => [{ value: nodeEvents().queries }]);
  counter('stele_rpc_evaluations_total', 'Such queries evaluated on a block.', '', () => [{ value: nodeEvents().evaluations }]);
  counter('stele_rpc_slow_consumers_total', 'Such subscriptions ended because they did not keep up.', '', () => [
    { value: nodeEvents().tooSlow },
  ]);
  gauge('stele_live_subscriptions', 'Upstream subscriptions to kinds of events that no block carries.', '', () => [
    { value: client.live.stats().running },
  ]);
  gauge('stele_websockets', 'WebSockets that are open.', '', () => [{ value: sockets() }]);
}

function addMemoryMetrics(
  { counter, gauge }: Pick<Kinds, 'counter' | 'gauge'>,
  { client: { memory } }: Pick<MetricSources, 'client'>,
): void {
  const ofCaches = (read: (stats: CacheStats) => number) => () =>
    memory.stats().map((stats) => ({ labels: { share: stats.share, cache: stats.cache }, value: read(stats) }));
  gauge('stele_cache_budget_bytes', 'Memory that all caches may use together (cache.bytes).', '', () => [
    { value: memory.bytes },
  ]);
  gauge('stele_cache_share_bytes', 'Memory that the caches of a share may use together.', 'share', () =>
    memoryShares.map((share) => ({ labels: { share }, value: memory.share(share) })),
  );
  gauge(
    'stele_cache_bytes',
    'Memory that a cache uses, as estimated.',
    'share cache',
    ofCaches(({ bytes }) => bytes),
  );
  gauge(
    'stele_cache_entries',
    'Values in a cache.',
    'share cache',
    ofCaches(({ entries }) => entries),
  );
  counter(
    'stele_cache_hits_total',
    'Values that were found in a cache.',
    'share cache',
    ofCaches(({ hits }) => hits),
  );
  counter(
    'stele_cache_misses_total',
    'Values that were not found in a cache.',
    'share cache',
    ofCaches(({ misses }) => misses),
  );
  counter(
    'stele_cache_evictions_total',
    'Values that were removed from a cache to make room.',
    'share cache',
    ofCaches(({ evictions }) => evictions),
  );
}

function addServerMetrics({ counter, gauge }: Pick<Kinds, 'counter' | 'gauge'>, sources: MetricSources): void {
  const { auth, faults, droppedLines, version } = sources;
  if (auth !== undefined) {
    gauge('stele_token_keys', 'Keys that tokens are checked with.', '', () => [{ value: auth().keys.keys }]);
    gauge('stele_token_keys_age_seconds', 'Time since these were last known to be current.', '', () => {
      const { age } = auth().keys;
      return age === undefined ? [] : [{ value: age / 1000 }];
    });
    gauge('stele_token_keys_stale', '1 while the issuer does not give its keys, and older ones go on.', '', () => [
      { value: auth().keys.stale ? 1 : 0 },
    ]);
    counter('stele_token_keys_fetches_total', 'Times that the keys were fetched.', '', () => [{ value: auth().keys.fetches }]);
    counter('stele_token_verifications_total', 'Signatures of tokens checked.', '', () => [{ value: auth().verifications }]);
    counter('stele_token_refusals_total', 'Requests and sockets that were not let in.', 'reason', () =>
      Object.entries(auth().refusals).map(([reason, value]) => ({ labels: { reason }, value })),
    );
  }
  counter(
    'stele_faults_total',
    'Exceptions and rejections that no request answers for, by where they were caught.',
    'kind',
    () => Object.entries(faults()).map(([kind, value]) => ({ labels: { kind }, value })),
  );
  counter('stele_log_lines_dropped_total', 'Lines of the log that nobody read.', '', () => [{ value: droppedLines?.() ?? 0 }]);
  const schema = createHash('sha256').update(schemaText()).digest('hex').slice(0, 16);
  gauge('stele_build_info', 'What runs: its version, and the hash of its schema.', 'version schema', () => [
    { labels: { version, schema }, value: 1 },
  ]);
}
