import { LRUCache } from 'lru-cache';
import { isChainError } from '../base/errors.ts';
import type { DescriptorPool } from '../descriptors/descriptorPool.ts';
import { createInFlight } from '../memory/inFlight.ts';
import { AbciRefusal, decodeAbciReply, isUnknownPath, refusalError } from '../rpc/rpcErrors.ts';
import type { Transport } from '../transports/transport.ts';
import type { JsonObject } from '../wire/json.ts';

/** The paths of the methods of services. */
const ofService = /^\/(\w+(?:\.\w+)+)\/(\w+)$/;

/** The most services and methods that are kept. A chain has a few hundred; the others are misspelt by callers. */
const maxKept = 2_000;

/** Bytes that are no protobuf message: the application finds the method of a query, and then refuses them. No method runs. */
const noMessage = 'ff';

/** Which query methods the application of the chain serves. */
export type ServedMethods = ReturnType<typeof createServedMethods>;

/**
 * Learns from the responses of the application which query methods it does not serve, so that no node is asked for them again. If the chain describes the
 * method, or does not describe its service, then the whole service is absent (docs/chain.md, "Descriptors"). `pool` returns the descriptors if they are loaded.
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

  function serviceOf(path: string): string | undefined {
    return ofService.exec(path)?.[1];
  }

  function refusalOf(path: string, service: string | undefined): JsonObject | undefined {
    const refusal = service === undefined ? undefined : (refusals.get(service) ?? refusals.get(path));
    // Counts as a use of the types, so that an upgrade is noticed.
    if (refusal !== undefined) pool();
    return refusal;
  }

  function learn(path: string, error: unknown): void {
    if (!isUnknownPath(error) || !(error.cause instanceof AbciRefusal)) return;
    const [, service, method] = ofService.exec(path) ?? [];
    if (service === undefined) return;
    const types = pool();
    const described = types?.service(service);
    const isWhole = types !== undefined && (described === undefined || described.methods.some(({ name }) => name === method));
    refusals.set(isWhole ? service : path, error.cause.response);
  }

  /** Calls the application with `run`, unless it does not serve the path. Fails as the application then does. */
  function call<T>(path: string, height: bigint, run: () => Promise<T>): Promise<T> {
    const service = serviceOf(path);
    if (service === undefined) return run();
    const refusal = refusalOf(path, service);
    if (refusal !== undefined) return Promise.reject(refusalError(refusal, height));
    const earlier = first.get(service);
    if (earlier !== undefined) return earlier.then(() => call(path, height, run));
    const started = generation;
    const result = run();
    const settled = result.then(
      () => {
        if (started === generation) served.set(service, true);
      },
      (error: unknown) => {
        if (started === generation) learn(path, error);
      },
    );
    const types = served.has(service) ? undefined : pool();
    if (types !== undefined && types.service(service) === undefined) {
      first.set(service, settled);
      void settled.then(() => first.delete(service));
    }
    return result;
  }

  return {
    call,
    /** The response with which the application refuses every query of a path; undefined if it is not known to do so. */
    refusal: (path: string): JsonObject | undefined => refusalOf(path, serviceOf(path)),
    /**
     * Whether the application serves a query method, by its path: `/cosmos.group.v1.Query/Groups`. Asks a node once for each version of the application,
     * without running the method. Rejects with NODE_… if no node can be asked, and with the reason of `signal`.
     */
    async serves(path: string, signal?: AbortSignal): Promise<boolean> {
      if (refusalOf(path, serviceOf(path)) !== undefined) return false;
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
