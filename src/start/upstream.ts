import { type FallbackTransport, fallback } from '../chain/transports/fallback.ts';
import { http } from '../chain/transports/http.ts';
import type { Limits } from '../config/limits/limits.ts';

/** How much longer a node may wait for a commit than Stele does, in ms. */
const commitSlack = 2_000;

const aliasOf = (index: number): string => `node-${index + 1}`;

/** Returns the host and port of each node by its alias, without the path and the credentials of its URL. */
export function nodeHosts(nodes: readonly string[]): ReadonlyMap<string, string> {
  return new Map(nodes.map((node, index) => [aliasOf(index), new URL(node).host]));
}

/**
 * Creates the transport to the nodes at these URLs, with the timeouts of `limits`. The aliases are `node-1`, `node-2` and so
 * on, in their order.
 */
export function createUpstream(options: {
  readonly nodes: readonly string[];
  /** The required chain id. If undefined, it is that of the first node that responds. */
  readonly chainId?: string | undefined;
  readonly limits: Limits;
}): FallbackTransport {
  const { nodes, chainId, limits } = options;
  const perNode = {
    timeout: limits['upstream.attempt'],
    connectTimeout: limits['upstream.connect'],
    maxAnswerBytes: limits['upstream.answer'],
    batchSize: limits['upstream.batch'],
    commitTimeout: limits['broadcast.wait'] + commitSlack,
  };
  return fallback(
    nodes.map((node, index) => http(node, { alias: aliasOf(index), ...perNode })),
    {
      ejection: limits['upstream.ejection'],
      failures: limits['upstream.failures'],
      lagBlocks: limits['upstream.lagBlocks'],
      lagTime: limits['upstream.lagTime'],
      downBlocks: limits['upstream.downBlocks'],
      retries: limits['upstream.retries'],
      backoff: limits['upstream.retryWait'],
      retryBudget: limits['upstream.retryBudget'],
      ...(chainId !== undefined && { chainId }),
    },
  );
}
