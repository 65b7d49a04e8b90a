import { defaultNodeBounds, type NodeBounds } from '../../../config/bounds.ts';
import { type ChainError, inconsistent, isChainError } from '../../base/errors.ts';
import { abortable, pause } from '../../base/waiting.ts';
import { decodeStatus, type Rewind } from '../../wire/block.ts';
import type { JsonObject } from '../../wire/json.ts';
import { createCallStats } from '../callStats.ts';
import { isWrite, readsIndex } from '../methods.ts';
import { closedError, noNodeError } from '../nodeErrors.ts';
import { failoverCodes } from '../nodes/nodeFailures.ts';
import { createNodeState, type NodeState, recordLatency } from '../nodes/nodeState.ts';
import type { CallCount, NodeView } from '../nodeViews.ts';
import type { CallOptions, NodeHandle, Transport } from '../transport.ts';
import { createNodePool } from './nodePool.ts';
import { createPoolSubscriptions } from './poolSubscriptions.ts';

/** Options of {@link fallback}. Times in milliseconds. */
export interface FallbackOptions extends Partial<NodeBounds> {
  /** The chain id that every node must have; by default that of the first node that responds. */
  readonly chainId?: string;
  /** Interval of `status` calls to every node while calls or events flow: 5,000. */
  readonly probeInterval?: number;
  /**
   * Time for which a node is ejected after too many failures in a row: 30,000. It is multiplied by the number of consecutive
   * ejections, up to ten.
   */
  readonly ejection?: number;
  /** First wait before a failed node is tried again, doubled each time, with full jitter: 50. */
  readonly backoff?: number;
  /** Number of further nodes on which a read is tried: 2. */
  readonly retries?: number;
  /** Retries on a node that has failed, for each hundred calls: 10, after an initial ten. 0 disables them. */
  readonly retryBudget?: number;
}

/** A transport to several nodes. */
export interface FallbackTransport extends Transport {
  readonly handles: () => Promise<readonly NodeHandle[]>;
  readonly nodes: () => readonly NodeView[];
  readonly handle: (alias: string) => NodeHandle | undefined;
  readonly onRewind: (listener: (rewind: Rewind) => void) => () => void;
  readonly calls: () => readonly CallCount[];
}

/** Most retries that accumulate. */
const maxRetryTokens = 10;

/** Waits in ms for a height that exists, but that the tried nodes do not have yet. */
const heightWaits = [50, 100, 150];

/**
 * Makes a transport that calls the best node and on failure the next; nodes in good health are tried in the given order. It
 * skips nodes that are below the height of the call. A node is used once `status` has shown that it belongs to the chain; a
 * node of another chain is never used. `status` is called on every node at the start, and regularly while the transport is in
 * use. A write goes to another node only if the first one cannot have received it. A subscription to NewBlock ends if its node
 * stays below the height of others between two checks. Each transport may have an `alias`; the default is `node-1` and so on.
 */
