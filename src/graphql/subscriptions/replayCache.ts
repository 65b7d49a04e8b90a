import type { MemoryBudget } from '../../chain/memory/memoryBudget.ts';
import { bufferBytes, objectBytes } from '../../chain/memory/sizes.ts';
import type { Told } from './payload.ts';

/**
 * What was told lately, by subscription and height, so that subscribers who come at various heights cost one execution for each
 * height. What a height tells never changes, but for failures: those are not kept.
 */
export interface Remembered {
  /**
   * What this subscription tells of this height: kept, being made just now for another, or what `make` gives. A failure that was
   * made for another is not taken.
   */
  told(subscription: string, height: bigint, make: () => Promise<Told>): Promise<Told>;
  /** Whether {@link Remembered.told} needs no `make`: it is kept, or being made just now. */
  has(subscription: string, height: bigint): boolean;
  /** Forgets everything. */
  clear(): void;
  /** Heights kept. */
  size(): number;
}

function keyOf(subscription: string, height: bigint): string {
  return `${subscription} ${height}`;
}

/** Memory of what is told of a height: each payload twice, as it is made into a server-sent event when one is asked for. */
function sizeOf({ payloads, bytes }: Told): number {
  return 2 * objectBytes + 2 * bytes + payloads.length * (2 * bufferBytes + objectBytes);
}

/** Makes it empty, within the memory for answers. */
export function createRemembered(memory: MemoryBudget): Remembered {
  const kept = memory.cache('answers', 'events', sizeOf);
  const underWay = new Map<string, Promise<Told | undefined>>();
  let generation = 0;

  return {
    async told(subscription, height, make) {
      const key = keyOf(subscription, height);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const others = underWay.get(key);
      const shared = others && (await others);
      if (shared !== undefined) return shared;
      const begun = generation;
      const made = make().then((told) => {
        if (!told.failed && begun === generation) kept.set(key, told);
        return told;
      });
      if (!underWay.has(key)) {
        const outcome = made.then(
          (told) => (told.failed ? undefined : told),
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
      // What is being made now is of what was believed before.
      underWay.clear();
      generation += 1;
    },
    size: () => kept.counts().entries,
  };
}
