import type { Limits } from '../config/limits/limits.ts';

/** The longest waits of one request for the shared store, in ms. Those for counters, documents and reads are `shared.wait` together. */
export interface StoreWaits {
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
