import type { NodeView } from '../chain/transports/transport.ts';
import type { Log, NodeState } from '../server/observability/log.ts';

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
  const begun = performance.now();
  const reported = new Map<string, NodeState>();
  const check = (): void => {
    for (const node of nodes()) {
      const { alias, lastErrorCode } = node;
      const state = stateOf(node, performance.now() - begun);
      if (state === undefined || state === (reported.get(alias) ?? 'ANSWERS')) continue;
      reported.set(alias, state);
      log.node({ node: alias, host: hosts.get(alias), state, code: state === 'ANSWERS' ? undefined : lastErrorCode });
    }
  };
  const timer = setInterval(check, checkInterval);
  return () => clearInterval(timer);
}
