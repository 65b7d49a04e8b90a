import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Registry } from '@bufbuild/protobuf';
import { LRUCache } from 'lru-cache';
import { isChainError } from '../base/errors.ts';
import { backoff } from '../base/time.ts';
import type { Head } from '../blocks/head.ts';
import { createInFlight } from '../memory/inFlight.ts';
import { type BoundedCache, type CacheCounts, deepFrozen } from '../memory/memoryBudget.ts';
import { refusalError } from '../rpc/rpcErrors.ts';
import type { Transport } from '../transports/transport.ts';
import { asObject, bytesAt, intAt, type JsonValue, malformed, objectAt } from '../wire/json.ts';
import { type AnyMessage, anyJson } from '../wire/protoJson.ts';
import { createDescriptorPool, type DescriptorPool } from './descriptorPool.ts';

/** Descriptors on disk, so that a start does not wait for a megabyte from a node. Every failure of the disk counts as a miss. */
export interface DescriptorCache {
  /** The descriptors of a chain at a version of its application; undefined if they are absent or damaged. */
  get(chainId: string, version: string): Promise<Uint8Array | undefined>;
  put(chainId: string, version: string, bytes: Uint8Array): Promise<void>;
}

function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Creates a cache in a directory. It stores descriptors by their hash, and for each chain and version the hash of its
 * descriptors.
 */
export function createDescriptorCache(directory: string): DescriptorCache {
  const bytesAt = (hash: string): string => join(directory, `${hash}.binpb`);
  // A file name that is valid on any file system, whatever the chain id contains.
  const hashAt = (chainId: string, version: string): string =>
    join(directory, `${sha256(`${chainId}\0${version}`).slice(0, 32)}.sha256`);

  /** Replaces the file atomically. */
  async function write(path: string, content: string | Uint8Array): Promise<void> {
    const beside = `${path}.${process.pid}.tmp`;
    await writeFile(beside, content);
    await rename(beside, path);
  }

  return {
    async get(chainId, version) {
      try {
        const hash = await readFile(hashAt(chainId, version), 'utf8');
        if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
        const bytes = await readFile(bytesAt(hash));
        return sha256(bytes) === hash ? bytes : undefined;
      } catch {
        return undefined;
      }
    },
    async put(chainId, version, bytes) {
      try {
        await mkdir(directory, { recursive: true });
        const hash = sha256(bytes);
        await write(bytesAt(hash), bytes);
        await write(hashAt(chainId, version), hash);
      } catch {
        // The next start reads the descriptors from a node again.
      }
    },
  };
}

/**
 * Creates a check of descriptors. It decodes equal bytes only once and returns the same pool for them. Rejects with
 * NODE_INVALID_RESPONSE if the bytes are empty, lack a file or do not parse; this outcome is kept too. Two outcomes are kept: that of the current
 * descriptors, and that of a candidate from a node or file. `decode` makes the pool.
 */
export function createDescriptorCheck(decode = createDescriptorPool): (bytes: Uint8Array) => Promise<DescriptorPool> {
  const outcomes = new LRUCache<string, Promise<DescriptorPool>>({ max: 2 });

  async function check(bytes: Uint8Array): Promise<DescriptorPool> {
    const pool = decode(bytes);
    await pool.check();
    return pool;
  }

  return (bytes) => {
    const hash = sha256(bytes);
    const outcome = outcomes.get(hash) ?? check(bytes);
    outcome.catch(() => undefined);
    outcomes.set(hash, outcome);
    return outcome;
  };
}

/** Longer messages, in bytes, are hashed in keys. */
const longestMessage = 96;

/** The keys of long messages by their bytes, which many operations share and none changes. */
const longKeys = new WeakMap<Uint8Array, { readonly type: string; readonly key: string }>();

/** Text that is equal for equal messages and differs for others. */
function messageKey({ type, value }: AnyMessage): string {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (bytes.length <= longestMessage && type.length <= longestMessage) return `${type} ${bytes.toString('base64')}`;
  const keyBefore = longKeys.get(value);
  if (keyBefore?.type === type) return keyBefore.key;
  const key = createHash('sha256').update(`${type}\0`).update(bytes).digest('base64');
  longKeys.set(value, { type, key });
  return key;
}

/**
 * Makes a function like {@link anyJson} that keeps its results in `cache`, because the JSON of a message depends on its types alone.
 * Other types empty the cache. Results are frozen.
 */
function createMessageJson(cache: BoundedCache<JsonValue> | undefined): (registry: Registry, message: AnyMessage) => JsonValue {
  let types: Registry | undefined;
  return (registry, message) => {
    if (types !== registry) {
      cache?.clear();
      types = registry;
    }
    const key = messageKey(message);
    const inCache = cache?.get(key);
    if (inCache !== undefined) return inCache;
    const json = deepFrozen(anyJson(registry, message));
    cache?.set(key, json);
    return json;
  };
}

