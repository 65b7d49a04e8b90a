import { asObject, bytesAt, intAt, malformed, objectAt } from './decode.ts';
import type { DescriptorCache } from './descriptorCache.ts';
import { createDescriptorPool, type DescriptorPool } from './descriptorPool.ts';
import { isChainError } from './errors.ts';
import type { Head } from './head.ts';
import { createInFlight } from './inFlight.ts';
import type { JsonValue } from './json.ts';
import { refusalError } from './rpcErrors.ts';
import type { Transport } from './transports/transport.ts';

/** Options of {@link createDescriptors}. */
export interface DescriptorsOptions {
  readonly head: Head;
  readonly transport: Transport;
  /** Where they are kept between starts; absent: nowhere. */
  readonly cache?: DescriptorCache | undefined;
  /** How long what is known is used before the application's version is asked again, ms: 60,000. */
  readonly checkInterval?: number;
}

/** What the chain says of its own types. */
export interface Descriptors {
  /**
   * The types as the application has them now. Read once for each chain and version of its application, when first asked for. Fails with NODE_…,
   * and with ABCI_QUERY_FAILED where the nodes do not serve them; that is believed for as long as a version is.
   */
  pool(options?: { readonly signal?: AbortSignal | undefined }): Promise<DescriptorPool>;
  /** The same if they are there already. */
  loaded(): DescriptorPool | undefined;
}

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

/** Makes the descriptors of a chain. Nothing is read until they are asked for. */
export function createDescriptors({ head, transport, cache, checkInterval = 60_000 }: DescriptorsOptions): Descriptors {
  const inFlight = createInFlight<DescriptorPool>();
  let known: { readonly version: string; readonly pool: DescriptorPool } | undefined;
  let refused: unknown;
  let checkedAt = 0;

  async function read(chainId: string, version: string, signal: AbortSignal): Promise<DescriptorPool> {
    // Without a version nobody could tell that what is kept is of another one.
    const disk = version === '' ? undefined : cache;
    const kept = await disk?.get(chainId, version);
    if (kept !== undefined) {
      try {
        return createDescriptorPool(kept);
      } catch {
        // What is on the disk is of no use: the node has them.
      }
    }
    const bytes = await transport.call(
      'abci_query',
      { path, data: '', height: '0', prove: false },
      { signal, decode: decodeAnswer },
    );
    const pool = createDescriptorPool(bytes);
    await disk?.put(chainId, version, bytes);
    return pool;
  }

  async function load(signal: AbortSignal): Promise<DescriptorPool> {
    const { chainId } = await head.ready({ signal });
    const version = await transport.call('abci_info', {}, { signal, decode: decodeVersion });
    if (known?.version !== version || version === '') {
      try {
        known = { version, pool: await read(chainId, version, signal) };
        refused = undefined;
      } catch (error) {
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
      const isFresh = performance.now() - checkedAt < checkInterval;
      if (known !== undefined) {
        // What is known serves meanwhile; a check that fails is made again by the next who asks.
        if (!isFresh) inFlight.join('', undefined, load).catch(() => undefined);
        return known.pool;
      }
      if (refused !== undefined && isFresh) throw refused;
      return inFlight.join('', options?.signal, load);
    },
    loaded: () => known?.pool,
  };
}
