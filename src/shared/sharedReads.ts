import { pause } from '../chain/base/waiting.ts';
import type { ReadKey, SharedReads } from '../chain/state/stateStore.ts';
import type { SharedStore } from './sharedStore.ts';

/** How long a response stays in the store, in ms. It never changes, so this only bounds the memory of the store. */
const readTime = 15 * 60_000;

/** The first wait for the response of another process, in ms, doubled each time. */
const firstWait = 4;

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
      const claimed = keyOf(claim);
      const group = groupOf(claim);
      const end = performance.now() + store.claimTime;
      for (let wait = firstWait; store.isUsable(); wait *= 2) {
        const named = keys().flatMap((key) => {
          const text = keyOf(key);
          return text === undefined ? [] : [{ key, text }];
        });
        const texts = named.map(({ text }) => text);
        if (claimed === undefined || texts.length === 0) return undefined;
        const found = await storeWait.within(longest, () => store.find(group, texts, claimed));
        const key = found?.kind === 'value' ? named[found.index]?.key : undefined;
        if (found?.kind === 'value' && key !== undefined) return { key, answer: found.value };
        const left = end - performance.now();
        if (found?.kind !== 'elsewhere' || left <= 0) return undefined;
        await pause(Math.min(wait, left));
      }
      return undefined;
    },
    put(key, answer, claim) {
      const text = keyOf(key);
      if (text !== undefined && store.isUsable()) void store.put(groupOf(key), text, answer, readTime, keyOf(claim));
    },
    release(claim) {
      const claimed = keyOf(claim);
      if (claimed !== undefined && store.isUsable()) void store.release(groupOf(claim), claimed);
    },
  };
}
