import { ChainError, type ChainErrorCode, inconsistent, isChainError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { decodeNewBlock, decodeStatus, type HeadBlock, type NodeStatus, type Rewind } from '../newestBlock.ts';
import { createAgreement } from './agreement.ts';
import { createBlockVotes } from './blockVotes.ts';
import type { Relation } from './chainTip.ts';
import { healthOf, type NodeState, type NodeView, tookTime, unfitness, viewOf } from './nodeState.ts';
import { steadyNow } from './waiting.ts';

/** Failures after which another node is asked, the most telling first: it is the one reported when all have failed. */
export const failsOver: readonly ChainErrorCode[] = [
  'HEIGHT_PRUNED',
  'HEIGHT_NOT_YET_AVAILABLE',
  'INDEX_UNAVAILABLE',
  'NODE_INCONSISTENT',
  'NODE_INVALID_RESPONSE',
  'NODE_TIMEOUT',
  'NODE_UNREACHABLE',
];

/** How long the first call waits for the other nodes once one has answered, so that a node behind is known as such. */
const startGrace = 250;

/** Blocks after which a dispute of nodes is forgotten that none of them has renewed. */
const disputedBlocks = 16n;

/** Options of {@link createNodePool}, those of `fallback`. */
export interface NodePoolOptions {
  readonly chainId: string | undefined;
  readonly probeInterval: number;
  readonly ejection: number;
}

/** The nodes of one chain: what is known of them, and which to ask. */
export interface NodePool {
  /** Resolves when the first nodes have answered or failed, and what they claim was checked; undefined afterwards. Until then no call is made. */
  starting(): Promise<void> | undefined;
  /** Resolves when a node can be chosen for a subscription: what the only node claims may not be checked yet. */
  answered(): Promise<void>;
  /** Asks a node for its status, once at a time; never rejects. */
  probe(node: NodeState): Promise<void>;
  /** Begins a round of `status` to every node when the last is old enough. */
  keepProbing(): void;
  /** Takes in a node's `status`; throws when it is of another chain. */
  learn(node: NodeState, status: NodeStatus): void;
  /**
   * Takes in the block of a NewBlock event, and how it relates to the believed chain; undefined for an event of another kind. Throws when
   * it is of another chain.
   */
  notice(node: NodeState, event: JsonObject): { readonly block: HeadBlock; readonly relation: Relation } | undefined;
  /** Checks a block that a node reported. Whether it is believed. Never rejects. */
  settle(node: NodeState, block: HeadBlock): Promise<boolean>;
  /** Calls `listener` when the newest believed block was given up. Returns the function that stops it. */
  onRewind(listener: (rewind: Rewind) => void): () => void;
  /** The node has answered, and so has `height` when one was asked for. */
  succeeded(node: NodeState, height?: bigint): void;
  /** Counts a failure against the node, when it is one of the node. */
  failed(node: NodeState, error: unknown): void;
  /** The fittest node not yet tried for a call; undefined when none is left that could answer it. */
  choose(height: bigint | undefined, needsIndex: boolean, tried?: ReadonlySet<NodeState>): NodeState | undefined;
  /** Every node of the chain, the fittest for a call of no particular height first; those set aside last. */
  ranked(): readonly NodeState[];
  /** The node for the next subscription: the fittest; of equals the one that has waited longest, so that a new try goes elsewhere. */
  chooseForSubscription(): NodeState | undefined;
  /** The height of the newest believed block; 0 before the first. */
  highest(): bigint;
  /** Whether a height that nodes lack is nevertheless there: it is believed. */
  isKnown(height: bigint): boolean;
  /** The failure of a node of another chain. */
  wrongChain(node: NodeState): ChainError;
  views(): readonly NodeView[];
  /** Ends the probing. */
  close(): void;
}

/** Makes the pool and begins the first round of probes. */
export function createNodePool(nodes: readonly NodeState[], options: NodePoolOptions): NodePool {
  const { probeInterval, ejection } = options;
  const closing = new AbortController();
  const listeners = new Set<(rewind: Rewind) => void>();
  let votes = createBlockVotes<NodeState>();
  let chainId = options.chainId;
  let closed = false;
  let lastRound = 0;
  let subscriptions = 0;

  const agreement = createAgreement({
    nodes,
    askAll: () => Promise.all(nodes.filter((node) => !node.wrongChain).map((node) => probe(node))),
    onRewind(rewind) {
      votes = createBlockVotes();
      for (const node of nodes) Object.assign(node, { contradicts: false, dispute: undefined, disputedAt: 0n, prunedAt: 0n });
      for (const listener of listeners) listener(rewind);
    },
    signal: closing.signal,
  });

  function learn(node: NodeState, status: NodeStatus): void {
    node.status = status;
    checkChain(node, status.newest.chainId);
    chainId = status.newest.chainId;
    node.responds = true;
    node.returns = false;
    saw(node, status.newest);
  }

  function saw(node: NodeState, block: HeadBlock): Relation {
    // A chain without a block claims nothing.
    if (block.height === 0n) return 'KNOWN';
    const relation = agreement.claim(node, block);
    sawBlock(node, block);
    return relation;
  }

  /** Compares the block of a node with what the others hold at its height. */
  function sawBlock(node: NodeState, { height, hash }: HeadBlock): void {
    // A dispute that no node has renewed for so long is over.
    if (height > node.disputedAt + disputedBlocks) node.dispute = undefined;
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
    return new ChainError('NODE_INVALID_RESPONSE', `${node.alias} is a node of another chain than ${chainId}.`, {});
  }

  /** What a node reported in its last `status`, as far as it is believed. */
  function believed({ status, unproven, opposes }: NodeState): HeadBlock | undefined {
    const newest = agreement.newest();
    if (status === undefined || newest === undefined || unproven !== undefined || opposes !== undefined) return undefined;
    return status.newest.height > newest.height ? newest : status.newest;
  }

  /** Compares the nodes that have answered in one round, because answers of different moments say nothing of lag. */
  function compare(round: readonly NodeState[]): void {
    let best: HeadBlock | undefined;
    for (const node of round) {
      const own = believed(node);
      if (own !== undefined && (best === undefined || own.height > best.height)) best = own;
    }
    for (const node of round) {
      const own = believed(node);
      if (best === undefined || own === undefined) continue;
      node.lag = best.height - own.height;
      // One block is no lag, however long the chain took for it.
      node.timeLag = node.lag <= 1n ? 0 : Date.parse(best.time) - Date.parse(own.time);
    }
  }

  /** `round` gathers the nodes that have answered. */
  function probe(node: NodeState, round: NodeState[] = []): Promise<void> {
    node.probe ??= (async () => {
      const begun = performance.now();
      try {
        learn(node, await node.transport.call('status', {}, { decode: decodeStatus }));
        tookTime(node, performance.now() - begun);
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
    lastRound = steadyNow();
    const round: NodeState[] = [];
    const probes = nodes.filter((node) => !node.wrongChain).map((node) => probe(node, round));
    // The best of those that answer is not behind, even when it is alone.
    void Promise.all(probes)
      .then(agreement.settleAll)
      .then(() => compare(round));
    return probes;
  }

  function keepProbing(): void {
    if (!closed && steadyNow() - lastRound >= probeInterval) probeAll();
  }

  function succeeded(node: NodeState, height = 0n): void {
    const reached = height < highest() ? height : highest();
    if (reached > node.height) node.height = reached;
    node.consecutiveFailures = 0;
    node.lastError = undefined;
    if (steadyNow() > node.ejectedUntil + 10 * ejection) node.ejections = 0;
  }

  function failed(node: NodeState, error: unknown): void {
    if (isChainError(error, 'HEIGHT_PRUNED') && error.facts.height > node.prunedAt) node.prunedAt = error.facts.height;
    const isOfNode = isChainError(error) && failsOver.indexOf(error.code) > failsOver.indexOf('INDEX_UNAVAILABLE');
    if (!isOfNode || error === node.lastError || closed) return;
    const now = steadyNow();
    if (isChainError(error, 'NODE_TIMEOUT') || isChainError(error, 'NODE_UNREACHABLE')) node.responds = false;
    if (isChainError(error, 'NODE_UNREACHABLE') && error.facts.sent === false) node.returns = true;
    node.lastError = error;
    node.lastErrorCode = error.code;
    if (isChainError(error, 'NODE_UNREACHABLE') && error.facts.retryAfter !== undefined) {
      node.pausedUntil = now + error.facts.retryAfter;
      return;
    }
    node.consecutiveFailures += 1;
    const isLast = nodes.every((other) => other === node || other.wrongChain || other.contradicts || other.ejectedUntil > now);
    if (node.consecutiveFailures < node.bounds.failures || node.ejectedUntil > now || isLast) return;
    node.ejections = Math.min(node.ejections + 1, 10);
    node.ejectedUntil = now + ejection * node.ejections;
  }

  function choose(height: bigint | undefined, needsIndex: boolean, tried?: ReadonlySet<NodeState>): NodeState | undefined {
    const now = steadyNow();
    let best: NodeState | undefined;
    let bestRank = Number.POSITIVE_INFINITY;
    for (const node of nodes) {
      const rank = tried?.has(node) ? undefined : unfitness(node, now, height, needsIndex);
      if (rank === undefined || rank >= bestRank) continue;
      best = node;
      bestRank = rank;
    }
    return best ?? lastResort(now, tried);
  }

  function ranked(): readonly NodeState[] {
    const now = steadyNow();
    const rank = (node: NodeState): number => unfitness(node, now, undefined, false) ?? Number.MAX_VALUE;
    return nodes.filter((node) => !node.wrongChain).toSorted((a, b) => rank(a) - rank(b));
  }

  /** A node set aside that answers again; before any was tried, simply the one that got furthest. */
  function lastResort(now: number, tried: ReadonlySet<NodeState> | undefined): NodeState | undefined {
    const left = nodes.filter((node) => !node.wrongChain && !node.contradicts && !tried?.has(node));
    if (tried !== undefined && tried.size > 0) {
      return left.find((node) => healthOf(node, now) === 'EJECTED' && node.consecutiveFailures === 0);
    }
    return left.reduce<NodeState | undefined>((best, node) => (best && best.height >= node.height ? best : node), undefined);
  }

  function highest(): bigint {
    return agreement.newest()?.height ?? 0n;
  }

  function chooseForSubscription(): NodeState | undefined {
    const now = steadyNow();
    const rank = (node: NodeState): number => unfitness(node, now, undefined, false) ?? Number.POSITIVE_INFINITY;
    const fit = nodes.filter((node) => rank(node) < Number.POSITIVE_INFINITY);
    const chosen =
      fit.sort((a, b) => rank(a) - rank(b) || a.lastSubscription - b.lastSubscription)[0] ?? lastResort(now, undefined);
    if (chosen !== undefined) chosen.lastSubscription = ++subscriptions;
    return chosen;
  }

  function notice(node: NodeState, event: JsonObject): { readonly block: HeadBlock; readonly relation: Relation } | undefined {
    const block = decodeNewBlock(event);
    if (block === undefined) return undefined;
    checkChain(node, block.chainId);
    const relation = saw(node, block);
    keepProbing();
    return { block, relation };
  }

  const answered = start(probeAll(), nodes);
  let starting: Promise<void> | undefined = answered.then(agreement.settleAll).then(() => {
    compare(nodes.filter(({ responds }) => responds));
    starting = undefined;
  });

  return {
    starting: () => starting,
    // Beside others a node is chosen by how far it is, which is known only once the claims were checked.
    answered: () => (nodes.length === 1 ? answered : (starting ?? answered)),
    probe: (node) => probe(node),
    keepProbing,
    learn,
    notice,
    settle: agreement.settle,
    onRewind(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    succeeded,
    failed,
    choose,
    ranked,
    chooseForSubscription,
    highest,
    isKnown: (height) => height <= highest(),
    wrongChain,
    views() {
      keepProbing();
      const now = steadyNow();
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

/** Resolves when every probe has ended, or a little after the first good one. */
function start(probes: readonly Promise<void>[], nodes: readonly NodeState[]): Promise<void> {
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
