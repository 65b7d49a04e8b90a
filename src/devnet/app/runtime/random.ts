/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** At or above 0, below 1. */
  readonly next: () => number;
  /** A whole number at or above 0, below `count`. */
  readonly below: (count: number) => number;
  /** One of `items`; undefined when there are none. */
  readonly pick: <T>(items: readonly T[]) => T | undefined;
  /** The same items in another order. */
  readonly shuffle: <T>(items: readonly T[]) => T[];
}

/** A 32-bit mix of a number, so that neighbouring numbers give unlike ones. */
export function mix(value: number): number {
  let bits = (value ^ 0x9e3779b9) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35) >>> 0;
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Makes a generator. */
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
