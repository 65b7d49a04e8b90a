import { ChainError, inconsistent } from '../../base/errors.ts';
import { monotonicNow } from '../../base/waiting.ts';
import type { JsonObject } from '../../wire/json.ts';
import { decodeNewBlock, decodeStatus, type HeadBlock, type NodeStatus, type Rewind } from '../../wire/newestBlock.ts';
import { createAgreement } from '../agreement/agreement.ts';
import { createBlockVotes } from '../agreement/blockVotes.ts';
import type { Relation } from '../agreement/chainTip.ts';
import { createNodeChoice, type NodeChoice } from '../nodes/nodeChoice.ts';
import { createNodeFailures, type NodeFailures } from '../nodes/nodeFailures.ts';
import { type NodeState, recordLatency, viewOf } from '../nodes/nodeState.ts';
import type { NodeView } from '../nodeViews.ts';

/** How long the first call waits for the other nodes once one has answered, so that a node behind is known as such. */
const startGrace = 250;

/** Blocks after which a dispute of nodes is forgotten that none of them has renewed. */
const disputeLifetime = 16n;

/** Options of {@link createNodePool}, those of `fallback`. */
export interface NodePoolOptions {
  readonly chainId: string | undefined;
  readonly probeInterval: number;
  readonly ejection: number;
}

/** The nodes of one chain: what is known of them, and which to ask. */
export interface NodePool extends NodeChoice, NodeFailures {
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

  const { choose, ranked, chooseForSubscription } = createNodeChoice(nodes);
  const { succeeded, failed } = createNodeFailures(nodes, { ejection, highest, signal: closing.signal });

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
        recordLatency(node, performance.now() - begun);
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
    // The best of those that answer is not behind, even when it is alone.
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
