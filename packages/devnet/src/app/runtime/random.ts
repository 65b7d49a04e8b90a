/** Pseudo-random numbers, which are reproducible by their seed. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly next: () => number;
  /** Returns an integer from 0 (inclusive) to `count` (exclusive). */
  readonly below: (count: number) => number;
  /** Returns one of `items`. undefined if there are none. */
  readonly pick: <T>(items: readonly T[]) => T | undefined;
  /** Returns the items in random order. */
  readonly shuffle: <T>(items: readonly T[]) => T[];
}

/** Mixes the bits of a 32-bit number, so that consecutive numbers give different results. */
export function mix(value: number): number {
  let bits = (value ^ 0x9e3779b9) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35) >>> 0;
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Creates a generator. */
export function createRandom(seed: number): Random {
  let count = mix(seed);
  const next = (): number => {
    count = (count + 1) >>> 0;
    return mix(count) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (items) => items[below(items.length)],
    shuffle: (items) =>
      items
        .map((item) => ({ item, rank: next() }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ item }) => item),
  };
}
