import { createHash } from 'node:crypto';
import type { BoundedCache } from '../memory/sharedCache.ts';
import { bufferBytes, ownBytes } from '../memory/sizes.ts';

/** What a read is known by for ever: what was read at a height never changes. */
export interface ReadKey {
  /** Chain id, with a number behind it after the chain was reset or a newest block was given up. */
  readonly chain: string;
  readonly height: bigint;
  /** ABCI path, or `rpc:` and a method whose answer is immutable at a height. */
  readonly path: string;
  readonly request: Uint8Array;
}

/**
 * Where raw answers are kept. Asynchronous, so that a shared store can stand here; a store that fails is a miss, never a failure.
 * Only what a checked height will always answer is put.
 */
export interface StateStore {
  get(key: ReadKey): Promise<Uint8Array | undefined>;
  put(key: ReadKey, answer: Uint8Array): Promise<void>;
  /** Drops everything: the chain was reset, or a newest block was given up. */
  clear(): Promise<void>;
}

/** Requests above this number of bytes stand in a key as their hash. Most requests are an address or an id. */
const longestRequest = 96;

/** Text that is the same for equal keys and different for others. */
export function readKeyText({ chain, height, path, request }: ReadKey): string {
  const bytes = Buffer.from(request.buffer, request.byteOffset, request.byteLength);
  const isLong = bytes.length > longestRequest || path.length > longestRequest;
  if (!isLong) return `${chain}/${height}${path}?${bytes.toString('base64')}`;
  // A path has no NUL, and the base64 of a request no `#`.
  return `${chain}/${height}#${createHash('sha256').update(`${path}\0`).update(bytes).digest('base64')}`;
}

/** Memory of an answer, beside its key. */
export function sizeOfAnswer(answer: Uint8Array): number {
  return bufferBytes + answer.byteLength;
}

/** A store in this process, which keeps answers in `cache`. */
export function createMemoryStateStore(cache: BoundedCache<Uint8Array>): StateStore {
  return {
    get: (key) => Promise.resolve(cache.get(readKeyText(key))),
    put: (key, answer) => {
      cache.set(readKeyText(key), ownBytes(answer));
      return Promise.resolve();
    },
    clear() {
      cache.clear();
      return Promise.resolve();
    },
  };
}
