import { pause } from '../chain/base/time.ts';
import type { Client } from '../chain/client.ts';
import { type FallbackTransport, fallback } from '../chain/transports/fallback.ts';
import { http } from '../chain/transports/http.ts';
import type { NodeView } from '../chain/transports/transport.ts';
import type { Limits } from '../config/limits/limits.ts';
import type { Log, NodeState } from '../server/observability/log.ts';
import type { SharedStore } from '../shared/sharedStore.ts';

/** How long a start waits for the shared store, in ms. Without it, the server starts and shares nothing until it responds. */
const startWait = 2_000;

/** Opens the store that replicas share. Its code is loaded only if it is used. `client` returns the client once it exists. */
export async function openShared(
  url: string,
  options: { readonly limits: Limits; readonly log: Pick<Log, 'shared'>; readonly client: () => Client | undefined },
): Promise<SharedStore> {
  const { limits, log, client } = options;
  const { openRedisStore } = await import('../shared/redisStore.ts');
  return openRedisStore({
    url,
    chainId: () => client()?.head.current()?.chainId,
    maxValue: limits['shared.value'],
    wait: limits['shared.wait'],
    onLost: log.shared,
    onBack: () => log.shared(undefined),
  });
}

/** Waits until a store can be used, for two seconds at most. Keys that are read after that are those of the other replicas. */
export async function untilUsable(store: SharedStore, client: Client): Promise<void> {
  await client.head.ready({ milliseconds: startWait }).catch(() => undefined);
  const end = performance.now() + startWait;
  while (!store.isUsable() && performance.now() < end) await pause(10);
}

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

/** Time between two checks of the nodes, in ms. */
const checkInterval = 500;

/**
 * Time after the start at which a node that has neither responded nor failed is reported, in ms. With one check interval, less
 * than two seconds.
 */
const startTimeout = 1_250;

/** Returns the state to report for a node. undefined while it is unknown. */
function stateOf(node: NodeView, sinceStart: number): NodeState | undefined {
  const { health, latency, consecutiveFailures } = node;
  if (health === 'WRONG_CHAIN') return 'WRONG_CHAIN';
  const hasAnswered = latency !== undefined;
  if (hasAnswered && consecutiveFailures === 0) return 'ANSWERS';
  // A single failure may be that of one call. The pool decides when a node that has responded before is down.
  if (hasAnswered) return health === 'DOWN' || health === 'EJECTED' ? 'UNREACHABLE' : undefined;
  return consecutiveFailures > 0 || sinceStart >= startTimeout ? 'UNREACHABLE' : undefined;
}

/**
 * Logs each node that becomes unreachable, and logs it again when it responds. A node that never responds is logged within two
 * seconds. A node that responds from the start is not logged. Reading the state of the nodes also makes the pool probe them.
 * Returns the function that stops the watch.
 */
export function watchNodes(options: {
  readonly nodes: () => readonly NodeView[];
  /** The host of each node by its alias, without credentials. */
  readonly hosts: ReadonlyMap<string, string>;
  readonly log: Pick<Log, 'node'>;
}): () => void {
  const { nodes, hosts, log } = options;
  const startedAt = performance.now();
  const reported = new Map<string, NodeState>();
  const check = (): void => {
    for (const node of nodes()) {
      const { alias, lastErrorCode } = node;
      const state = stateOf(node, performance.now() - startedAt);
      if (state === undefined || state === (reported.get(alias) ?? 'ANSWERS')) continue;
      reported.set(alias, state);
      log.node({ node: alias, host: hosts.get(alias), state, code: state === 'ANSWERS' ? undefined : lastErrorCode });
    }
  };
  const timer = setInterval(check, checkInterval);
  return () => clearInterval(timer);
}
