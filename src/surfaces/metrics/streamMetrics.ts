import type { Kinds } from './metricKinds.ts';
import type { MetricSources } from './metricSources.ts';

/** Adds the metrics of subscriptions, of live queries and of WebSockets. */
export function addStreamMetrics(
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
