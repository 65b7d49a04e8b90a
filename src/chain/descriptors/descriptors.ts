import { isChainError } from '../base/errors.ts';
import type { Head } from '../blocks/head.ts';
import { createInFlight } from '../memory/inFlight.ts';
import type { CacheCounts } from '../memory/sharedCache.ts';
import { refusalError } from '../rpc/decodeRpcError.ts';
import type { Transport } from '../transports/transport.ts';
import { asObject, bytesAt, intAt, malformed, objectAt } from '../wire/decode.ts';
import type { JsonValue } from '../wire/json.ts';
import type { DescriptorCache } from './descriptorCache.ts';
import { createDescriptorCheck } from './descriptorCheck.ts';
import { createDescriptorPool, type DescriptorPool } from './descriptorPool.ts';

/** Options of {@link createDescriptors}. */
export interface DescriptorsOptions {
  readonly head: Head;
  readonly transport: Transport;
  /** Where they are kept between starts; absent: nowhere. */
  readonly cache?: DescriptorCache | undefined;
  /** How long what is known is used before the application's version is asked again, ms: 60,000. */
  readonly checkInterval?: number;
  /** First wait, ms, after descriptors that are of no use before the nodes are asked again, doubled each time up to a minute: 1,000. */
  readonly retryWait?: number;
  /** Most memory, in bytes, that they may take when all of them are decoded: an answer that would take more is refused. Without it, none is. */
  readonly maxBytes?: number;
}

/** What the chain says of its own types. */
export interface Descriptors {
  /**
   * The types as the application has them now. Read once for each chain and version of its application, when first asked for. Fails with NODE_…,
   * and with ABCI_QUERY_FAILED where the nodes do not serve them; that is believed for as long as a version is. Descriptors that are empty,
   * lack a file or do not parse fail with NODE_INVALID_RESPONSE and are not kept; the nodes are asked again after a while.
   */
  pool(options?: { readonly signal?: AbortSignal | undefined }): Promise<DescriptorPool>;
  /** The same if they are there already. */
  loaded(): DescriptorPool | undefined;
  /** Of the pool: its files that are decoded, and the memory of the whole. A hit is a use that waited for nothing. */
  counts(): CacheCounts;
}

/** Memory of a decoded descriptor for each of its bytes, with the bytes themselves and what finds a type by name: measured with those of Provenance v1.29. */
const decodedFactor = 13;

/** The same before any is decoded. */
const outlineFactor = 1.6;

/** The query that every application of Cosmos SDK 0.47 and newer answers, whatever the height (chain.md finding 18). */
const path = '/cosmos.reflection.v1.ReflectionService/FileDescriptors';

/** The version that the application says it has, such as `v1.29.0`. */
function decodeVersion(result: JsonValue): string {
  const { version } = objectAt(asObject(result, 'abci_info'), 'response');
  return typeof version === 'string' ? version : '';
}

/** `FileDescriptorsResponse` has the files as field 1, as a `FileDescriptorSet` does: the bytes are of both. */
function decodeAnswer(result: JsonValue): Uint8Array {
  const response = objectAt(asObject(result, 'abci_query'), 'response');
  if (intAt(response, 'code') !== 0) throw refusalError(response, 0n);
  const value = bytesAt(response, 'value');
  if (value === undefined) throw malformed('no descriptors');
  return value;
}

/** Longest wait, ms, before the nodes are asked again for descriptors that were of no use. */
const longestWait = 60_000;

/** Descriptors that a node sent, and the types in them. */
interface Read {
  readonly bytes: Uint8Array;
  readonly pool: DescriptorPool;
}

