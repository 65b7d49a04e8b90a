import { ChainError, type ChainErrorCode, isChainError } from '../base/errors.ts';
import { monotonicNow } from '../base/time.ts';
import { decodeNewBlock, decodeStatus, type HeadBlock, type NodeStatus, type Rewind } from '../wire/block.ts';
import type { JsonObject } from '../wire/json.ts';
import { createAgreement, type Relation } from './agreement.ts';
import type { MethodClass } from './callTimes.ts';
import { healthOf, isSlow, latencyWindow, type NodeState, penaltyOf, trialInterval, viewOf } from './nodeState.ts';
import type { NodeView } from './transport.ts';

/** Chooses the next node by the recorded state. Makes no calls. */
function createNodeChoice(nodes: readonly NodeState[]) {
  let subscriptions = 0;

  /**
   * The best node that was not tried yet; undefined if no remaining node can serve the call. With the class of a read, a node that is slow for it comes after its equals, except
   * for one call now and then.
   */
  function choose(
    height: bigint | undefined,
    needsIndex: boolean,
    tried?: ReadonlyMap<NodeState, unknown>,
    kind?: MethodClass,
  ): NodeState | undefined {
    const now = monotonicNow();
    let best: NodeState | undefined;
    let bestRank = Number.POSITIVE_INFINITY;
    for (const node of nodes) {
      const rank = tried?.has(node) ? undefined : penaltyOf(node, now, height, needsIndex);
      if (rank === undefined || rank >= bestRank) continue;
      const slowRank = kind !== undefined && isLeftOut(node, kind, now) ? rank + 1 : rank;
      if (slowRank >= bestRank) continue;
      best = node;
      bestRank = slowRank;
    }
    const times = kind === undefined ? undefined : best?.times.get(kind);
    if (best !== undefined && times !== undefined && times.nextTrial <= now) times.nextTrial = now + trialInterval;
    return best ?? lastResort(now, tried);
  }

  /** Whether a slow node is not tried for a call of this class now. */
  function isLeftOut(node: NodeState, kind: MethodClass, now: number): boolean {
    const times = node.times.get(kind);
    return times !== undefined && times.nextTrial > now && isSlow(node, nodes, kind, now);
  }

  /** All nodes of the chain, the best for a call without a height first, ejected ones last. */
  function ranked(): readonly NodeState[] {
    const now = monotonicNow();
    const rank = (node: NodeState): number => penaltyOf(node, now, undefined, false) ?? Number.MAX_VALUE;
    return nodes.filter((node) => !node.wrongChain).toSorted((a, b) => rank(a) - rank(b));
  }

  /** An ejected node that responds again. Before any was tried: the node with the greatest height. */
  function lastResort(now: number, tried: ReadonlyMap<NodeState, unknown> | undefined): NodeState | undefined {
    const candidates = nodes.filter(
      (node) => !node.wrongChain && !node.contradicts && node.asideUntil <= now && !tried?.has(node),
    );
    if (tried !== undefined && tried.size > 0) {
      return candidates.find((node) => healthOf(node, now) === 'EJECTED' && node.consecutiveFailures === 0);
    }
    return candidates.reduce<NodeState | undefined>(
      (best, node) => (best && best.height >= node.height ? best : node),
      undefined,
    );
  }

  /** The node for the next subscription: the best one. Among equals, the one that was chosen longest ago, so that a retry goes to another node. */
  function chooseForSubscription(): NodeState | undefined {
    const now = monotonicNow();
    const rank = (node: NodeState): number => penaltyOf(node, now, undefined, false) ?? Number.POSITIVE_INFINITY;
    const usable = nodes.filter((node) => rank(node) < Number.POSITIVE_INFINITY);
    const chosen =
      usable.sort((a, b) => rank(a) - rank(b) || a.lastSubscription - b.lastSubscription)[0] ?? lastResort(now, undefined);
    if (chosen !== undefined) chosen.lastSubscription = ++subscriptions;
    return chosen;
  }

  return { choose, ranked, chooseForSubscription };
}

/** Error codes after which another node is tried, the most specific first. If all nodes fail, the most specific error is reported. */
export const failoverCodes: readonly ChainErrorCode[] = [
  'HEIGHT_PRUNED',
  'HEIGHT_NOT_YET_AVAILABLE',
  'INDEX_UNAVAILABLE',
  'NODE_INCONSISTENT',
  'NODE_INVALID_RESPONSE',
  'NODE_TIMEOUT',
  'NODE_UNREACHABLE',
];

/**
 * Counts the outcomes of calls, and ejects a node after too many failures in a row. `ejection` is the first time of an ejection in ms. After `signal` is aborted, failures do not count.
 */
