import { LRUCache } from 'lru-cache';

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

/** Text that is the same for equal keys and different for others. */
export function readKeyText(key: ReadKey): string {
  return `${key.chain}/${key.height}${key.path}?${Buffer.from(key.request.buffer, key.request.byteOffset, key.request.byteLength).toString('base64')}`;
}

/** Approximate cost of an entry beside its bytes: map node, key string, buffer header. */
const entryOverhead = 200;

/** A store in this process, bounded by `maxBytes` (64 MiB if absent), least recently used out first. */
export function createMemoryStateStore(options: { readonly maxBytes?: number } = {}): StateStore {
  const entries = new LRUCache<string, Uint8Array>({
    maxSize: options.maxBytes ?? 64 * 1024 * 1024,
    sizeCalculation: (answer, key) => answer.byteLength + key.length * 2 + entryOverhead,
  });
  return {
    get: (key) => Promise.resolve(entries.get(readKeyText(key))),
    put: (key, answer) => {
      entries.set(readKeyText(key), answer);
      return Promise.resolve();
    },
    clear() {
      entries.clear();
      return Promise.resolve();
    },
  };
}
