import type { BucketUpdate } from '../../shared/sharedStore.ts';

/**
 * A full bucket of `size` tokens that gains `perMinute` tokens each minute. If `perMinute` is 0, it never runs out. It is a class
 * because every WebSocket has one: a function for each method would take half a kilobyte.
 */
export class TokenBucket {
  readonly size: number;
  readonly #perMinute: number;
  readonly #now: () => number;
  #tokens: number;
  #filled: number;
  #unreported = 0;

  /** `now` is a clock in ms. */
  constructor(size: number, perMinute: number, now: () => number) {
    this.size = size;
    this.#perMinute = perMinute;
    this.#now = now;
    this.#tokens = size;
    this.#filled = now();
  }

  #fill(): void {
    const time = this.#now();
    this.#tokens = Math.min(this.size, this.#tokens + ((time - this.#filled) * this.#perMinute) / 60_000);
    this.#filled = time;
  }

  /** Returns the ms until that many tokens can be taken, 0 if they can be taken now. Takes none. */
  wait(wantedTokens: number): number {
    if (this.#perMinute === 0 || wantedTokens === 0) return 0;
    this.#fill();
    return Math.max(0, ((Math.min(wantedTokens, this.size) - this.#tokens) * 60_000) / this.#perMinute);
  }

  /**
   * Takes tokens. Returns 0 if they were available, else takes none and returns the ms until they will be. More tokens than the
   * size can be taken from a full bucket. The level is then negative, down to minus the size.
   */
  take(wantedTokens: number): number {
    if (this.#perMinute === 0 || wantedTokens === 0) return 0;
    const wait = this.wait(wantedTokens);
    if (wait > 0) return wait;
    this.#tokens = Math.max(this.#tokens - wantedTokens, -this.size);
    this.#unreported += wantedTokens;
    return 0;
  }

  /** Takes tokens that are already used, whether or not they are available. The level does not fall below minus the size. */
  charge(usedTokens: number): void {
    if (this.#perMinute === 0) return;
    this.#fill();
    this.#tokens = Math.max(-this.size, this.#tokens - usedTokens);
    this.#unreported += usedTokens;
  }

  /** Returns the number of available tokens. Negative after more tokens than available were taken. */
  level(): number {
    this.#fill();
    return this.#perMinute === 0 ? this.size : this.#tokens;
  }

  /** Returns tokens that were taken and not used. */
  giveBack(returned: number): void {
    if (this.#perMinute === 0) return;
    this.#fill();
    this.#tokens = Math.min(this.size, this.#tokens + returned);
    this.#unreported -= returned;
  }

  /** Whether the bucket is full, like a new one. */
  isFull(): boolean {
    this.#fill();
    return this.#perMinute === 0 || this.#tokens === this.size;
  }

  /** Whether the bucket ever runs out. */
  isLimited(): boolean {
    return this.#perMinute > 0;
  }

  /** Tokens that were taken, less those that were given back, which have not been reported to other processes. */
  unreported(): number {
    return this.#unreported;
  }

  /** Returns what has not been reported, and counts it as reported. */
  report(): Omit<BucketUpdate, 'wanted'> {
    this.#fill();
    const usedTokens = Math.max(-this.size, Math.min(2 * this.size, this.#unreported));
    this.#unreported = 0;
    return {
      used: usedTokens,
      known: Math.min(this.size, this.#tokens + usedTokens),
      size: this.size,
      perMinute: this.#perMinute,
    };
  }

  /** Counts it as not reported again: the update did not reach the other processes. */
  unreport(usedTokens: number): void {
    this.#unreported += usedTokens;
  }

  /**
   * Sets the level to that of all processes, less what has not been reported. If they have lost the bucket (`isLost`), the level does not
   * rise, and the difference is reported.
   */
  learn(level: number, isLost: boolean): void {
    this.#fill();
    const learnt = Math.max(-this.size, Math.min(this.size, level - this.#unreported));
    if (isLost && learnt > this.#tokens) this.#unreported += learnt - this.#tokens;
    else this.#tokens = learnt;
  }
}
