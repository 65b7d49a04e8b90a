import { type ChainError, isChainError } from '../base/errors.ts';
import { monotonicNow } from '../base/time.ts';
import type { JsonObject } from '../wire/json.ts';
import { CallTimes, indexMethods, type MethodClass } from './callTimes.ts';
import { failoverCodes, type NodePool } from './nodePool.ts';
import { bestTime, healthOf, isSlow, type NodeState, slowLimit } from './nodeState.ts';
import type { CallOptions, HedgeCounts } from './transport.ts';

/** The share of reads that may be made twice. With those that accumulate, it is less than a tenth of any thousand reads. */
const share = 0.09;

/** Most such reads that accumulate. */
const maxTokens = 10;

/** A call that takes so many times as long as half of them may be made again, if another node is faster. */
const unusual = 1.5;

/** Calls of a node before its own times decide. */
const leastCalls = 8;

interface HedgingOptions {
  readonly nodes: readonly NodeState[];
  readonly pool: NodePool;
  /** Makes the call on one node, without counting failures. */
  attempt<T>(node: NodeState, method: string, params: JsonObject, call: CallOptions<T>): Promise<T>;
  /** Counts a failure. */
  onFailure(node: NodeState, error: unknown): void;
}

/**
 * Creates reads that ask a second node if the first is slower than it is for 95 of 100 calls of the class, or clearly slower than another node. The first answer counts, the other is
 * dropped. At most a tenth of the reads is made twice.
 */
export function createHedging({ nodes, pool, attempt, onFailure }: HedgingOptions) {
  const counts = { FIRST: 0, SECOND: 0, OVER_BUDGET: 0 };
  let tokens = 0;

  function timesOf(node: NodeState, kind: MethodClass): CallTimes {
    const times = node.times.get(kind) ?? new CallTimes();
    node.times.set(kind, times);
    return times;
  }

  /** How long to wait for the first node, in ms; undefined as long as that cannot be said. */
  function delayOf(node: NodeState, kind: MethodClass, now: number): number | undefined {
    const times = node.times.get(kind);
    const best = bestTime(node, nodes, kind, now);
    const [half, most] = [times?.quantile(0.5, leastCalls), times?.quantile(0.95, leastCalls)];
    if (half === undefined || most === undefined) return best && slowLimit(best);
    // While nothing is known of the other nodes, half of the calls may ask one of them.
    return best === undefined ? half : Math.min(most, Math.max(best, unusual * half));
  }

  /** Another node in good health that has the height; undefined if there is none. */
  function secondFor(
    first: NodeState,
    method: string,
    height: bigint | undefined,
    tried: ReadonlyMap<NodeState, unknown>,
    kind: MethodClass,
  ): NodeState | undefined {
    const node = pool.choose(height, indexMethods.has(method), new Map([...tried, [first, undefined]]), kind);
    const isUsable = node !== undefined && node.status !== undefined && healthOf(node, monotonicNow()) === 'HEALTHY';
    return isUsable && (height === undefined || node.height >= height) ? node : undefined;
  }

  /** Makes the call on one node, and notes how long it took. */
  async function timedAttempt<T>(
    node: NodeState,
    kind: MethodClass,
    method: string,
    params: JsonObject,
    call: CallOptions<T>,
  ): Promise<T> {
    const startedAt = performance.now();
    try {
      return await attempt(node, method, params, call);
    } finally {
      if (!call.signal?.aborted) {
        const time = performance.now() - startedAt;
        const times = timesOf(node, kind);
        const now = monotonicNow();
        const best = bestTime(node, nodes, kind, now);
        // It was slow, and is not any more.
        if (best !== undefined && time <= slowLimit(best) && isSlow(node, nodes, kind, now)) times.clear();
        times.add(time);
      }
    }
  }

  /** Reads from a node, and from a second one if it is slow. Rejects with the error of the first. */
  function read<T>(
    first: NodeState,
    kind: MethodClass,
    method: string,
    params: JsonObject,
    call: CallOptions<T>,
    tried: Map<NodeState, ChainError>,
  ): Promise<T> {
    tokens = Math.min(tokens + share, maxTokens);
    const attemptOn = (node: NodeState): Promise<T> => timedAttempt(node, kind, method, params, call);
    const delay = delayOf(first, kind, monotonicNow());
    if (delay === undefined) return attemptOn(first);
    return new Promise((resolve, reject) => {
      let pending = 1;
      let firstError: unknown;
      let isOver = false;

      function end(settle: () => void): void {
        isOver = true;
        clearTimeout(timer);
        settle();
      }

      function follow(node: NodeState, outcome: 'FIRST' | 'SECOND'): void {
        attemptOn(node).then(
          (value) => {
            if (isOver) return;
            if (isHedged) counts[outcome] += 1;
            end(() => resolve(value));
          },
          (error: unknown) => {
            pending -= 1;
            if (call.signal?.aborted) return end(() => reject(error));
            onFailure(node, error);
            if (isOver) return;
            const isOfNode = isChainError(error) && failoverCodes.includes(error.code);
            // What the chain refuses, every node refuses.
            if (!isOfNode) return end(() => reject(error));
            if (node === first) firstError = error;
            else tried.set(node, error);
            if (pending === 0) end(() => reject(firstError ?? error));
          },
        );
      }

      let isHedged = false;
      const timer = setTimeout(() => {
        const second = secondFor(first, method, call.height, tried, kind);
        if (second === undefined) return;
        if (tokens < 1) {
          counts.OVER_BUDGET += 1;
          return;
        }
        tokens -= 1;
        pending += 1;
        isHedged = true;
        follow(second, 'SECOND');
      }, delay);
      follow(first, 'FIRST');
    });
  }

  return { read, counts: (): HedgeCounts => ({ ...counts }) };
}
