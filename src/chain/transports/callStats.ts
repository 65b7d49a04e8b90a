import { isChainError } from '../base/errors.ts';
import { createHistogram, type Histogram } from './histogram.ts';
import type { CallCount, CallOutcome } from './nodeViews.ts';
import type { Transport } from './transport.ts';

/** Counts calls to nodes. */
export interface CallStats {
  /** Wraps a transport so that its calls are counted under this node name. */
  counted<T extends Transport>(transport: T, node: string): T;
  view(): readonly CallCount[];
}

/** Most methods that are counted separately for a node, which has about 30. Others are counted as `other`. */
const methodsMax = 64;

/** Makes empty counters. */
export function createCallStats(): CallStats {
  const nodes = new Map<string, Map<string, Map<CallOutcome, Histogram>>>();

  function get<K, V>(map: Map<K, V>, key: K, make: () => V): V {
    let value = map.get(key);
    if (value === undefined) {
      value = make();
      map.set(key, value);
    }
    return value;
  }

  function note(node: string, method: string, outcome: CallOutcome, startedAt: number): void {
    const methods = get(nodes, node, () => new Map<string, Map<CallOutcome, Histogram>>());
    const name = methods.has(method) || methods.size < methodsMax ? method : 'other';
    const outcomes = get(methods, name, () => new Map<CallOutcome, Histogram>());
    get(outcomes, outcome, createHistogram).observe((performance.now() - startedAt) / 1000);
  }

  return {
    counted(transport, node) {
      return {
        ...transport,
        async call(method, params, options) {
          const startedAt = performance.now();
          try {
            const result = await transport.call(method, params, options);
            note(node, method, 'OK', startedAt);
            return result;
          } catch (error) {
            const failed = isChainError(error) ? error.code : 'INTERNAL_SERVER_ERROR';
            note(node, method, options.signal?.aborted ? 'CANCELLED' : failed, startedAt);
            throw error;
          }
        },
      };
    },
    view: () =>
      [...nodes].flatMap(([node, methods]) =>
        [...methods].flatMap(([method, outcomes]) =>
          [...outcomes].map(([outcome, times]) => ({ node, method, outcome, times: times.view() })),
        ),
      ),
  };
}
