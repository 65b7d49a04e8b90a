import { createHash } from 'node:crypto';
import { type BoundedCache, bufferBytes, ownBytes } from '../memory/memoryBudget.ts';
import type { DecodedValue } from './decoder.ts';

/** A query method and an encoded request. */
export interface EncodedQuery {
  /** ABCI path, or `rpc:` and a method whose result at a height never changes. */
  readonly path: string;
  readonly request: Uint8Array;
  /** The text of {@link queryText}. Absent if it is not known yet. */
  readonly text?: string | undefined;
}

/** Identifies a query of the state. Its response never changes. */
export interface ReadKey extends EncodedQuery {
  /** Chain id, plus a counter once the chain was reset or its newest block was withdrawn. */
  readonly chain: string;
  /** The height that the query names. */
  readonly height: bigint;
  /** The state that the response depends on, as text of `StateRoots.keyAt`. If present, the key is equal at every height with this state. */
  readonly roots?: string | undefined;
}

/** A response in the memory of this process. */
export interface StateEntry {
  readonly answer: Uint8Array;
  /** The value that was made of the response last. Undefined until the response is decoded. */
  readonly decoded: DecodedValue<unknown> | undefined;
}

/**
 * Stores raw responses. It is asynchronous so that a shared store can implement it. A store that fails is a miss, never an
 * error. Stele only puts responses that are final for their height.
 */
export interface StateStore {
  get(key: ReadKey): Promise<Uint8Array | undefined>;
  put(key: ReadKey, answer: Uint8Array): Promise<void>;
  /** The response in the memory of this process, at once. Absent if the store keeps nothing in memory. */
  peek?(key: ReadKey): StateEntry | undefined;
  /** Keeps a decoded value beside the response that `peek` returned. Does nothing if that response is not stored any more. */
  keepDecoded?(key: ReadKey, entry: StateEntry, decoded: DecodedValue<unknown>): void;
  /** Removes everything, because the chain was reset or its newest block was withdrawn. */
  clear(): Promise<void>;
}

/** Longer requests, in bytes, are hashed in keys. Most requests are an address or an id. */
const longestRequest = 96;

/** Text that is equal for equal paths and requests and differs for others. */
function queryText(path: string, request: Uint8Array): string {
  const bytes = Buffer.from(request.buffer, request.byteOffset, request.byteLength);
  const isLong = bytes.length > longestRequest || path.length > longestRequest;
  if (!isLong) return `${path}?${bytes.toString('base64')}`;
  // A path contains no NUL, and the base64 of a request no `#`.
  return `#${createHash('sha256').update(`${path}\0`).update(bytes).digest('base64')}`;
}

/** A query that is read several times: its text is computed once. */
export function encodedQuery(path: string, request: Uint8Array): EncodedQuery {
  return { path, request, text: queryText(path, request) };
}

/** Text that is equal for equal keys and differs for others. */
export function readKeyText({ chain, height, roots, path, request, text = queryText(path, request) }: ReadKey): string {
  return roots === undefined ? `${chain}/${height}${text}` : `${chain}/~${roots}${text}`;
}

/** Memory of a response and its decoded value, without its key. */
export function sizeOfEntry({ answer, decoded }: StateEntry): number {
  return bufferBytes + answer.byteLength + (decoded?.size ?? 0);
}

/** Makes a store in this process that keeps responses in `cache`. */
export function createMemoryStateStore(cache: BoundedCache<StateEntry>): StateStore {
  return {
    get: (key) => Promise.resolve(cache.get(readKeyText(key))?.answer),
    put: (key, answer) => {
      cache.set(readKeyText(key), { answer: ownBytes(answer), decoded: undefined });
      return Promise.resolve();
    },
    peek(key) {
      // A miss is counted by the `get` that follows it.
      return cache.use(readKeyText(key));
    },
    keepDecoded(key, entry, decoded) {
      const text = readKeyText(key);
      if (cache.peek(text) !== entry) return;
      cache.set(text, { answer: entry.answer, decoded });
      // A decoded value may be too large to be stored. The response is not.
      if (cache.peek(text) === undefined) cache.set(text, entry);
    },
    clear() {
      cache.clear();
      return Promise.resolve();
    },
  };
}
