import { LRUCache } from 'lru-cache';
import type { Told } from './payload.ts';

/** Bounds of what is {@link Remembered}. */
export interface RememberedOptions {
  /** Heights of all subscriptions together: 8,192. */
  readonly maxHeights?: number;
  /** Bytes of their payloads, and a little for each: 32 MiB. */
  readonly maxBytes?: number;
}

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

/** Approximate cost of an entry beside its bytes. */
const overhead = 300;

/** Makes an empty memory. */
export function createRemembered({ maxHeights = 8_192, maxBytes = 32 * 1024 * 1024 }: RememberedOptions = {}): Remembered {
  const kept = new LRUCache<string, Told>({
    max: maxHeights,
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => overhead + bytes,
  });
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
      return kept.has(key) || underWay.has(key);
    },
    clear() {
      kept.clear();
      // What is being made now is of what was believed before.
      underWay.clear();
      generation += 1;
    },
    size: () => kept.size,
  };
}
