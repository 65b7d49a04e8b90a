import { ChainError, type ChainErrorCode, inconsistent, isChainError } from '../base/errors.ts';
import { monotonicNow } from '../base/waiting.ts';
import { decodeNewBlock, decodeStatus, type HeadBlock, type NodeStatus, type Rewind } from '../wire/block.ts';
import type { JsonObject } from '../wire/json.ts';
import { createAgreement, createBlockVotes, type Relation } from './agreement.ts';
import { healthOf, type NodeState, penaltyOf, recordLatency, viewOf } from './nodeState.ts';
import type { NodeView } from './transport.ts';

/** Chooses the next node by the recorded state. Makes no calls. */
interface NodeChoice {
  /** The best node that was not tried yet; undefined if no remaining node can serve the call. */
  choose(height: bigint | undefined, needsIndex: boolean, tried?: ReadonlySet<NodeState>): NodeState | undefined;
  /** All nodes of the chain, the best for a call without a height first, ejected ones last. */
  ranked(): readonly NodeState[];
  /**
   * The node for the next subscription: the best one. Among equals, the one that was chosen longest ago, so that a retry goes
   * to another node.
   */
  chooseForSubscription(): NodeState | undefined;
}

/** Makes the choice among these nodes. */
function createNodeChoice(nodes: readonly NodeState[]): NodeChoice {
  let subscriptions = 0;

  function choose(height: bigint | undefined, needsIndex: boolean, tried?: ReadonlySet<NodeState>): NodeState | undefined {
    const now = monotonicNow();
    let best: NodeState | undefined;
    let bestRank = Number.POSITIVE_INFINITY;
    for (const node of nodes) {
      const rank = tried?.has(node) ? undefined : penaltyOf(node, now, height, needsIndex);
      if (rank === undefined || rank >= bestRank) continue;
      best = node;
      bestRank = rank;
    }
    return best ?? lastResort(now, tried);
  }

  function ranked(): readonly NodeState[] {
    const now = monotonicNow();
    const rank = (node: NodeState): number => penaltyOf(node, now, undefined, false) ?? Number.MAX_VALUE;
    return nodes.filter((node) => !node.wrongChain).toSorted((a, b) => rank(a) - rank(b));
  }

  /** An ejected node that responds again. Before any was tried: the node with the greatest height. */
  function lastResort(now: number, tried: ReadonlySet<NodeState> | undefined): NodeState | undefined {
    const left = nodes.filter((node) => !node.wrongChain && !node.contradicts && !tried?.has(node));
    if (tried !== undefined && tried.size > 0) {
      return left.find((node) => healthOf(node, now) === 'EJECTED' && node.consecutiveFailures === 0);
    }
    return left.reduce<NodeState | undefined>((best, node) => (best && best.height >= node.height ? best : node), undefined);
  }

  function chooseForSubscription(): NodeState | undefined {
    const now = monotonicNow();
    const rank = (node: NodeState): number => penaltyOf(node, now, undefined, false) ?? Number.POSITIVE_INFINITY;
    const fit = nodes.filter((node) => rank(node) < Number.POSITIVE_INFINITY);
    const chosen =
      fit.sort((a, b) => rank(a) - rank(b) || a.lastSubscription - b.lastSubscription)[0] ?? lastResort(now, undefined);
    if (chosen !== undefined) chosen.lastSubscription = ++subscriptions;
    return chosen;
  }

  return { choose, ranked, chooseForSubscription };
}

/**
 * Error codes after which another node is tried, the most specific first. If all nodes fail, the most specific error is
 * reported.
 */
export const failoverCodes: readonly ChainErrorCode[] = [
  'HEIGHT_PRUNED',
  'HEIGHT_NOT_YET_AVAILABLE',
  'INDEX_UNAVAILABLE',
  'NODE_INCONSISTENT',
  'NODE_INVALID_RESPONSE',
  'NODE_TIMEOUT',
  'NODE_UNREACHABLE',
];

/** Counts the outcomes of calls, and ejects a node after too many failures in a row. */
interface NodeFailures {
  /** Records a response of the node, and that the node has `height` if given. */
  succeeded(node: NodeState, height?: bigint): void;
  /** Counts an error if it is the node's fault. */
  failed(node: NodeState, error: unknown): void;
  /** Ejects a node that does not answer for this long, in ms, unless no other is left. */
  eject(node: NodeState, milliseconds: number): void;
}

