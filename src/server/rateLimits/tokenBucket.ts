import type { BucketUpdate } from '../../shared/sharedStore.ts';

/** A token bucket. */
export interface TokenBucket {
  /**
   * Takes tokens. Returns 0 if they were available, else takes none and returns the ms until they will be. More tokens than the
   * size can be taken from a full bucket. The level is then negative, down to minus the size.
   */
  take(tokens: number): number;
  /** Returns the ms until that many tokens can be taken, 0 if they can be taken now. Takes none. */
  wait(tokens: number): number;
  /** Takes tokens that are already used, whether or not they are available. The level does not fall below minus the size. */
  charge(tokens: number): void;
  /** Returns the number of available tokens. Negative after more tokens than available were taken. */
  level(): number;
  /** Returns tokens that were taken and not used. */
  giveBack(tokens: number): void;
  /** Whether the bucket is full, like a new one. */
  isFull(): boolean;
  /** Whether the bucket ever runs out. */
  isLimited(): boolean;
  readonly size: number;
  /** Tokens that were taken, less those that were given back, which have not been reported to other processes. */
  unreported(): number;
  /** Returns what has not been reported, and counts it as reported. */
  report(): Omit<BucketUpdate, 'wanted'>;
  /** Counts it as not reported again: the update did not reach the other processes. */
  unreport(used: number): void;
  /**
   * Sets the level to that of all processes, less what has not been reported. If they have lost the bucket (`isLost`), the level does not
   * rise, and the difference is reported.
   */
  learn(level: number, isLost: boolean): void;
}

/** It is a class because every WebSocket has one: a function for each method would take half a kilobyte. */
class FullAtFirst implements TokenBucket {
  readonly size: number;
  readonly #perMinute: number;
  readonly #now: () => number;
  #tokens: number;
  #filled: number;
  #unreported = 0;

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

  wait(wanted: number): number {
    if (this.#perMinute === 0 || wanted === 0) return 0;
    this.#fill();
    return Math.max(0, ((Math.min(wanted, this.size) - this.#tokens) * 60_000) / this.#perMinute);
  }

  take(wanted: number): number {
    if (this.#perMinute === 0 || wanted === 0) return 0;
    const wait = this.wait(wanted);
    if (wait > 0) return wait;
    this.#tokens = Math.max(this.#tokens - wanted, -this.size);
    this.#unreported += wanted;
    return 0;
  }

  charge(used: number): void {
    if (this.#perMinute === 0) return;
    this.#fill();
    this.#tokens = Math.max(-this.size, this.#tokens - used);
    this.#unreported += used;
  }

  level(): number {
    this.#fill();
    return this.#perMinute === 0 ? this.size : this.#tokens;
  }

  giveBack(returned: number): void {
    if (this.#perMinute === 0) return;
    this.#fill();
    this.#tokens = Math.min(this.size, this.#tokens + returned);
    this.#unreported -= returned;
  }

  isFull(): boolean {
    this.#fill();
    return this.#perMinute === 0 || this.#tokens === this.size;
  }

  isLimited(): boolean {
    return this.#perMinute > 0;
  }

  unreported(): number {
    return this.#unreported;
  }

  report(): Omit<BucketUpdate, 'wanted'> {
    this.#fill();
    const used = Math.max(-this.size, Math.min(2 * this.size, this.#unreported));
    this.#unreported = 0;
    return { used, known: Math.min(this.size, this.#tokens + used), size: this.size, perMinute: this.#perMinute };
  }

  unreport(used: number): void {
    this.#unreported += used;
  }

  learn(level: number, isLost: boolean): void {
    this.#fill();
    const learnt = Math.max(-this.size, Math.min(this.size, level - this.#unreported));
    if (isLost && learnt > this.#tokens) this.#unreported += learnt - this.#tokens;
    else this.#tokens = learnt;
  }
}

/**
 * Creates a full bucket of `size` tokens that gains `perMinute` tokens each minute. If `perMinute` is 0, it never runs out.
 * `now` is a clock in ms.
 */
export function createTokenBucket(size: number, perMinute: number, now: () => number): TokenBucket {
  return new FullAtFirst(size, perMinute, now);
}
