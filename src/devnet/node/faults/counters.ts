import type { NodeCall } from './faults.ts';

/** What a node has received since the last reset. */
export interface Counters {
  readonly calls: number;
  /** POSTs, URIs and frames: a batch of ten is one. */
  readonly batches: number;
  /** The calls themselves, the oldest first; only the last 10,000 are kept. */
  readonly log: readonly NodeCall[];
  /** How many calls of each method. */
  readonly byMethod: Readonly<Record<string, number>>;
  reset(): void;
}

/** Counters, and how the node's servers make them count. */
export interface CountersInUse {
  readonly counters: Counters;
  /** Numbers a POST, a URI or a frame, from 1. */
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
