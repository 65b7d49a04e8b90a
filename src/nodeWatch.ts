import type { NodeView } from './chain/transports/nodeViews.ts';
import type { Log, NodeState } from './http/observability/log.ts';

/** Time between two looks at the nodes, ms. */
const lookInterval = 500;

/** A node that has neither answered nor failed this long after the start is reported, ms. Less than two seconds, with a look in between. */
const startPatience = 1_250;

/** What to report of a node; undefined while it is neither. */
function stateOf(node: NodeView, sinceStart: number): NodeState | undefined {
  const { health, latency, consecutiveFailures } = node;
  if (health === 'WRONG_CHAIN') return 'WRONG_CHAIN';
  const hasAnswered = latency !== undefined;
  if (hasAnswered && consecutiveFailures === 0) return 'ANSWERS';
  // One failure of a node that has answered before may be one call's; the pool decides when it is down.
  if (hasAnswered) return health === 'DOWN' || health === 'EJECTED' ? 'UNREACHABLE' : undefined;
  return consecutiveFailures > 0 || sinceStart >= startPatience ? 'UNREACHABLE' : undefined;
}

/**
 * Logs each node that cannot be reached, within two seconds of this call where it never answered, and again when it answers. A node that
 * answers from the start is not logged. Looking at the nodes also keeps them probed. Returns the way to stop.
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
  const look = (): void => {
    for (const node of nodes()) {
      const { alias, lastErrorCode } = node;
      const state = stateOf(node, performance.now() - begun);
      if (state === undefined || state === (reported.get(alias) ?? 'ANSWERS')) continue;
      reported.set(alias, state);
      log.node({ node: alias, host: hosts.get(alias), state, code: state === 'ANSWERS' ? undefined : lastErrorCode });
    }
  };
  const timer = setInterval(look, lookInterval);
  return () => clearInterval(timer);
}
