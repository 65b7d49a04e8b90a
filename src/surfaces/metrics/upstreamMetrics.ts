import type { NodeHealth, NodeView } from '../../chain/transports/transport.ts';
import type { Kinds } from './metricKinds.ts';
import type { MetricSources } from './metricSources.ts';

const healths: readonly NodeHealth[] = ['HEALTHY', 'LAGGING', 'DOWN', 'EJECTED', 'WRONG_CHAIN'];

/** Adds the metrics of the nodes, of the newest block, and of the transactions that are sent to nodes. */
export function addUpstreamMetrics({ counter, gauge, histogram }: Kinds, { client }: Pick<MetricSources, 'client'>): void {
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