/** The protobuf types that the chain describes. */
export type Descriptors = ReturnType<typeof createDescriptors>;

/**
 * Memory of a decoded descriptor in multiples of its encoded size, including the encoded bytes and the index of names. Measured
 * with Provenance v1.29.
 */
const decodedFactor = 13;

/** The same before any file is decoded. */
const outlineFactor = 1.6;

/** Every application since Cosmos SDK 0.47 serves this query, at any height (docs/chain.md, "Descriptors"). */
const path = '/cosmos.reflection.v1.ReflectionService/FileDescriptors';

/** The version that the application reports, such as `v1.29.0`. */
function decodeVersion(result: JsonValue): string {
  const { version } = objectAt(asObject(result, 'abci_info'), 'response');
  return typeof version === 'string' ? version : '';
}

/** Field 1 of `FileDescriptorsResponse` holds the files, as in `FileDescriptorSet`, so the bytes decode as both. */
function decodeReply(result: JsonValue): Uint8Array {
  const response = objectAt(asObject(result, 'abci_query'), 'response');
  if (intAt(response, 'code') !== 0) throw refusalError(response, 0n);
  const value = bytesAt(response, 'value');
  if (value === undefined) throw malformed('no descriptors');
  return value;
}

/** Longest wait in ms before invalid descriptors are read again. */
const longestWait = 60_000;

