import type { StoreName } from '../roots/gen/storesByMethod.ts';

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
 * stores. Anything else makes it depend on its height. It is a class because each operation has one.
 */
export class Dependencies {
  /** The stores of the first read. Most operations read one list of stores. */
  #first: readonly StoreName[] | undefined;
  /** The stores of all reads, if not all read the same list. */
  #stores: Set<StoreName> | undefined;
  #validUntil: bigint | null = null;
  #isOfHeight = false;
  #reads = 0;
  /** Whether the answer contains a place of its height. */
  hasPrintedHeight = false;

  /** Notes a response that was computed from `stores`, which are in alphabetical order and never change, and until when it is valid. */
  read(stores: readonly StoreName[], until: bigint | null = null): void {
    this.#reads += 1;
    this.#first ??= stores;
    if (stores !== this.#first) {
      this.#stores ??= new Set(this.#first);
      for (const name of stores) this.#stores.add(name);
    }
    if (until !== null && (this.#validUntil === null || until < this.#validUntil)) this.#validUntil = until;
  }

  /** Notes that the operation depends on its height: on a block, a time, an event, or a response that may not be carried. */
  dependsOnHeight(): void {
    this.#isOfHeight = true;
  }

  /** What the operation has read so far. Undefined if it depends on its height. */
  carried(): Carried | undefined {
    if (this.#isOfHeight) return undefined;
    const stores = this.#stores === undefined ? (this.#first ?? []) : [...this.#stores].sort();
    return { stores, validUntil: this.#validUntil, reads: this.#reads };
  }
}
