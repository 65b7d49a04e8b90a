/** Random choices that depend on a seed alone. */
export interface Random {
  /** An integer from 0 to below `bound`. */
  below(bound: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
}

/** A number that depends on all bits of the values. */
export function hash(...values: readonly (string | number)[]): number {
  let state = 0x811c9dc5;
  for (const character of values.join(' ')) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  state = Math.imul(state ^ (state >>> 15), 0x85ebca6b);
  return (state ^ (state >>> 13)) >>> 0;
}

/** Creates the choices of a seed. */
export function createRandom(seed: number): Random {
  let step = 0;
  const below = (bound: number): number => {
    step += 1;
    return hash(seed, step) % bound;
  };
  return {
    below,
    chance: (probability) => below(1_000) < 1_000 * probability,
    pick: (values) => values[below(values.length)]!,
  };
}
