import { bufferBytes, type MemoryBudget, objectBytes } from '../../chain/memory/memoryBudget.ts';
import type { EventBatch } from './payload.ts';

/**
 * Recent event batches by subscription and height, so that subscribers at different heights cost one execution for each height.
 * The batch at a height never changes, except for failures, which are not cached.
 */
export interface ReplayCache {
  /**
   * Returns the batch of a subscription at a height: from the cache, from an execution in progress, or from `make`. A failed execution for another
   * subscriber is not shared.
   */
  get(subscription: string, height: bigint, make: () => Promise<EventBatch>): Promise<EventBatch>;
  /** Whether {@link ReplayCache.get} would not call `make`. */
  has(subscription: string, height: bigint): boolean;
  /** Removes all batches. */
  clear(): void;
  /** The number of cached batches. */
  size(): number;
}

function keyOf(subscription: string, height: bigint): string {
  return `${subscription} ${height}`;
}

/** Memory of a batch, in bytes: each payload twice, because it is also encoded as a server-sent event on demand. */
function sizeOf({ payloads, bytes }: EventBatch): number {
  return 2 * objectBytes + 2 * bytes + payloads.length * (2 * bufferBytes + objectBytes);
}

/** Creates an empty cache, within the memory for answers. */
export function createReplayCache(memory: MemoryBudget): ReplayCache {
  const kept = memory.cache('answers', 'events', sizeOf);
  const underWay = new Map<string, Promise<EventBatch | undefined>>();
  let generation = 0;

  return {
    async get(subscription, height, make) {
      const key = keyOf(subscription, height);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const others = underWay.get(key);
      const shared = others && (await others);
      if (shared !== undefined) return shared;
      const begun = generation;
      const made = make().then((batch) => {
        if (!batch.failed && begun === generation) kept.set(key, batch);
        return batch;
      });
      if (!underWay.has(key)) {
        const outcome = made.then(
          (batch) => (batch.failed ? undefined : batch),
          () => undefined,
        );
        underWay.set(key, outcome);
        void outcome.then(() => {
          if (underWay.get(key) === outcome) underWay.delete(key);
        });
      }
      return made;
    },
    has(subscription, height) {
      const key = keyOf(subscription, height);
      return kept.peek(key) !== undefined || underWay.has(key);
    },
    clear() {
      kept.clear();
      // Executions in progress read the chain as it was before.
      underWay.clear();
      generation += 1;
    },
    size: () => kept.counts().entries,
  };
}
