import { LRUCache } from 'lru-cache';
import { isChainError } from '../base/errors.ts';
import type { DescriptorPool } from '../descriptors/descriptorPool.ts';
import { createInFlight } from '../memory/inFlight.ts';
import { AbciRefusal, decodeAbciReply, isUnknownPath, refusalError } from '../rpc/rpcErrors.ts';
import type { CallOptions, Transport } from '../transports/transport.ts';
import type { JsonObject } from '../wire/json.ts';

/** The paths of the methods of services. */
const ofService = /^\/(\w+(?:\.\w+)+)\/(\w+)$/;

/** The most services and methods that are kept. A chain has a few hundred; the others are misspelt by callers. */
const maxKept = 2_000;

/** Bytes that are no protobuf message: the application finds the method of a query, and then refuses them. No method runs. */
const noMessage = 'ff';

/** The parameters of an `abci_query`. */
interface QueryParams extends JsonObject {
  readonly path: string;
}

const ignore = (): void => undefined;

/** Which query methods the application of the chain serves. */
export type ServedMethods = ReturnType<typeof createServedMethods>;

/**
 * Learns from the responses of the application which query methods it does not serve, so that no node is asked for them again. A service that the chain does
 * not describe is absent as a whole once one of its methods is unknown. In a service that it describes, each method is absent by itself: the application
 * may be older than the descriptors (docs/chain.md, "Descriptors"). `pool` returns the descriptors if they are loaded.
 */
export function createServedMethods(options: {
  readonly transport: Transport;
  readonly pool: () => DescriptorPool | undefined;
}) {
  const { transport, pool } = options;
  /** What the application responded, by the service or the path. */
  const refusals = new LRUCache<string, JsonObject>({ max: maxKept });
  const served = new LRUCache<string, true>({ max: maxKept });
  /** The first reads of services that are not described. The next ones wait for them. */
  const first = new Map<string, Promise<void>>();
  const probes = createInFlight<boolean>();
  let generation = 0;

  /** The response with which the application refuses every query of a path; undefined if it is not known to do so. */
  function refusal(path: string): JsonObject | undefined {
    const response = refusals.get(path) ?? refusals.get(path.slice(1, path.lastIndexOf('/')));
    // Counts as a use of the types, so that an upgrade is noticed.
    if (response !== undefined) pool();
    return response;
  }

  function learn(path: string, error: unknown): void {
    const service = ofService.exec(path)?.[1];
    if (service === undefined || !isUnknownPath(error) || !(error.cause instanceof AbciRefusal)) return;
    const types = pool();
    refusals.set(types !== undefined && types.service(service) === undefined ? service : path, error.cause.response);
  }

  /** Queries the application, unless it does not serve the path. Fails as the application then does. */
  async function query<T>(params: QueryParams, options: CallOptions<T> & { readonly height: bigint }): Promise<T> {
    const { path } = params;
    const knownRefusal = refusals.size === 0 ? undefined : refusal(path);
    if (knownRefusal !== undefined) throw refusalError(knownRefusal, options.height);
    const service = ofService.exec(path)?.[1];
    if (service === undefined) return transport.call('abci_query', params, options);
    const earlier = first.get(service);
    if (earlier !== undefined) return earlier.then(() => query(params, options));
    const started = generation;
    const types = served.has(service) ? undefined : pool();
    const isFirst = types !== undefined && types.service(service) === undefined;
    const result = transport.call('abci_query', params, options);
    if (isFirst) first.set(service, result.then(ignore, ignore));
    try {
      const response = await result;
      if (started === generation) served.set(service, true);
      return response;
    } catch (error) {
      if (started === generation) learn(path, error);
      throw error;
    } finally {
      if (isFirst) first.delete(service);
    }
  }

  return {
    query,
    refusal,
    /**
     * Whether the application serves a query method, by its path: `/cosmos.group.v1.Query/Groups`. Asks a node once for each version of the application,
     * without running the method. Rejects with NODE_… if no node can be asked, and with the reason of `signal`.
     */
    async serves(path: string, signal?: AbortSignal): Promise<boolean> {
      if (refusal(path) !== undefined) return false;
      if (served.has(path)) return true;
      return probes.join(path, signal, async (joinedSignal) => {
        const started = generation;
        let isServed = true;
        try {
          await transport.call(
            'abci_query',
            { path, data: noMessage, height: '0', prove: false },
            { signal: joinedSignal, decode: (result) => decodeAbciReply(result, 0n) },
          );
        } catch (error) {
          if (!isChainError(error, 'ABCI_QUERY_FAILED')) throw error;
          isServed = !isUnknownPath(error);
          if (started === generation) learn(path, error);
        }
        if (isServed && started === generation) served.set(path, true);
        return isServed;
      });
    },
    /** Forgets everything: the application may be another one. */
    clear(): void {
      generation += 1;
      refusals.clear();
      served.clear();
      first.clear();
    },
  };
}