function createNodeFailures(
  nodes: readonly NodeState[],
  ejection: number,
  chain: { readonly newest: HeadBlock | undefined },
  signal: AbortSignal,
) {
  /** Records a response of the node, its time in ms unless it is no measure of the node, and that the node has `height` if given. */
  function succeeded(node: NodeState, time: number | undefined, height = 0n): void {
    if (time !== undefined) {
      // A plain mean at first, then a moving one.
      node.responses = Math.min(node.responses + 1, latencyWindow);
      node.latency = (node.latency ?? 0) + (time - (node.latency ?? 0)) / node.responses;
    }
    const highest = chain.newest?.height ?? 0n;
    const reached = height < highest ? height : highest;
    if (reached > node.height) node.height = reached;
    node.consecutiveFailures = 0;
    node.lastError = undefined;
    if (monotonicNow() > Math.max(node.ejectedUntil, node.asideUntil) + 10 * ejection) node.ejections = 0;
  }

  function isLast(node: NodeState, now: number): boolean {
    return nodes.every(
      (other) => other === node || other.wrongChain || other.contradicts || other.ejectedUntil > now || other.asideUntil > now,
    );
  }

  /** Ejects a node that does not answer for this long, in ms, unless no other is left. */
  function eject(node: NodeState, milliseconds: number): void {
    const now = monotonicNow();
    if (signal.aborted || isLast(node, now)) return;
    node.lastErrorCode = 'NODE_TIMEOUT';
    node.ejectedUntil = Math.max(node.ejectedUntil, now + milliseconds);
  }

  /** Counts an error if it is the node's fault. */
  function failed(node: NodeState, error: unknown): void {
    if (isChainError(error, 'HEIGHT_PRUNED') && error.facts.height > node.prunedAt) node.prunedAt = error.facts.height;
    const isOfNode = isChainError(error) && failoverCodes.indexOf(error.code) > failoverCodes.indexOf('INDEX_UNAVAILABLE');
    if (!isOfNode || error === node.lastError || signal.aborted) return;
    const now = monotonicNow();
    if (isChainError(error, 'NODE_TIMEOUT') || isChainError(error, 'NODE_UNREACHABLE')) node.responds = false;
    if (isChainError(error, 'NODE_UNREACHABLE') && error.facts.sent === false) node.returns = true;
    node.lastError = error;
    node.lastErrorCode = error.code;
    if (isChainError(error, 'NODE_UNREACHABLE') && error.facts.retryAfter !== undefined) {
      node.pausedUntil = now + error.facts.retryAfter;
      return;
    }
    node.consecutiveFailures += 1;
    if (node.consecutiveFailures < node.bounds.failures || node.ejectedUntil > now || isLast(node, now)) return;
    node.ejections = Math.min(node.ejections + 1, 10);
    node.ejectedUntil = now + ejection * node.ejections;
  }

  /** Counts an answer that others gave differently. With `isOutvoted`, the node is put aside like after too many failures. */
  function differs(node: NodeState, isOutvoted: boolean): void {
    node.differences += 1;
    node.lastErrorCode = 'NODE_INCONSISTENT';
    if (!isOutvoted || signal.aborted) return;
    node.ejections = Math.min(node.ejections + 1, 10);
    node.asideUntil = monotonicNow() + ejection * node.ejections;
  }

  return { succeeded, failed, eject, differs };
}

/** After the first node has responded, the first call waits this long, in ms, for the others, to find nodes that lag. */
const startGrace = 250;

export type NodePool = ReturnType<typeof createNodePool>;

