import type { StoreName } from '../roots/storesByMethod.ts';

/** What an answer was computed from, if it is valid at every height where these stores have the same roots. */
export interface Carried {
  /** In alphabetical order, without duplicates. */
  readonly stores: readonly StoreName[];
  /** The answer is valid before the first block with this time or a later one, in nanoseconds since 1970. Null: always. */
  readonly validUntil: bigint | null;
  /** The number of reads of the state. */
  readonly reads: number;
}

/**
 * Notes what an operation reads. An operation is valid at other heights only if everything that it read is noted as a read of
 * stores. Anything else makes it depend on its height.
 */
export interface Dependencies {
  /** Notes a response that was computed from `stores`, and until when it is valid. */
  read(stores: readonly StoreName[], validUntil?: bigint | null): void;
  /** Notes that the operation depends on its height: on a block, a time, an event, or a response that may not be carried. */
  dependsOnHeight(): void;
  /** What the operation has read so far. Undefined if it depends on its height. */
  carried(): Carried | undefined;
}

/** Makes the notes of one operation, which has not read anything. */
export function createDependencies(): Dependencies {
  const stores = new Set<StoreName>();
  let validUntil: bigint | null = null;
  let isOfHeight = false;
  let reads = 0;
  return {
    read(names, until = null) {
      reads += 1;
      for (const name of names) stores.add(name);
      if (until !== null && (validUntil === null || until < validUntil)) validUntil = until;
    },
    dependsOnHeight() {
      isOfHeight = true;
    },
    carried: () => (isOfHeight ? undefined : { stores: [...stores].sort(), validUntil, reads }),
  };
}
