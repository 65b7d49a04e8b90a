import { backoff, pause } from '../chain/base/time.ts';
import { type ReadKey, type SharedReads, TotalWait } from '../chain/state/stateEntries.ts';
import type { Limits } from '../config/limits/limits.ts';

export type Found =
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
 * What several processes of Stele share: values that never change, and counters. No call rejects. A call resolves to undefined, or a `put`
 * to false, if the store cannot be used, at once or within `shared.wait`.
 */
export interface SharedStore {
  readonly claimTime: number;
  /** Returns the value of the first of these keys that has one. If none has, claims the key `claim`. The keys belong to the same `group`. */
  find(group: string, keys: readonly string[], claim: string): Promise<Found | undefined>;
  /** Returns the value of a key. null if it has none. */
  get(group: string, key: string): Promise<Uint8Array | null | undefined>;
  /**
   * Stores a value for `ttl` ms, and ends the claim of a key of the same group. Larger values than `shared.value` are not stored. Returns
   * whether the store has confirmed it.
   */
  put(group: string, key: string, value: Uint8Array, ttl: number, claim?: string): Promise<boolean>;
  /** Ends a claim without a value, so that others need not wait. */
  release(group: string, key: string): Promise<void>;
  /** Adds what this process used, takes what it wants, and returns what all processes know. */
  count(update: CountUpdate): Promise<Counted | undefined>;
  isUsable(): boolean;
  stats(): SharedStats;
  close(): Promise<void>;
}

/** Counters of a store for operators, since the start. */
interface SharedStats {
  readonly isUsable: boolean;
  /** Calls by outcome. `skipped`: the store was not asked, because it was lost. */
  readonly calls: Readonly<Record<'answered' | 'failed' | 'skipped', number>>;
  readonly hits: number;
  readonly misses: number;
  readonly losses: number;
}

/**
 * The longest waits of one request for the shared store, in ms: for what its caller has used at other processes, for the document that it names,
 * and for all of its reads of the state, `shared.wait` together. A broadcast waits for nothing but its count, `exact`.
 */
export function storeWaits({ 'shared.wait': wait }: Pick<Limits, 'shared.wait'>) {
  return { counters: wait / 4, documents: wait / 4, exact: wait, reads: wait / 2 };
}

/** How long a response stays in the store, in ms. It never changes, so this only bounds the memory of the store. */
const readTime = 15 * 60_000;

/** The waits for the response of another process, in ms. */
const waitAfter = backoff({ first: 4 });

/**
 * Creates the reads that processes share. Keys hold the roots of the stores that a response depends on. If those are unknown, they hold the
 * height and the hash of its block, so that a chain that was reset under the same id finds nothing of the old one; `blockHash` returns that
 * hash, or undefined if the block is not in memory. Such a response is not shared. `longest` is how long one request waits for all of its
 * commands, in ms. The wait for a response that another process reads is no wait for the store.
 */
export function createSharedReads(
  store: SharedStore,
  { blockHash, longest }: { readonly blockHash: (height: bigint) => string | undefined; readonly longest: number },
): SharedReads {
  /** The keys of a query have a group of their own. */
  function groupOf({ path, request }: ReadKey): string {
    return `${path}?${Buffer.from(request.buffer, request.byteOffset, request.byteLength).toString('base64')}`;
  }

  function keyOf({ height, roots }: ReadKey): string | undefined {
    if (roots !== undefined) return `roots ${roots}`;
    const hash = blockHash(height);
    return hash === undefined ? undefined : `block ${height} ${hash}`;
  }

  return {
    async find(keys, claim, storeWait) {
      const claimKey = keyOf(claim);
      const group = groupOf(claim);
      const end = performance.now() + store.claimTime;
      for (let tries = 1; store.isUsable(); tries += 1) {
        const candidates = keys().flatMap((key) => {
          const text = keyOf(key);
          return text === undefined ? [] : [{ key, text }];
        });
        const texts = candidates.map(({ text }) => text);
        if (claimKey === undefined || texts.length === 0) return undefined;
        const reply = await storeWait.within(longest, () => store.find(group, texts, claimKey));
        const key = reply?.kind === 'value' ? candidates[reply.index]?.key : undefined;
        if (reply?.kind === 'value' && key !== undefined) return { key, answer: reply.value };
        const remaining = end - performance.now();
        if (reply?.kind !== 'elsewhere' || remaining <= 0) return undefined;
        await pause(Math.min(waitAfter(tries), remaining));
      }
      return undefined;
    },
    put(key, answer, claim) {
      const text = keyOf(key);
      if (text !== undefined && store.isUsable()) void store.put(groupOf(key), text, answer, readTime, keyOf(claim));
    },
    release(claim) {
      const claimKey = keyOf(claim);
      if (claimKey !== undefined && store.isUsable()) void store.release(groupOf(claim), claimKey);
    },
  };
}

/** How long a document stays in the store after it was added, in ms. Clients send it again after that. */
const documentTime = 7 * 24 * 60 * 60_000;

const group = 'documents';

/** Creates the documents that clients have sent with their hashes to any process. They are stored for seven days. A request waits `longest` ms for one. */
export function createSharedDocuments(store: SharedStore, longest: number) {
  return {
    async get(hash: string): Promise<string | undefined> {
      const bytes = await new TotalWait().within(longest, () => store.get(group, hash));
      return bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString() : undefined;
    },
    add: (hash: string, text: string): void => void store.put(group, hash, Buffer.from(text), documentTime),
  };
}
