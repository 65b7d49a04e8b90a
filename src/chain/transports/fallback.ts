import { defaultNodeBounds, type NodeBounds } from '../../config/bounds.ts';
import { type ChainError, differing, inconsistent, isChainError } from '../base/errors.ts';
import { abortable, backoff, createHistogram, type Histogram, pause } from '../base/time.ts';
import { decodeStatus, type HeadBlock, newBlockQuery } from '../wire/block.ts';
import type { JsonObject } from '../wire/json.ts';
import { indexMethods, readClassOf } from './callTimes.ts';
import { createHedging } from './hedging.ts';
import { closedError, noNodeError, timeoutError } from './http.ts';
import { createNodePool, failoverCodes, type NodePool } from './nodePool.ts';
import { NodeState } from './nodeState.ts';
import { type AnswerEvidence, createQuorum, isCompared, resultsOfEvent } from './quorum.ts';
import {
  type CallCount,
  type CallOptions,
  type CallOutcome,
  changesState,
  type NodeHandle,
  type Subscription,
  type SubscriptionListener,
  type Transport,
} from './transport.ts';

/** Times in milliseconds. */
export interface FallbackOptions extends Partial<NodeBounds> {
  /** The chain id that every node must have; by default that of the first node that responds. */
  readonly chainId?: string;
  /** Interval of `status` calls to every node while calls or events flow: 5,000. */
  readonly probeInterval?: number;
  /**
   * Time for which a node is ejected after too many failures in a row: 30,000. It is multiplied by the number of consecutive ejections, up to ten.
   */
  readonly ejection?: number;
  /** First wait before a failed node is tried again, doubled each time, with full jitter: 50. */
  readonly backoff?: number;
  /** Number of further nodes on which a read is tried: 2. */
  readonly retries?: number;
  /** Retries on a node that has failed, for each hundred calls: 10, after an initial ten. 0 disables them. */
  readonly retryBudget?: number;
  /** How many nodes must give the same answer to a read that can be compared: 1. */
  readonly quorum?: number;
  /** Called with different answers to one call. */
  readonly onEvidence?: ((evidence: AnswerEvidence) => void) | undefined;
  /** Whether a second node is asked if the first is slow: true. */
  readonly hedges?: boolean;
}

