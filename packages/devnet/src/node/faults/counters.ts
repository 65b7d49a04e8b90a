import type { NodeCall } from './faults.ts';

/** The calls that a node has received since the last reset. */
export interface Counters {
  readonly calls: number;
  /** Number of POSTs, URIs and frames. A batch counts as one. */
  readonly batches: number;
  /** The last 10,000 calls, oldest first. */
  readonly log: readonly NodeCall[];
  /** Number of calls of each method. */
  readonly byMethod: Readonly<Record<string, number>>;
  reset(): void;
}

/** Counters, and the functions that update them. */
export interface CountersInUse {
  readonly counters: Counters;
  /** Returns the next number of a POST, a URI or a frame, from 1. */
  nextBatch(): number;
  note(call: NodeCall): void;
}

const longestLog = 10_000;

export function createCounters(): CountersInUse {
  let [calls, batches] = [0, 0];
  let log: NodeCall[] = [];
  let byMethod = new Map<string, number>();
  return {
    counters: {
      get calls() {
        return calls;
      },
      get batches() {
        return batches;
      },
      get log() {
        return log;
      },
      get byMethod() {
        return Object.fromEntries(byMethod);
      },
      reset() {
        [calls, batches, log, byMethod] = [0, 0, [], new Map()];
      },
    },
    nextBatch: () => ++batches,
    note(call) {
      calls++;
      byMethod.set(call.method, (byMethod.get(call.method) ?? 0) + 1);
      log.push(call);
      if (log.length > longestLog) log.shift();
    },
  };
}