/** Options of {@link createNodeFailures}. */
interface NodeFailuresOptions {
  /** Base time of an ejection, in ms. */
  readonly ejection: number;
  /** The newest accepted height. */
  readonly highest: () => bigint;
  /** Aborted when the pool closes. Later failures do not count. */
  readonly signal: AbortSignal;
}

/** Makes the counters. */
function createNodeFailures(nodes: readonly NodeState[], { ejection, highest, signal }: NodeFailuresOptions): NodeFailures {
  function succeeded(node: NodeState, height = 0n): void {
    const reached = height < highest() ? height : highest();
    if (reached > node.height) node.height = reached;
    node.consecutiveFailures = 0;
    node.lastError = undefined;
    if (monotonicNow() > node.ejectedUntil + 10 * ejection) node.ejections = 0;
  }

  function isLast(node: NodeState, now: number): boolean {
    return nodes.every((other) => other === node || other.wrongChain || other.contradicts || other.ejectedUntil > now);
  }

  function eject(node: NodeState, milliseconds: number): void {
    const now = monotonicNow();
    if (signal.aborted || isLast(node, now)) return;
    node.lastErrorCode = 'NODE_TIMEOUT';
    node.ejectedUntil = Math.max(node.ejectedUntil, now + milliseconds);
  }

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

  return { succeeded, failed, eject };
}

/** After the first node has responded, the first call waits this long, in ms, for the others, to find nodes that lag. */
const startGrace = 250;

/** A dispute ends when no node has renewed it for this many blocks. */
const disputeLifetime = 16n;

/** Options of {@link createNodePool}; see `FallbackOptions`. */
interface NodePoolOptions {
  readonly chainId: string | undefined;
  readonly probeInterval: number;
  readonly ejection: number;
}

/** The state of all nodes of a chain, and the choice of the next node. */
export interface NodePool extends NodeChoice, NodeFailures {
  /**
   * Resolves when the first nodes have responded or failed and their claims are verified; undefined after that. Calls wait for
   * it.
   */
  starting(): Promise<void> | undefined;
  /** Resolves when a node can be chosen for a subscription. With a single node, its claim need not be verified yet. */
  answered(): Promise<void>;
  /** Reads a node's status, one call at a time. Never rejects. */
  probe(node: NodeState): Promise<void>;
  /** Starts a round of `status` calls if the last one is old enough. */
  keepProbing(): void;
  /** Records the status of a node. Throws if it belongs to another chain. */
  recordStatus(node: NodeState, status: NodeStatus): void;
  /**
   * Records the block of a NewBlock event and returns its relation to the accepted chain; undefined for an event of another
   * kind. Throws if the block belongs to another chain.
   */
  recordEvent(node: NodeState, event: JsonObject): { readonly block: HeadBlock; readonly relation: Relation } | undefined;
  /** Verifies a block that a node reported. Resolves with whether it is accepted. Never rejects. */
  settle(node: NodeState, block: HeadBlock): Promise<boolean>;
  /** Calls `listener` when the newest accepted block was replaced. Returns a function that removes the listener. */
  onRewind(listener: (rewind: Rewind) => void): () => void;
  /** The height of the newest accepted block; 0 before the first. */
  highest(): bigint;
  /** Whether the height is accepted, even if some nodes do not have it yet. */
  isKnown(height: bigint): boolean;
  /** The error of a node that belongs to another chain. */
  wrongChain(node: NodeState): ChainError;
  views(): readonly NodeView[];
  /** Ends the rounds of `status`. */
  close(): void;
}