/** The state of all nodes of a chain, and the choice of the next node. It starts the first round of `status`. */
export function createNodePool(
  nodes: readonly NodeState[],
  {
    probeInterval,
    ejection,
    ...options
  }: { readonly chainId?: string; readonly probeInterval: number; readonly ejection: number },
) {
  const closing = new AbortController();
  const listeners = new Set<(rewind: Rewind) => void>();
  let chainId = options.chainId;
  let lastRound = 0;

  const agreement = createAgreement({
    nodes,
    refreshStatus: () => Promise.all(nodes.filter((node) => !node.wrongChain).map((node) => probe(node))),
    onRewind(rewind) {
      for (const listener of listeners) listener(rewind);
    },
    signal: closing.signal,
  });
  const { accepted } = agreement;
  const choice = createNodeChoice(nodes);
  const failures = createNodeFailures(nodes, ejection, accepted, closing.signal);

  /** Records the status of a node. Throws if it belongs to another chain. */
  function recordStatus(node: NodeState, status: NodeStatus): void {
    node.status = status;
    checkChain(node, status.newest.chainId);
    chainId = status.newest.chainId;
    node.responds = true;
    node.returns = false;
    agreement.recordBlock(node, status.newest);
  }

  function checkChain(node: NodeState, id: string): void {
    node.chainId = id;
    if (chainId === undefined || id === chainId) return;
    node.wrongChain = true;
    throw wrongChain(node);
  }

  function wrongChain(node: NodeState): ChainError {
    return new ChainError('NODE_INVALID_RESPONSE', `${node.alias} belongs to another chain than ${chainId}.`, {});
  }

  /** The block of a node's last `status`, limited to the newest accepted block; undefined if the node is refused. */
  function acceptedStatus({ status, unproven, opposes }: NodeState): HeadBlock | undefined {
    const { newest } = accepted;
    if (status === undefined || newest === undefined || unproven !== undefined || opposes !== undefined) return undefined;
    return status.newest.height > newest.height ? newest : status.newest;
  }

  /** Computes the lag of nodes that responded in one round. Responses of different rounds cannot be compared. */
  function compare(round: readonly NodeState[]): void {
    let best: HeadBlock | undefined;
    for (const node of round) {
      const block = acceptedStatus(node);
      if (block !== undefined && (best === undefined || block.height > best.height)) best = block;
    }
    for (const node of round) {
      const block = acceptedStatus(node);
      if (best === undefined || block === undefined) continue;
      node.lag = best.height - block.height;
      // One block is not a lag, however long the block took.
      node.timeLag = node.lag <= 1n ? 0 : Date.parse(best.time) - Date.parse(block.time);
    }
  }

  /** Reads a node's status, one call at a time. Never rejects. `round` collects the nodes that have responded. */
  function probe(node: NodeState, round: NodeState[] = []): Promise<void> {
    node.probe ??= (async () => {
      const startedAt = performance.now();
      try {
        recordStatus(node, await node.transport.call('status', {}, { decode: decodeStatus }));
        failures.succeeded(node, performance.now() - startedAt);
        round.push(node);
        if (round.length > 1) compare(round);
      } catch (error) {
        failures.failed(node, error);
      } finally {
        node.probe = undefined;
      }
    })();
    return node.probe;
  }

  function probeAll(): Promise<void>[] {
    lastRound = monotonicNow();
    const round: NodeState[] = [];
    const probes = nodes.filter((node) => !node.wrongChain).map((node) => probe(node, round));
    // After the round, the best of the responding nodes has no lag, even if it is alone.
    void Promise.all(probes)
      .then(agreement.settleAll)
      .then(() => compare(round));
    return probes;
  }

  /** Starts a round of `status` calls if the last one is old enough. */
  function keepProbing(): void {
    if (!closing.signal.aborted && monotonicNow() - lastRound >= probeInterval) probeAll();
  }

  /**
   * Records the block of a NewBlock event and returns its relation to the accepted chain; undefined for an event of another
   * kind. Throws if the block belongs to another chain.
   */
  function recordEvent(node: NodeState, event: JsonObject): { block: HeadBlock; relation: Relation } | undefined {
    const block = decodeNewBlock(event);
    if (block === undefined) return undefined;
    checkChain(node, block.chainId);
    const relation = agreement.recordBlock(node, block);
    keepProbing();
    return { block, relation };
  }

  const firstReplies = firstProbes(probeAll(), nodes);
  const started = firstReplies.then(agreement.settleAll).then(() => compare(nodes.filter(({ responds }) => responds)));

  return {
    ...choice,
    ...failures,
    accepted,
    /** Resolves when the first nodes have responded or failed and their claims are verified. Calls wait for it. */
    started,
    /** Resolves when a node can be chosen for a subscription. With several nodes, the choice depends on their verified heights. */
    answered: nodes.length === 1 ? firstReplies : started,
    probe: (node: NodeState) => probe(node),
    keepProbing,
    recordStatus,
    recordEvent,
    settle: agreement.settle,
    /** Calls `listener` when the newest accepted block was replaced. Returns a function that removes the listener. */
    onRewind(listener: (rewind: Rewind) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    wrongChain,
    views(): readonly NodeView[] {
      keepProbing();
      const now = monotonicNow();
      const next = choice.choose(undefined, false);
      const best = accepted.newest?.height ?? 0n;
      return nodes.map((node) => viewOf(node, now, node === next, best));
    },
    close(): void {
      closing.abort();
    },
  };
}

/** Resolves when every probe has ended, or shortly after the first successful one. */
function firstProbes(probes: readonly Promise<void>[], nodes: readonly NodeState[]): Promise<void> {
  return new Promise((resolve) => {
    let grace: NodeJS.Timeout | undefined;
    for (const [index, probe] of probes.entries()) {
      probe.then(() => {
        const node = nodes[index];
        if (node?.status !== undefined && !node.wrongChain) grace ??= setTimeout(resolve, startGrace);
      });
    }
    Promise.all(probes).then(() => {
      clearTimeout(grace);
      resolve();
    });
  });
}