/** A transport to several nodes. */
export type FallbackTransport = Transport &
  Required<Pick<Transport, 'handles' | 'nodes' | 'handle' | 'onRewind' | 'calls' | 'quorums' | 'hedges'>>;

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
  const { probeInterval = 5_000, ejection = 30_000, backoff: firstWait = 50, retries = 2, retryBudget = 10 } = options;
  const { quorum: leastQuorum = 1, hedges = true } = options;
  const bounds = { ...defaultNodeBounds, ...options };
  if (transports.length === 0) throw new TypeError('fallback needs at least one transport.');
  const stats = createCallStats();
  const nodes = transports.map((transport, index) => {
    const alias = transport.alias ?? `node-${index + 1}`;
    return new NodeState(stats.counted(transport, alias), alias, bounds);
  });
  const pool = createNodePool(nodes, { ...options, probeInterval, ejection });
  const waitAfter = backoff({ first: firstWait, jitter: 1 });
  let isClosed = false;
  let starting: Promise<void> | undefined = pool.started.then(() => {
    starting = undefined;
  });
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
    pool.succeeded(node, method === 'broadcast_tx_commit' ? undefined : performance.now() - startedAt, call.height);
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

  /** Counts a failure of a node, unless it is one of comparing nodes. */
  function countFailure(node: NodeState, error: unknown): void {
    if (!isAgreementError(node, error)) pool.failed(node, error);
  }

  const quorum = createQuorum({
    pool,
    onEvidence: options.onEvidence,
    async attempt(node, method, params, call) {
      if (isClosed) throw closedError();
      try {
        return await attempt(node, method, params, call);
      } catch (error) {
        if (!call.signal?.aborted) countFailure(node, error);
        throw error;
      }
    },
  });
  const hedging = createHedging({ nodes, pool, attempt, onFailure: countFailure });

  async function call<T>(method: string, params: JsonObject, call: CallOptions<T>): Promise<T> {
    if (starting !== undefined) await abortable(starting, call.signal);
    pool.keepProbing();
    const least = Math.max(leastQuorum, call.quorum ?? 1);
    if (least > 1 && call.compares !== false && isCompared(method, params, call.height))
      return (await quorum.agreed(least, method, params, call)).value;
    retryTokens = Math.min(retryTokens + retryBudget / 100, maxRetryTokens);
    const tried = new Map<NodeState, ChainError>();
    const needsIndex = indexMethods.has(method);
    const kind = hedges && nodes.length > 1 ? readClassOf(method, params, call.height) : undefined;
    let waits = 0;
    for (let tries = 1; ; tries++) {
      if (isClosed) throw closedError();
      const node = pool.choose(call.height, needsIndex, tried, kind);
      if (node === undefined) throw mostSpecific([...tried.values()]) ?? noNodeError();
      try {
        if (kind !== undefined) return await hedging.read(node, kind, method, params, call, tried);
        return await attempt(node, method, params, call);
      } catch (error) {
        if (call.signal?.aborted) throw error;
        countFailure(node, error);
        if (!isChainError(error) || !failoverCodes.includes(error.code)) throw error;
        if (changesState.test(method) && !(isChainError(error, 'NODE_UNREACHABLE') && error.facts.sent === false)) throw error;
        tried.set(node, error);
      }
      if (tries <= retries && pool.choose(call.height, needsIndex, tried) !== undefined) continue;
      const mainError = mostSpecific([...tried.values()]) ?? noNodeError();
      const wait = heightWaits[waits];
      if (
        isChainError(mainError, 'HEIGHT_NOT_YET_AVAILABLE') &&
        wait !== undefined &&
        (call.height ?? mainError.facts.height) <= (pool.accepted.newest?.height ?? 0n)
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
      await pause(waitAfter(tries), call.signal);
    }
  }

  /** Makes the call on this node only. If the node is unreachable or belongs to another chain, the error says that nothing was sent. */
  async function callOne<T>(node: NodeState, method: string, params: JsonObject, call: CallOptions<T>): Promise<T> {
    if (isClosed) throw closedError();
    if (node.status === undefined) await abortable(pool.probe(node), call.signal);
    if (node.status === undefined || node.wrongChain) throw noNodeError(node.lastError);
    try {
      return await attempt(node, method, params, call);
    } catch (error) {
      if (!call.signal?.aborted) countFailure(node, error);
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

  /** Whether enough nodes give the same results of a block as an event of this node. Rejects if that cannot be decided. */
  async function agreesOn(node: NodeState, { height, block }: HeadBlock): Promise<boolean> {
    if (block === undefined || isClosed) return true;
    const received = resultsOfEvent(block);
    const call = { height, decode: () => undefined };
    const params = { height: height.toString() };
    const { nodes: agreeing } = await quorum.agreed(leastQuorum, 'block_results', params, call, {
      node,
      received,
      value: undefined,
    });
    return agreeing.includes(node);
  }

  async function handles(): Promise<readonly NodeHandle[]> {
    await pool.started;
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
    subscribe: createPoolSubscriptions(pool, probeInterval, {
      isClosed: () => isClosed,
      ...(leastQuorum > 1 && { agreesOn: (node: NodeState, block: HeadBlock) => agreesOn(node, block) }),
    }),
    handles,
    handle,
    nodes: pool.views,
    onRewind: pool.onRewind,
    calls: stats.view,
    quorums: quorum.counts,
    hedges: hedging.counts,
    async close() {
      isClosed = true;
      pool.close();
      await Promise.all(nodes.map((node) => node.transport.close()));
    },
  };
}

function mostSpecific(errors: readonly ChainError[]): ChainError | undefined {
  return errors.toSorted((a, b) => failoverCodes.indexOf(a.code) - failoverCodes.indexOf(b.code))[0];
}

/** Whether an error is the result of comparing nodes. It is already counted there, and is not a failed call. */
function isAgreementError(node: NodeState, error: unknown): boolean {
  return error !== undefined && (error === node.dispute || error === node.opposes || error === node.unproven);
}

/** Most methods that are counted separately for a node, which has about 30. Others are counted as `other`. */
const methodsMax = 64;

function createCallStats() {
  const nodes: (readonly [node: string, Map<string, Map<CallOutcome, Histogram>>])[] = [];
  return {
    /** Wraps a transport so that its calls are counted under this node name. */
    counted<T extends Transport>(transport: T, node: string): T {
      const methods = new Map<string, Map<CallOutcome, Histogram>>();
      nodes.push([node, methods]);
      return {
        ...transport,
        async call(method, params, options) {
          const startedAt = performance.now();
          let outcome: CallOutcome = 'OK';
          try {
            return await transport.call(method, params, options);
          } catch (error) {
            const failure = isChainError(error) ? error.code : 'INTERNAL_SERVER_ERROR';
            outcome = options.signal?.aborted ? 'CANCELLED' : failure;
            throw error;
          } finally {
            const name = methods.has(method) || methods.size < methodsMax ? method : 'other';
            const outcomes = methods.get(name) ?? new Map<CallOutcome, Histogram>();
            const times = outcomes.get(outcome) ?? createHistogram();
            methods.set(name, outcomes.set(outcome, times));
            times.observe((performance.now() - startedAt) / 1000);
          }
        },
      };
    },
    view: (): readonly CallCount[] =>
      nodes.flatMap(([node, methods]) =>
        [...methods].flatMap(([method, outcomes]) =>
          [...outcomes].map(([outcome, times]) => ({ node, method, outcome, times: times.view() })),
        ),
      ),
  };
}

/** The shortest interval, in ms, between checks that a subscription has reached the height of other nodes. */
const shortestInterval = 100;

/** Most events that wait while the block of an earlier event is checked. */
const maxHeldEvents = 256;

/**
 * Makes subscriptions that run on the best node of a pool. A subscription to NewBlock delivers an event only after its block is accepted. It
 * ends when its node is below the height that some node had at the previous check, because that node lags or is silent.
 */
function createPoolSubscriptions(
  pool: NodePool,
  probeInterval: number,
  {
    isClosed,
    agreesOn,
  }: {
    isClosed(): boolean;
    /** Whether the results in an event of a node are those of other nodes. Absent: they are not compared. */
    agreesOn?(node: NodeState, block: HeadBlock): Promise<boolean>;
  },
): Transport['subscribe'] {
  const interval = Math.max(probeInterval, shortestInterval);

  return (query, listener): Subscription => {
    let inner: Subscription | undefined;
    let isOver = false;
    let checks: NodeJS.Timeout | undefined;

    function end(error: Error | undefined): void {
      if (isOver) return;
      isOver = true;
      clearInterval(checks);
      inner?.close();
      listener.end(error);
    }

    async function start(): Promise<void> {
      await pool.answered;
      const node = pool.chooseForSubscription();
      if (node !== undefined && node.status === undefined) await pool.probe(node);
      if (isOver) return;
      if (node?.status === undefined || node.wrongChain) {
        end(isClosed() ? closedError() : (asError(node?.lastError) ?? noNodeError()));
        return;
      }
      inner = node.transport.subscribe(query, listen(node));
    }

    function listen(node: NodeState): SubscriptionListener {
      /** The height of the last delivered event. */
      let reached = node.height;
      /** The highest accepted height at the previous check. */
      let expected = 0n;
      /** Events after the one that is being checked. They wait to keep the order. */
      const waitingEvents: JsonObject[] = [];
      let isWaiting = false;

      function check(): void {
        if (reached < expected) {
          end(timeoutError(interval));
          return;
        }
        expected = pool.accepted.newest?.height ?? 0n;
        pool.keepProbing();
      }

      /** Delivers an event once its block is accepted. Returns undefined if that is done already. */
      function pass(result: JsonObject): Promise<void> | undefined {
        if (isOver) return undefined;
        let recorded: ReturnType<NodePool['recordEvent']>;
        try {
          if (query === newBlockQuery) recorded = pool.recordEvent(node, result);
        } catch (error) {
          end(asError(error));
          return undefined;
        }
        if (recorded === undefined) {
          listener.event(result);
          return undefined;
        }
        const { block, relation } = recorded;
        if (relation === 'AHEAD' || relation === 'CONTRADICTS') {
          return pool.settle(node, block).then((accepted) => {
            if (isOver) return;
            if (!accepted) return end(node.opposes ?? node.unproven ?? inconsistent(block.height));
            reached = block.height;
            return deliver(result, block);
          });
        }
        if (block.height > reached) reached = block.height;
        if (node.contradicts) end(inconsistent(reached));
        else return deliver(result, block);
        return undefined;
      }

      /** Delivers an event with an accepted block, once enough nodes have the same results. */
      function deliver(result: JsonObject, block: HeadBlock): Promise<void> | undefined {
        if (agreesOn === undefined) {
          listener.event(result, block);
          return undefined;
        }
        return agreesOn(node, block).then(
          (agrees) => {
            if (isOver) return;
            if (agrees) listener.event(result, block);
            else end(differing(block.height));
          },
          (error: unknown) => end(asError(error)),
        );
      }

      async function deliverHeld(checked: Promise<void>): Promise<void> {
        isWaiting = true;
        await checked;
        for (let next = waitingEvents.shift(); next !== undefined; next = waitingEvents.shift()) await pass(next);
        isWaiting = false;
      }

      return {
        open() {
          if (query === newBlockQuery) checks ??= setInterval(check, interval);
          listener.open?.();
        },
        event(result) {
          if (isWaiting) {
            if (waitingEvents.push(result) > maxHeldEvents) end(timeoutError(interval));
            return;
          }
          const checked = pass(result);
          if (checked !== undefined) void deliverHeld(checked);
        },
        end(error) {
          if (isOver) return;
          pool.failed(node, error);
          node.returns = true;
          end(error);
        },
      };
    }

    void start();
    return { close: () => end(undefined) };
  };
}

function asError(error: unknown): Error | undefined {
  return error instanceof Error ? error : undefined;
}