/** Nothing is read before the first use. */
export function createDescriptors(options: {
  readonly head: Head;
  readonly transport: Transport;
  /** Where descriptors are kept between starts; undefined to keep none. */
  readonly cache?: DescriptorCache | undefined;
  /** Time in ms after which the application's version is read again: 60,000. */
  readonly checkInterval?: number;
  /** First wait in ms before invalid descriptors are read again, doubled each time up to a minute: 1,000. */
  readonly retryWait?: number;
  /**
   * Most memory, in bytes, for descriptors when all of them are decoded. A response that needs more is rejected. No bound if
   * absent.
   */
  readonly maxBytes?: number;
  /** Where the JSON of messages is kept. If absent, it is not kept. */
  readonly messages?: BoundedCache<JsonValue>;
}) {
  const {
    head,
    transport,
    cache,
    checkInterval = 60_000,
    retryWait: first = 1_000,
    maxBytes = Number.POSITIVE_INFINITY,
  } = options;
  const waitAfter = backoff({ first, max: longestWait });
  const inFlight = createInFlight<DescriptorPool>();
  const check = createDescriptorCheck((bytes) => {
    if (bytes.length * decodedFactor > maxBytes)
      throw malformed(`descriptors of ${bytes.length} bytes, which is more than cache.bytes allows`);
    return createDescriptorPool(bytes);
  });
  let loaded: { readonly version: string; readonly pool: DescriptorPool } | undefined;
  let refusal: unknown;
  let checkedAt = 0;
  let hits = 0;
  let misses = 0;
  /** The last error of invalid descriptors, the number of such failures in a row, and the end of the wait. */
  let rejected: { readonly error: unknown; readonly times: number; readonly until: number } | undefined;
  /** How often blocks had been subscribed to when the version was read. */
  let subscriptions = 0;
  const listeners = new Set<() => void>();
  const versionListeners = new Set<() => void>();
  /** The last version that was read. */
  let versionBefore: string | undefined;
  /** Whether the file on disk may be of another application: no node has confirmed it since the start or since a reset of the chain. */
  let isDiskOld = false;
  /** Whether the types in use are those of the file, and no node has confirmed them. A rebuilt application may report the version of the old one. */
  let isUnconfirmed = false;

  head.onRewind(({ kind }) => {
    if (kind !== 'RESET') return;
    loaded = undefined;
    refusal = undefined;
    rejected = undefined;
    isDiskOld = true;
  });
  // A node that restarts may have another version.
  head.onBlock(() => {
    if (loaded !== undefined && head.stats().subscriptions !== subscriptions) checkInBackground();
  });

  async function readFrom(
    { call }: Pick<Transport, 'call'>,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: Uint8Array; readonly pool: DescriptorPool }> {
    const bytes = await call('abci_query', { path, data: '', height: '0', prove: false }, { signal, decode: decodeReply });
    return { bytes, pool: await check(bytes) };
  }

  /** Reads from the best node. If its descriptors are invalid, reads from the others. */
  async function readFromNodes(signal: AbortSignal): ReturnType<typeof readFrom> {
    try {
      return await readFrom(transport, signal);
    } catch (error) {
      if (!isChainError(error, 'NODE_INVALID_RESPONSE')) throw error;
      const all = (await transport.handles?.()) ?? [];
      // With a single node there is no alternative.
      for (const handle of all.length > 1 ? all : []) {
        try {
          return await readFrom(handle, signal);
        } catch {
          signal.throwIfAborted();
        }
      }
      throw error;
    }
  }

  async function read(chainId: string, version: string, signal: AbortSignal): Promise<DescriptorPool> {
    // Without a version, a cached file could belong to another version.
    const disk = version === '' ? undefined : cache;
    const file = isDiskOld ? undefined : await disk?.get(chainId, version);
    if (file !== undefined) {
      try {
        const pool = await check(file);
        isDiskOld = true;
        isUnconfirmed = true;
        return pool;
      } catch {
        // The file is invalid and will be replaced.
      }
    }
    const { bytes, pool } = await readFromNodes(signal);
    await disk?.put(chainId, version, bytes);
    isDiskOld = false;
    isUnconfirmed = false;
    return pool;
  }

  async function load(signal: AbortSignal): Promise<DescriptorPool> {
    const { chainId } = await head.ready({ signal });
    const generation = head.generation();
    subscriptions = head.stats().subscriptions;
    const version = await transport.call('abci_info', {}, { signal, decode: decodeVersion });
    if (loaded?.version !== version || version === '' || isUnconfirmed) {
      try {
        const pool = await read(chainId, version, signal);
        // These belong to the chain before a reset, so they are not kept.
        if (generation !== head.generation()) return pool;
        const poolBefore = loaded?.pool;
        loaded = { version, pool };
        refusal = undefined;
        rejected = undefined;
        if (pool !== poolBefore) for (const listener of listeners) listener();
      } catch (error) {
        if (isChainError(error, 'NODE_INVALID_RESPONSE')) {
          const times = (rejected?.times ?? 0) + 1;
          rejected = { error, times, until: performance.now() + waitAfter(times) };
        }
        if (!isChainError(error, 'ABCI_QUERY_FAILED')) throw error;
        // A node without this query cannot confirm the file.
        const isKept = isUnconfirmed && loaded?.version === version;
        isUnconfirmed = false;
        if (!isKept) {
          refusal = error;
          loaded = undefined;
        }
      }
    }
    if (versionBefore !== undefined && version !== versionBefore) for (const listener of versionListeners) listener();
    versionBefore = version;
    checkedAt = performance.now();
    if (isUnconfirmed) setImmediate(checkInBackground);
    if (loaded === undefined) throw refusal;
    return loaded.pool;
  }

  /** Whether the version was read recently. */
  const isFresh = (): boolean => performance.now() - checkedAt < checkInterval;
  /** The error of invalid descriptors, until they are read again. */
  const waiting = (): typeof rejected => (rejected !== undefined && performance.now() < rejected.until ? rejected : undefined);

  /**
   * The types if they are loaded, else undefined. Counts as a use, like `pool`: the version of the application is read again in the background when it
   * is time.
   */
  function current(): DescriptorPool | undefined {
    if (loaded === undefined) return undefined;
    hits += 1;
    // The loaded types are returned meanwhile. If this check fails, the next caller repeats it.
    if (!isFresh()) checkInBackground();
    return loaded.pool;
  }

  function checkInBackground(): void {
    if (waiting() === undefined) inFlight.join('', undefined, load).catch(() => undefined);
  }

  return {
    current,
    /**
     * The types of the current application version. They are read on first use, once for each chain and version. Rejects with
     * NODE_…, or with ABCI_QUERY_FAILED if the nodes do not serve descriptors, which is cached like a version. Descriptors that
     * are empty, lack a file or do not parse reject with NODE_INVALID_RESPONSE and are not kept; Stele reads them again after a
     * wait.
     */
    async pool(options?: { readonly signal?: AbortSignal | undefined }): Promise<DescriptorPool> {
      const pool = current();
      if (pool !== undefined) return pool;
      const failure = waiting();
      if (failure !== undefined) throw failure.error;
      if (refusal !== undefined && isFresh()) throw refusal;
      misses += 1;
      return inFlight.join('', options?.signal, load);
    },
    /** A message in canonical protobuf JSON, with `@type`, as {@link anyJson} makes it. Frozen, kept in memory and shared. */
    json: createMessageJson(options.messages),
    /**
     * Calls `listener` when the chain describes other types than before. The version of the application is read again when it is time, and when blocks
     * were subscribed to again. Returns a function that removes the listener.
     */
    onReplaced(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Calls `listener` when the version of the application is another one than before. Returns a function that removes the listener. */
    onVersion(listener: () => void): () => void {
      versionListeners.add(listener);
      return () => versionListeners.delete(listener);
    },
    /** The types if they are loaded, else undefined. Not counted as a use. */
    loaded: (): DescriptorPool | undefined => loaded?.pool,
    /** Statistics of the pool: its decoded files, and the memory of the whole pool. A hit is a use that did not wait. */
    counts(): CacheCounts {
      const { files, size } = loaded?.pool.decoded() ?? { files: 0, size: 0 };
      const bytes = (loaded?.pool.size ?? 0) * outlineFactor + size * (decodedFactor - outlineFactor);
      return { entries: files, bytes, hits, misses, evictions: 0 };
    },
  };
}
