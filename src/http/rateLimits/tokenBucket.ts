/** A token bucket. */
export interface TokenBucket {
  /**
   * Takes tokens. Returns 0 if they were available, else takes none and returns the ms until they will be. More tokens than the
   * size can be taken from a full bucket. The level is then negative, down to minus the size.
   */
  take(tokens: number): number;
  /** Takes tokens that are already used, whether or not they are available. The level does not fall below minus the size. */
  charge(tokens: number): void;
  /** Returns the number of available tokens. Negative after more tokens than available were taken. */
  level(): number;
  /** Returns tokens that were taken and not used. */
  giveBack(tokens: number): void;
  /** Whether the bucket is full, like a new one. */
  isFull(): boolean;
}

/**
 * Creates a full bucket of `size` tokens that gains `perMinute` tokens each minute. If `perMinute` is 0, it never runs out.
 * `now` is a clock in ms.
 */
export function createTokenBucket(size: number, perMinute: number, now: () => number): TokenBucket {
  let tokens = size;
  let filled = now();

  function fill(): void {
    const time = now();
    tokens = Math.min(size, tokens + ((time - filled) * perMinute) / 60_000);
    filled = time;
  }

  return {
    take(wanted) {
      if (perMinute === 0 || wanted === 0) return 0;
      fill();
      const needed = Math.min(wanted, size);
      if (tokens < needed) return ((needed - tokens) * 60_000) / perMinute;
      tokens = Math.max(tokens - wanted, -size);
      return 0;
    },
    charge(used) {
      if (perMinute === 0) return;
      fill();
      tokens = Math.max(-size, tokens - used);
    },
    level() {
      fill();
      return perMinute === 0 ? size : tokens;
    },
    giveBack(returned) {
      if (perMinute === 0) return;
      fill();
      tokens = Math.min(size, tokens + returned);
    },
    isFull() {
      fill();
      return perMinute === 0 || tokens === size;
    },
  };
}