export function fallback(
  transports: readonly (Transport & { readonly alias?: string | undefined })[],
  options: FallbackOptions = {},
): FallbackTransport {
  const { probeInterval = 5_000, ejection = 30_000, backoff = 50, retries = 2, retryBudget = 10 } = options;
  const bounds = { ...defaultNodeBounds, ...options };
  if (transports.length === 0) throw new TypeError('fallback needs at least one transport.');
  const stats = createCallStats();
  const nodes = transports.map((transport, index) => {
    const alias = transport.alias ?? `node-${index + 1}`;
    return createNodeState(stats.counted(transport, alias), alias, bounds);
  });
  const pool = createNodePool(nodes, { chainId: options.chainId, probeInterval, ejection });
  let closed = false;
  let retryTokens = retryBudget === 0 ? 0 : maxRetryTokens;

  /** Makes the call on one node. If its chain is not known yet, reads its `status` first. */
  async function attempt<T>(node: NodeState, method: string, params: JsonObject, call: CallOptions<T>): Promise<T> {
    if (node.status === undefined || node.returns) await abortable(pool.probe(node), call.signal);
    if (node.returns) throw node.lastError ?? closedError();
    if (node.wrongChain) throw pool.wrongChain(node);
    // A node of another chain under the same id has blocks at this height too, but the wrong ones.
    if (node.opposes !== undefined && call.height !== undefined) throw node.opposes;
    if (node.dispute !== undefined && call.height !== undefined && call.height >= (node.dispute.facts.height ?? 0n))
      throw node.dispute;
    if (node.status === undefined) throw node.lastError ?? closedError();
    const startedAt = performance.now();
    const result = await node.transport.call(method, params, method === 'status' ? withStatusRecorded(node, call) : call);
    // This method waits for a block, so its time is no measure of the node.
    if (method !== 'broadcast_tx_commit') recordLatency(node, performance.now() - startedAt);
    pool.succeeded(node, call.height);
    if (method === 'status') await abortable(checkStatus(node), call.signal);
    return result;
  }

  /** Throws if the newest block of a node's `status` is not accepted. */
  async function checkStatus(node: NodeState): Promise<void> {
    const { status } = node;
    if (status === undefined || status.newest.height === 0n || (await pool.settle(node, status.newest))) return;
    throw node.opposes ?? node.unproven ?? inconsistent(status.newest.height);
  }

  function withStatusRecorded<T>(node: NodeState, call: CallOptions<T>): CallOptions<T> {
    return {
      ...call,
      decode(result) {
        pool.recordStatus(node, decodeStatus(result));
        return call.decode(result);
      },
    };
  }

  async function call<T>(method: string, params: JsonObject, call: CallOptions<T>): Promise<T> {
    const starting = pool.starting();
    if (starting !== undefined) await abortable(starting, call.signal);
    pool.keepProbing();
    retryTokens = Math.min(retryTokens + retryBudget / 100, maxRetryTokens);
    const tried = new Map<NodeState, ChainError>();
    const needsIndex = readsIndex(method);
    let waits = 0;
    for (let tries = 1; ; tries++) {
      if (closed) throw closedError();
      const node = pool.choose(call.height, needsIndex, keysOf(tried));
      if (node === undefined) throw mostSpecific([...tried.values()]) ?? noNodeError();
      try {
        return await attempt(node, method, params, call);
      } catch (error) {
        if (call.signal?.aborted) throw error;
        if (!isAgreementError(node, error)) pool.failed(node, error);
        if (!isChainError(error) || !failoverCodes.includes(error.code)) throw error;
        if (isWrite(method) && !(isChainError(error, 'NODE_UNREACHABLE') && error.facts.sent === false)) throw error;
        tried.set(node, error);
      }
      if (tries <= retries && pool.choose(call.height, needsIndex, keysOf(tried)) !== undefined) continue;
      const mainError = mostSpecific([...tried.values()]) ?? noNodeError();
      const wait = heightWaits[waits];
      if (
        isChainError(mainError, 'HEIGHT_NOT_YET_AVAILABLE') &&
        wait !== undefined &&
        pool.isKnown(call.height ?? mainError.facts.height)
      ) {
        waits += 1;
        tries = 0;
        tried.clear();
        await pause(wait, call.signal);
        continue;
      }
      const retryNode = [...tried].find(
        ([, error]) => isChainError(error, 'NODE_UNREACHABLE') && error.facts.retryAfter === undefined,
      )?.[0];
      if (tries > retries || retryNode === undefined || retryTokens < 1) throw mainError;
      retryTokens -= 1;
      tried.delete(retryNode);
      await pause(Math.random() * backoff * 2 ** (tries - 1), call.signal);
    }
  }

  /**
   * Makes the call on this node only. If the node is unreachable or belongs to another chain, the error says that nothing was
   * sent.
   */
  async function callOne<T>(node: NodeState, method: string, params: JsonObject, call: CallOptions<T>): Promise<T> {
    if (closed) throw closedError();
    if (node.status === undefined) await abortable(pool.probe(node), call.signal);
    if (node.status === undefined || node.wrongChain) throw noNodeError(node.lastError);
    try {
      return await attempt(node, method, params, call);
    } catch (error) {
      if (!call.signal?.aborted && !isAgreementError(node, error)) pool.failed(node, error);
      throw error;
    }
  }

  function handleOf(node: NodeState): NodeHandle {
    return {
      alias: node.alias,
      call: (method, params, options) => callOne(node, method, params, options),
      eject: (milliseconds) => pool.eject(node, milliseconds),
    };
  }

  async function handles(): Promise<readonly NodeHandle[]> {
    await pool.starting();
    pool.keepProbing();
    return pool.ranked().map(handleOf);
  }

  function handle(alias: string): NodeHandle | undefined {
    const node = nodes.find((each) => each.alias === alias);
    if (node === undefined) return undefined;
    // Calls to a node of another chain do not affect its state.
    return node.wrongChain ? { alias, call: node.transport.call } : handleOf(node);
  }

  return {
    call,
    subscribe: createPoolSubscriptions({ pool, interval: probeInterval, isClosed: () => closed }),
    handles,
    handle,
    nodes: pool.views,
    onRewind: pool.onRewind,
    calls: stats.view,
    async close() {
      closed = true;
      pool.close();
      await Promise.all(nodes.map((node) => node.transport.close()));
    },
  };
}

function keysOf(tried: ReadonlyMap<NodeState, unknown>): ReadonlySet<NodeState> | undefined {
  return tried.size === 0 ? undefined : new Set(tried.keys());
}

function mostSpecific(errors: readonly ChainError[]): ChainError | undefined {
  return errors.toSorted((a, b) => failoverCodes.indexOf(a.code) - failoverCodes.indexOf(b.code))[0];
}

/** Whether an error is the result of comparing nodes. It is already counted there, and is not a failed call. */
function isAgreementError(node: NodeState, error: unknown): boolean {
  return error !== undefined && (error === node.dispute || error === node.opposes || error === node.unproven);
}