/** Makes the descriptors of a chain. Nothing is read until they are asked for. */
export function createDescriptors(options: DescriptorsOptions): Descriptors {
  const { head, transport, cache, checkInterval = 60_000, retryWait = 1_000, maxBytes = Number.POSITIVE_INFINITY } = options;
  const inFlight = createInFlight<DescriptorPool>();
  const check = createDescriptorCheck((bytes) => {
    if (bytes.length * decodedFactor > maxBytes)
      throw malformed(`descriptors of ${bytes.length} bytes, more than cache.bytes allows`);
    return createDescriptorPool(bytes);
  });
  let known: { readonly version: string; readonly pool: DescriptorPool } | undefined;
  let refused: unknown;
  let checkedAt = 0;
  let hits = 0;
  let misses = 0;
  /** Why the last descriptors were of no use, how often in a row that was so, and until when nobody is asked. */
  let rejected: { readonly error: unknown; readonly times: number; readonly until: number } | undefined;
  /** Whether what is on the disk may be of the chain before a reset. */
  let isDiskOld = false;

  head.onRewind(({ kind }) => {
    if (kind !== 'RESET') return;
    known = undefined;
    refused = undefined;
    rejected = undefined;
    isDiskOld = true;
  });

  async function readFrom({ call }: Pick<Transport, 'call'>, signal: AbortSignal): Promise<Read> {
    const bytes = await call('abci_query', { path, data: '', height: '0', prove: false }, { signal, decode: decodeAnswer });
    return { bytes, pool: await check(bytes) };
  }

  /** What the fittest node has; if that is of no use, what the others have. */
  async function readFromNodes(signal: AbortSignal): Promise<Read> {
    try {
      return await readFrom(transport, signal);
    } catch (error) {
      if (!isChainError(error, 'NODE_INVALID_RESPONSE')) throw error;
      const all = (await transport.handles?.()) ?? [];
      // Of one node alone there is nothing else to ask.
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
    // Without a version nobody could tell that what is kept is of another one.
    const disk = version === '' ? undefined : cache;
    const kept = isDiskOld ? undefined : await disk?.get(chainId, version);
    if (kept !== undefined) {
      try {
        return await check(kept);
      } catch {
        // The file is of no use. It is replaced by what the node has.
      }
    }
    const { bytes, pool } = await readFromNodes(signal);
    await disk?.put(chainId, version, bytes);
    isDiskOld = false;
    return pool;
  }

  async function load(signal: AbortSignal): Promise<DescriptorPool> {
    const { chainId } = await head.ready({ signal });
    const generation = head.generation();
    const version = await transport.call('abci_info', {}, { signal, decode: decodeVersion });
    if (known?.version !== version || version === '') {
      try {
        const pool = await read(chainId, version, signal);
        // Read of the chain before: whoever asks next reads them of the new one.
        if (generation !== head.generation()) return pool;
        known = { version, pool };
        refused = undefined;
        rejected = undefined;
      } catch (error) {
        if (isChainError(error, 'NODE_INVALID_RESPONSE')) {
          const times = (rejected?.times ?? 0) + 1;
          const wait = Math.min(retryWait * 2 ** (times - 1), longestWait);
          rejected = { error, times, until: performance.now() + wait };
        }
        if (!isChainError(error, 'ABCI_QUERY_FAILED')) throw error;
        refused = error;
        known = undefined;
      }
    }
    checkedAt = performance.now();
    if (known === undefined) throw refused;
    return known.pool;
  }

  return {
    async pool(options) {
      const now = performance.now();
      const isFresh = now - checkedAt < checkInterval;
      const isTooEarly = rejected !== undefined && now < rejected.until;
      if (known !== undefined) {
        hits += 1;
        // What is known serves meanwhile; a check that fails is made again by the next who asks.
        if (!isFresh && !isTooEarly) inFlight.join('', undefined, load).catch(() => undefined);
        return known.pool;
      }
      if (rejected !== undefined && isTooEarly) throw rejected.error;
      if (refused !== undefined && isFresh) throw refused;
      misses += 1;
      return inFlight.join('', options?.signal, load);
    },
    loaded: () => known?.pool,
    counts() {
      const { files, size } = known?.pool.decoded() ?? { files: 0, size: 0 };
      const bytes = (known?.pool.size ?? 0) * outlineFactor + size * (decodedFactor - outlineFactor);
      return { entries: files, bytes, hits, misses, evictions: 0 };
    },
  };
}
