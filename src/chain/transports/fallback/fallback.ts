import { defaultNodeBounds, type NodeBounds } from '../../../config/bounds.ts';
import { type ChainError, inconsistent, isChainError } from '../../base/errors.ts';
import { abortable, pause } from '../../base/waiting.ts';
import type { JsonObject } from '../../wire/json.ts';
import { decodeStatus, type Rewind } from '../../wire/newestBlock.ts';
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
  /** The chain that every node must be of. Absent: that of the first node that answers. */
  readonly chainId?: string;
  /** Between rounds of `status` to every node, while calls or events flow: 5,000. */
  readonly probeInterval?: number;
  /** How long a node is set aside after so many failures in a row, times the number of such ends in a row up to ten: 30,000. */
  readonly ejection?: number;
  /** First wait before a node that has failed is asked again, doubled each time, with full jitter: 50. */
  readonly backoff?: number;
  /** Further nodes that a read is tried on: 2. */
  readonly retries?: number;
  /** Tries on a node that has failed, for each hundred calls, after a first ten: 10. With 0 there is none. */
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

/** Tries on nodes that have failed which are saved up at the most. */
const maxRetryTokens = 10;

/** Waits, ms, for a height that one node is known to have and those asked do not. */
const heightWaits = [50, 100, 150];

/**
 * A transport that asks the fittest node, in the order given, and on failure the next, never one known to be behind the call's
 * height. A node is used once `status` has shown it to be of the chain; one of another chain is refused for good. Nodes are asked
 * for their `status` at the start and every few seconds while in use. A write goes to another node only when it cannot
 * have reached the first. A subscription to NewBlock ends when, from one round of `status` to the next, it has not come to a
 * height that some node had before: its node lags or has fallen silent. `transports` may have an `alias` each (`node-1`, … without).
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

  /** Makes the call on one node, which first has to show its chain if it has not yet. */
  async function attempt<T>(node: NodeState, method: string, params: JsonObject, call: CallOptions<T>): Promise<T> {
    if (node.status === undefined || node.returns) await abortable(pool.probe(node), call.signal);
    if (node.returns) throw node.lastError ?? closedError();
    if (node.wrongChain) throw pool.wrongChain(node);
    // A node of another chain under the same id has heights too, but not those that are meant.
    if (node.opposes !== undefined && call.height !== undefined) throw node.opposes;
    if (node.dispute !== undefined && call.height !== undefined && call.height >= (node.dispute.facts.height ?? 0n))
      throw node.dispute;
    if (node.status === undefined) throw node.lastError ?? closedError();
    const begun = performance.now();
    const result = await node.transport.call(method, params, method === 'status' ? learning(node, call) : call);
    // That one waits for a block.
    if (method !== 'broadcast_tx_commit') recordLatency(node, performance.now() - begun);
    pool.succeeded(node, call.height);
    if (method === 'status') await abortable(checkStatus(node), call.signal);
    return result;
  }

  /** Throws if the block that a node has just reported is not believed. */
  async function checkStatus(node: NodeState): Promise<void> {
    const { status } = node;
    if (status === undefined || status.newest.height === 0n || (await pool.settle(node, status.newest))) return;
    throw node.opposes ?? node.unproven ?? inconsistent(status.newest.height);
  }

  function learning<T>(node: NodeState, call: CallOptions<T>): CallOptions<T> {
    return {
      ...call,
      decode(result) {
        pool.learn(node, decodeStatus(result));
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
        if (!isVerdict(node, error)) pool.failed(node, error);
        if (!isChainError(error) || !failoverCodes.includes(error.code)) throw error;
        if (isWrite(method) && !(isChainError(error, 'NODE_UNREACHABLE') && error.facts.sent === false)) throw error;
        tried.set(node, error);
      }
      if (tries <= retries && pool.choose(call.height, needsIndex, keysOf(tried)) !== undefined) continue;
      const telling = mostSpecific([...tried.values()]) ?? noNodeError();
      const wait = heightWaits[waits];
      if (
        isChainError(telling, 'HEIGHT_NOT_YET_AVAILABLE') &&
        wait !== undefined &&
        pool.isKnown(call.height ?? telling.facts.height)
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
      if (tries > retries || again === undefined || retryTokens < 1) throw telling;
      retryTokens -= 1;
      tried.delete(again);
      await pause(Math.random() * backoff * 2 ** (tries - 1), call.signal);
    }
  }

  /** The call on this node alone. That it could not be reached, or is of another chain, is told as what it is: nothing was sent. */
  async function callOne<T>(node: NodeState, method: string, params: JsonObject, call: CallOptions<T>): Promise<T> {
    if (closed) throw closedError();
    if (node.status === undefined) await abortable(pool.probe(node), call.signal);
    if (node.status === undefined || node.wrongChain) throw noNodeError(node.lastError);
    try {
      return await attempt(node, method, params, call);
    } catch (error) {
      if (!call.signal?.aborted && !isVerdict(node, error)) pool.failed(node, error);
      throw error;
    }
  }

  function handleOf(node: NodeState): NodeHandle {
    return { alias: node.alias, call: (method, params, options) => callOne(node, method, params, options) };
  }

  async function handles(): Promise<readonly NodeHandle[]> {
    await pool.starting();
    pool.keepProbing();
    return pool.ranked().map(handleOf);
  }

  function handle(alias: string): NodeHandle | undefined {
    const node = nodes.find((each) => each.alias === alias);
    if (node === undefined) return undefined;
    // What a node of another chain says is its own, and counts for nothing.
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

/** Whether an error is what the comparison of nodes made of this one: it was counted there, and is no failure of a call. */
function isVerdict(node: NodeState, error: unknown): boolean {
  return error !== undefined && (error === node.dispute || error === node.opposes || error === node.unproven);
}
