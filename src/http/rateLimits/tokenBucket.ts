/** Tokens that come back with time. */
export interface TokenBucket {
  /**
   * Takes this many: 0 when they were there, else the ms until they will be. More than it ever holds can be taken when it is full;
   * it then owes the rest, but never more than it holds.
   */
  take(tokens: number): number;
  /** Takes this many that were used already, whether they are there or not; at most one whole bucket is owed. */
  charge(tokens: number): void;
  /** Tokens that are there now; below 0 after more were taken than it holds. */
  level(): number;
  /** Puts tokens back that were taken for nothing. */
  giveBack(tokens: number): void;
  /** Whether it is as it was made. */
  isFull(): boolean;
}

/** Makes a full bucket of `size` tokens, of which `perMinute` come back; 0 never runs out. `now` is a clock in ms. */
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
