import type { Limits } from '../config/limits/limits.ts';

/** What {@link SharedStore.find} found. */
export type Found =
  /** The value under `keys[index]`. */
  | { readonly kind: 'value'; readonly index: number; readonly value: Uint8Array }
  /** There is no value. The caller makes it, and no other process does until {@link SharedStore.put} or `claimTime` ms have passed. */
  | { readonly kind: 'claimed' }
  /** There is no value, and another process is making it. */
  | { readonly kind: 'elsewhere' };

/** A rate of one caller, as one process knows it. */
export interface BucketUpdate {
  /** What this process took since its last update. Negative if it gave back more than it took. */
  readonly used: number;
  /** The level that this process knows, before `used`. It counts if the store has lost the bucket. */
  readonly known: number;
  readonly size: number;
  /** Tokens that the bucket gains each minute: more than 0. */
  readonly perMinute: number;
  /** Tokens to take if they are available after `used`; as many as `size` if it is more. */
  readonly wanted: number;
}

/** What one process reports about one caller. */
export interface CountUpdate {
  /** A digest of the caller's name. Names may be addresses and subjects of tokens, so they are not stored. */
  readonly name: string;
  /** The rates of the caller, always in the same order. */
  readonly buckets: readonly BucketUpdate[];
  /** How many slots of each limit this process has taken, always in the same order. They count for {@link placeTime} ms. */
  readonly places: readonly number[];
}

/** What all processes together know about one caller. */
export interface Counted {
  /** The level of each bucket after the update. */
  readonly levels: readonly number[];
  /** Whether all that was wanted was available, and was taken. Else nothing of it was. */
  readonly isGranted: boolean;
  /** How many slots the other processes have taken. */
  readonly elsewhere: readonly number[];
  /** Another text if the store has lost the caller, or dropped it because nothing was used. */
  readonly version: string;
}

/** How long a claim of {@link SharedStore.find} lasts by default, in ms. No read waits longer than this for a value. */
export const defaultClaimTime = 200;

/** How long the slots of a process count after its last update, in ms. A process that dies gives them back after this time. */
export const placeTime = 15_000;

/**
 * What several processes of Stele share: values that never change, and counters. No call rejects. A call resolves to undefined if
 * the store cannot be used, at once or within `shared.wait`.
 */
export interface SharedStore {
  /** How long a claim lasts, in ms. */
  readonly claimTime: number;
  /**
   * Returns the value of the first of these keys that has one. If none has, claims the key `claim`. The keys
   * belong to the same `group`.
   */
  find(group: string, keys: readonly string[], claim: string): Promise<Found | undefined>;
  /** Returns the value of a key. Undefined also if it has none. */
  get(group: string, key: string): Promise<Uint8Array | undefined>;
  /** Stores a value for `ttl` ms, and ends the claim of a key of the same group. Larger values than `shared.value` are not stored. */
  put(group: string, key: string, value: Uint8Array, ttl: number, claim?: string): Promise<void>;
  /** Ends a claim without a value, so that others need not wait. */
  release(group: string, key: string): Promise<void>;
  /** Adds what this process used, takes what it wants, and returns what all processes know. */
  count(update: CountUpdate): Promise<Counted | undefined>;
  /** Whether calls are tried now. */
  isUsable(): boolean;
  stats(): SharedStats;
  close(): Promise<void>;
}

/** Counters of a store for operators, since the start. */
interface SharedStats {
  readonly isUsable: boolean;
  /** Calls by outcome. `skipped`: the store was not asked, because it was lost. */
  readonly calls: Readonly<Record<'answered' | 'failed' | 'skipped', number>>;
  /** Values that were found, and those that were not. */
  readonly hits: number;
  readonly misses: number;
  /** How often the store was lost. */
  readonly losses: number;
}

/** The longest waits of one request for the shared store, in ms. Those for counters, documents and reads are `shared.wait` together. */
interface StoreWaits {
  /** For what its caller has used at other processes. */
  readonly counters: number;
  /** For the document that it names. */
  readonly documents: number;
  /** To count a broadcast, which may wait for nothing else. */
  readonly exact: number;
  /** For all of its reads of the state. */
  readonly reads: number;
}

/** Divides `shared.wait` among what a request waits for. */
export function storeWaits({ 'shared.wait': wait }: Pick<Limits, 'shared.wait'>): StoreWaits {
  return { counters: wait / 4, documents: wait / 4, exact: wait, reads: wait / 2 };
}
