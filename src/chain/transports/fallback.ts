import { ChainError, type ChainErrorCode, isChainError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { decodeNewBlock, decodeStatus, type NodeStatus, newBlockQuery } from '../newestBlock.ts';
import { isWrite, readsIndex } from './methods.ts';
import { closedError } from './nodeErrors.ts';
import { createNodeState, failuresToEject, healthOf, type NodeState, type NodeView, unfitness, viewOf } from './nodeState.ts';
import type { CallOptions, Subscription, SubscriptionListener, Transport } from './transport.ts';
import { abortable, pause } from './waiting.ts';

export type { NodeHealth, NodeView } from './nodeState.ts';

/** Options of {@link fallback}. Times in milliseconds. */
export interface FallbackOptions {
  /** The chain that every node must be of. Absent: that of the first node that answers. */
  readonly chainId?: string;
  /** Between rounds of `status` to every node, while calls or events flow: 5,000. */
  readonly probeInterval?: number;
  /** How long a node is set aside after five failures in a row, times the number of such ends in a row up to ten: 30,000. */
  readonly ejection?: number;
  /** First wait before a node that has failed is asked again, doubled each time, with full jitter: 50. */
  readonly backoff?: number;
}

/** A transport to several nodes. */
export interface FallbackTransport extends Transport {
  /** What is known of each node, in the order given. */
  nodes(): readonly NodeView[];
}

/** Attempts of one read: on the first node and two further ones. */
const attempts = 3;

/** Waits, ms, for a height that one node is known to have and those asked do not. */
const heightWaits = [50, 100, 150];

/** How long the first call waits for the other nodes once one has answered, so that a node behind is known as such. */
const startGrace = 250;

/** Failures after which another node is asked, the most telling first: it is the one reported when all have failed. */
const failsOver: readonly ChainErrorCode[] = [
  'HEIGHT_PRUNED',
  'HEIGHT_NOT_YET_AVAILABLE',
  'INDEX_UNAVAILABLE',
  'NODE_INVALID_RESPONSE',
  'NODE_TIMEOUT',
  'NODE_UNREACHABLE',
];

/**
 * A transport that asks the fittest node, in the order given, and on failure the next, never one known to be behind the call's
 * height. A node is used once `status` has shown it to be of the chain; one of another chain is refused for good. Nodes are asked
 * for their `status` at the start and every few seconds while in use. A write goes to another node only when it cannot
 * have reached the first. `transports` may have an `alias` each (`node-1`, … without).
 */
export function fallback(
  transports: readonly (Transport & { readonly alias?: string | undefined })[],
  options: FallbackOptions = {},
): FallbackTransport {
  const { probeInterval = 5_000, ejection = 30_000, backoff = 50 } = options;
  if (transports.length === 0) throw new TypeError('fallback needs at least one transport.');
  const nodes = transports.map((transport, index) => createNodeState(transport, transport.alias ?? `node-${index + 1}`));
  let chainId = options.chainId;
  let closed = false;
  let started = false;
  let lastRound = 0;
  let subscriptions = 0;
  /** Retries on a node that has failed are at most a tenth of the calls, after a first ten. */
  let retryBudget = 10;

  /** Takes in a node's `status`; throws when it is of another chain. */
  function learn(node: NodeState, status: NodeStatus): void {
    checkChain(node, status.newest.chainId);
    chainId = status.newest.chainId;
    node.status = status;
    sawHeight(node, status.newest.height);
  }

  function checkChain(node: NodeState, id: string): void {
    if (chainId === undefined || id === chainId) return;
    node.wrongChain = true;
    throw wrongChain(node);
  }

  function wrongChain(node: NodeState): ChainError {
    return new ChainError('NODE_INVALID_RESPONSE', `${node.alias} is a node of another chain than ${chainId}.`, {});
  }

  function sawHeight(node: NodeState, height: bigint): void {
    if (height > node.height) node.height = height;
  }

  /** Compares the nodes that have answered in one round, because answers of different moments say nothing of lag. */
  function compare(round: readonly NodeState[]): void {
    let best: NodeStatus | undefined;
    for (const { status } of round) if (status && (!best || status.newest.height > best.newest.height)) best = status;
    for (const node of round) {
      if (best === undefined || node.status === undefined) continue;
      node.lag = best.newest.height - node.status.newest.height;
      node.timeLag = node.lag === 0n ? 0 : Date.parse(best.newest.time) - Date.parse(node.status.newest.time);
    }
  }

  /** Asks a node for its status, once at a time; never rejects. `round` gathers the nodes that have answered. */
  function probe(node: NodeState, round: NodeState[] = []): Promise<void> {
    node.probe ??= (async () => {
      const begun = performance.now();
      try {
        learn(node, await node.transport.call('status', {}, { decode: decodeStatus }));
        const took = performance.now() - begun;
        node.latency = node.latency === undefined ? took : node.latency * 0.8 + took * 0.2;
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
    lastRound = Date.now();
    const round: NodeState[] = [];
    return nodes.filter((node) => !node.wrongChain).map((node) => probe(node, round));
  }

  function keepProbing(): void {
    if (!closed && Date.now() - lastRound >= probeInterval) probeAll();
  }

  function succeeded(node: NodeState): void {
    node.consecutiveFailures = 0;
    node.lastError = undefined;
    if (Date.now() > node.ejectedUntil + 10 * ejection) node.ejections = 0;
  }

  /** Counts a failure against the node, when it is one of the node. */
  function failed(node: NodeState, error: unknown): void {
    if (isChainError(error, 'HEIGHT_PRUNED') && error.facts.height > node.prunedAt) node.prunedAt = error.facts.height;
    const isOfNode = isChainError(error) && failsOver.indexOf(error.code) > failsOver.indexOf('INDEX_UNAVAILABLE');
    if (!isOfNode || error === node.lastError || closed) return;
    const now = Date.now();
    node.lastError = error;
    node.lastErrorCode = error.code;
    if (isChainError(error, 'NODE_UNREACHABLE') && error.facts.retryAfter !== undefined) {
      node.pausedUntil = now + error.facts.retryAfter;
      return;
    }
    node.consecutiveFailures += 1;
    const isLast = nodes.every((other) => other === node || other.wrongChain || other.ejectedUntil > now);
    if (node.consecutiveFailures < failuresToEject || node.ejectedUntil > now || isLast) return;
    node.ejections = Math.min(node.ejections + 1, 10);
    node.ejectedUntil = now + ejection * node.ejections;
  }

  /** The fittest node not yet tried for a call; undefined when none is left that could answer it. */
  function choose(height: bigint | undefined, needsIndex: boolean, tried?: ReadonlySet<NodeState>): NodeState | undefined {
    const now = Date.now();
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

  /** A node set aside that answers again; before any was tried, simply the one that got furthest. */
  function lastResort(now: number, tried: ReadonlySet<NodeState> | undefined): NodeState | undefined {
    const left = nodes.filter((node) => !node.wrongChain && !tried?.has(node));
    if (tried !== undefined && tried.size > 0) {
      return left.find((node) => healthOf(node, now) === 'EJECTED' && node.consecutiveFailures === 0);
    }
    return left.reduce<NodeState | undefined>((best, node) => (best && best.height >= node.height ? best : node), undefined);
  }

  /** Makes the call on one node, which first has to show its chain if it has not yet. */
  async function attempt<T>(node: NodeState, method: string, params: JsonObject, call: CallOptions<T>): Promise<T> {
    if (node.status === undefined) {
      await abortable(probe(node), call.signal);
      if (node.status === undefined || node.wrongChain)
        throw node.wrongChain ? wrongChain(node) : (node.lastError ?? closedError());
    }
    const result = await node.transport.call(method, params, method === 'status' ? learning(node, call) : call);
    succeeded(node);
    if (call.height !== undefined) sawHeight(node, call.height);
    return result;
  }

  function learning<T>(node: NodeState, call: CallOptions<T>): CallOptions<T> {
    return {
      ...call,
      decode(result) {
        learn(node, decodeStatus(result));
        return call.decode(result);
      },
    };
  }

  /** Whether a height that nodes lack is nevertheless there: some node has it. */
  function isKnown(height: bigint): boolean {
    return nodes.some((node) => !node.wrongChain && node.height >= height);
  }

  async function call<T>(method: string, params: JsonObject, call: CallOptions<T>): Promise<T> {
    if (!started) await abortable(starting, call.signal);
    keepProbing();
    retryBudget = Math.min(retryBudget + 0.1, 10);
    const tried = new Map<NodeState, ChainError>();
    const needsIndex = readsIndex(method);
    let waits = 0;
    for (let tries = 1; ; tries++) {
      if (closed) throw closedError();
      const node = choose(call.height, needsIndex, keysOf(tried));
      if (node === undefined) throw mostTelling([...tried.values()]) ?? noNode();
      try {
        return await attempt(node, method, params, call);
      } catch (error) {
        if (call.signal?.aborted) throw error;
        failed(node, error);
        if (!isChainError(error) || !failsOver.includes(error.code)) throw error;
        if (isWrite(method) && !(isChainError(error, 'NODE_UNREACHABLE') && error.facts.sent === false)) throw error;
        tried.set(node, error);
      }
      if (tries < attempts && choose(call.height, needsIndex, keysOf(tried)) !== undefined) continue;
      const telling = mostTelling([...tried.values()]) ?? noNode();
      const wait = heightWaits[waits];
      if (
        isChainError(telling, 'HEIGHT_NOT_YET_AVAILABLE') &&
        wait !== undefined &&
        isKnown(call.height ?? telling.facts.height)
      ) {
        waits += 1;
        tries = 0;
        tried.clear();
        await pause(wait, call.signal);
        continue;
      }
      const again = [...tried].find(
        ([, error]) => isChainError(error, 'NODE_UNREACHABLE') && error.facts.retryAfter === undefined,
      )?.[0];
      if (tries >= attempts || again === undefined || retryBudget < 1) throw telling;
      retryBudget -= 1;
      tried.delete(again);
      await pause(Math.random() * backoff * 2 ** (tries - 1), call.signal);
    }
  }

  function noNode(): ChainError {
    return new ChainError('NODE_UNREACHABLE', 'No node of this chain is left to ask.', { sent: false });
  }

  /** The node for the next subscription: the fittest; of equals the one that has waited longest, so that a new try goes elsewhere. */
  function chooseForSubscription(): NodeState | undefined {
    const now = Date.now();
    const rank = (node: NodeState): number => unfitness(node, now, undefined, false) ?? Number.POSITIVE_INFINITY;
    const fit = nodes.filter((node) => rank(node) < Number.POSITIVE_INFINITY);
    return fit.sort((a, b) => rank(a) - rank(b) || a.lastSubscription - b.lastSubscription)[0] ?? lastResort(now, undefined);
  }

  function subscribe(query: string, listener: SubscriptionListener): Subscription {
    let inner: Subscription | undefined;
    let over = false;
    const end = (error: Error | undefined): void => {
      if (over) return;
      over = true;
      inner?.close();
      listener.end(error);
    };
    const begin = async (): Promise<void> => {
      if (!started) await starting;
      const chosen = chooseForSubscription();
      if (chosen !== undefined && chosen.status === undefined) await probe(chosen);
      const node = chosen?.status === undefined ? undefined : chosen;
      if (over) return;
      if (node === undefined || node.wrongChain) return end(closed ? closedError() : (asError(chosen?.lastError) ?? noNode()));
      node.lastSubscription = ++subscriptions;
      inner = node.transport.subscribe(query, {
        open: () => listener.open?.(),
        event(result) {
          if (over) return;
          try {
            if (query === newBlockQuery) notice(node, result);
          } catch (error) {
            return end(asError(error));
          }
          listener.event(result);
        },
        end(error) {
          if (over) return;
          failed(node, error);
          end(error);
        },
      });
    };
    void begin();
    return { close: () => end(undefined) };
  }

  /** Takes in what a NewBlock event says of its node. */
  function notice(node: NodeState, event: JsonObject): void {
    const block = decodeNewBlock(event);
    if (block === undefined) return;
    checkChain(node, block.chainId);
    sawHeight(node, block.height);
    keepProbing();
  }

  const starting = start(probeAll(), nodes).then(() => {
    started = true;
  });

  return {
    call,
    subscribe,
    nodes() {
      keepProbing();
      const now = Date.now();
      const next = choose(undefined, false);
      return nodes.map((node) => viewOf(node, now, node === next));
    },
    async close() {
      closed = true;
      await Promise.all(nodes.map((node) => node.transport.close()));
    },
  };
}

/** Resolves when every probe has ended, or a little after the first good one. */
function start(probes: readonly Promise<void>[], nodes: readonly NodeState[]): Promise<void> {
  return new Promise((resolve) => {
    let grace: NodeJS.Timeout | undefined;
    for (const [index, probe] of probes.entries()) {
      probe.then(() => {
        if (nodes[index]?.status !== undefined) grace ??= setTimeout(resolve, startGrace);
      });
    }
    Promise.all(probes).then(() => {
      clearTimeout(grace);
      resolve();
    });
  });
}

function keysOf(tried: ReadonlyMap<NodeState, unknown>): ReadonlySet<NodeState> | undefined {
  return tried.size === 0 ? undefined : new Set(tried.keys());
}

function mostTelling(errors: readonly ChainError[]): ChainError | undefined {
  return errors.toSorted((a, b) => failsOver.indexOf(a.code) - failsOver.indexOf(b.code))[0];
}

function asError(error: unknown): Error | undefined {
  return error instanceof Error ? error : undefined;
}