/** Makes the pool and starts the first round of `status`. */
export function createNodePool(nodes: readonly NodeState[], options: NodePoolOptions): NodePool {
  const { probeInterval, ejection } = options;
  const closing = new AbortController();
  const listeners = new Set<(rewind: Rewind) => void>();
  let votes = createBlockVotes<NodeState>();
  let chainId = options.chainId;
  let closed = false;
  let lastRound = 0;

  const { choose, ranked, chooseForSubscription } = createNodeChoice(nodes);
  const { succeeded, failed, eject } = createNodeFailures(nodes, { ejection, highest, signal: closing.signal });

  const agreement = createAgreement({
    nodes,
    refreshStatus: () => Promise.all(nodes.filter((node) => !node.wrongChain).map((node) => probe(node))),
    onRewind(rewind) {
      votes = createBlockVotes();
      for (const node of nodes) Object.assign(node, { contradicts: false, dispute: undefined, disputedAt: 0n, prunedAt: 0n });
      for (const listener of listeners) listener(rewind);
    },
    signal: closing.signal,
  });

  function recordStatus(node: NodeState, status: NodeStatus): void {
    node.status = status;
    checkChain(node, status.newest.chainId);
    chainId = status.newest.chainId;
    node.responds = true;
    node.returns = false;
    recordBlock(node, status.newest);
  }

  function recordBlock(node: NodeState, block: HeadBlock): Relation {
    // A chain without blocks makes no claim.
    if (block.height === 0n) return 'KNOWN';
    const relation = agreement.recordClaim(node, block);
    compareBlocks(node, block);
    return relation;
  }

  /** Compares the block of a node with the blocks of other nodes at its height. */
  function compareBlocks(node: NodeState, { height, hash }: HeadBlock): void {
    // No node has renewed the dispute.
    if (height > node.disputedAt + disputeLifetime) node.dispute = undefined;
    const { agreed, contradicting, disputing } = votes.cast(node, height, hash);
    for (const each of agreed) Object.assign(each, { contradicts: false, dispute: undefined });
    for (const each of contradicting) Object.assign(each, { contradicts: true, dispute: undefined });
    for (const each of disputing) {
      each.dispute ??= inconsistent(height);
      each.disputedAt = height;
    }
    for (const each of [...contradicting, ...disputing]) {
      each.contradictions += 1;
      each.lastErrorCode = 'NODE_INCONSISTENT';
    }
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
    const newest = agreement.newest();
    if (status === undefined || newest === undefined || unproven !== undefined || opposes !== undefined) return undefined;
    return status.newest.height > newest.height ? newest : status.newest;
  }

  /** Computes the lag of nodes that responded in one round. Responses of different rounds cannot be compared. */
  function compare(round: readonly NodeState[]): void {
    let best: HeadBlock | undefined;
    for (const node of round) {
      const own = acceptedStatus(node);
      if (own !== undefined && (best === undefined || own.height > best.height)) best = own;
    }
    for (const node of round) {
      const own = acceptedStatus(node);
      if (best === undefined || own === undefined) continue;
      node.lag = best.height - own.height;
      // One block is not a lag, however long the block took.
      node.timeLag = node.lag <= 1n ? 0 : Date.parse(best.time) - Date.parse(own.time);
    }
  }

  /** `round` collects the nodes that have responded. */
  function probe(node: NodeState, round: NodeState[] = []): Promise<void> {
    node.probe ??= (async () => {
      const startedAt = performance.now();
      try {
        recordStatus(node, await node.transport.call('status', {}, { decode: decodeStatus }));
        recordLatency(node, performance.now() - startedAt);
        round.push(node);
        if (round.length > 1) compare(round);
        succeeded(node);
      } catch (error) {
        failed(node, error);
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

  function keepProbing(): void {
    if (!closed && monotonicNow() - lastRound >= probeInterval) probeAll();
  }

  function highest(): bigint {
    return agreement.newest()?.height ?? 0n;
  }

  function recordEvent(
    node: NodeState,
    event: JsonObject,
  ): { readonly block: HeadBlock; readonly relation: Relation } | undefined {
    const block = decodeNewBlock(event);
    if (block === undefined) return undefined;
    checkChain(node, block.chainId);
    const relation = recordBlock(node, block);
    keepProbing();
    return { block, relation };
  }

  const answered = firstProbes(probeAll(), nodes);
  let starting: Promise<void> | undefined = answered.then(agreement.settleAll).then(() => {
    compare(nodes.filter(({ responds }) => responds));
    starting = undefined;
  });

  return {
    starting: () => starting,
    // With several nodes, the choice depends on their heights, which are known after the claims are verified.
    answered: () => (nodes.length === 1 ? answered : (starting ?? answered)),
    probe: (node) => probe(node),
    keepProbing,
    recordStatus,
    recordEvent,
    settle: agreement.settle,
    onRewind(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    succeeded,
    failed,
    eject,
    choose,
    ranked,
    chooseForSubscription,
    highest,
    isKnown: (height) => height <= highest(),
    wrongChain,
    views() {
      keepProbing();
      const now = monotonicNow();
      const next = choose(undefined, false);
      const best = highest();
      return nodes.map((node) => viewOf(node, now, node === next, best));
    },
    close() {
      closed = true;
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
