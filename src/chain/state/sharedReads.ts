import type { ReadKey } from './stateStore.ts';
import type { StoreWait } from './storeWait.ts';

/** A response of another process. */
export interface SharedRead {
  /** The key that it was stored under. */
  readonly key: ReadKey;
  readonly answer: Uint8Array;
}

/** Responses that several processes share, so that they ask the nodes once. A process looks into its own memory first. */
export interface SharedReads {
  /**
   * Finds the response under one of the keys of a query. If there is none, the caller reads it from a node, and calls `put` or `release`
   * with `claim`; it waits a moment if another process is reading it. `keys` is called again after each wait, because the roots may have
   * been learnt. Never rejects.
   */
  find(keys: () => readonly ReadKey[], claim: ReadKey, wait: StoreWait): Promise<SharedRead | undefined>;
  /** Stores a response. `claim` is the one that was passed to `find`. */
  put(key: ReadKey, answer: Uint8Array, claim: ReadKey): void;
  /** The read failed, so others need not wait for it. */
  release(claim: ReadKey): void;
}
