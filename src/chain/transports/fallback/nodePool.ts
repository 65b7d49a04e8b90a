import { ChainError, inconsistent } from '../../base/errors.ts';
import { monotonicNow } from '../../base/waiting.ts';
import { decodeNewBlock, decodeStatus, type HeadBlock, type NodeStatus, type Rewind } from '../../wire/block.ts';
import type { JsonObject } from '../../wire/json.ts';
import { createAgreement } from '../agreement/agreement.ts';
import { createBlockVotes } from '../agreement/blockVotes.ts';
import type { Relation } from '../agreement/chainTip.ts';
import { createNodeChoice, type NodeChoice } from '../nodes/nodeChoice.ts';
import { createNodeFailures, type NodeFailures } from '../nodes/nodeFailures.ts';
import { type NodeState, recordLatency, viewOf } from '../nodes/nodeState.ts';
import type { NodeView } from '../nodeViews.ts';

/** After the first node has responded, the first call waits this long, in ms, for the others, to find nodes that lag. */
const startGrace = 250;

/** A dispute ends when no node has renewed it for this many blocks. */
const disputeLifetime = 16n;

/** Options of {@link createNodePool}; see `FallbackOptions`. */
export interface NodePoolOptions {
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
