import { abortable, type LazySignal, signalOf } from '../base/waiting.ts';
import { deepFrozen } from '../memory/memoryBudget.ts';
import { type MethodTable, provenanceMethods } from '../roots/methodStores.ts';
import type { ProofOp } from './abciAnswer.ts';
import type { Decoder } from './decoder.ts';
import type { Dependencies } from './dependencies.ts';
import { isRefusal } from './packed.ts';
import { createStateReads, type StateQuery, type StateReadsOptions } from './stateReads.ts';
import type { EncodedQuery } from './stateStore.ts';
import { createStoreWait, type StoreWait } from './storeWait.ts';

/** The value of a raw store at a key; undefined if there is none. `proofOps` is empty unless a proof was requested. */
export interface StoreValue {
  readonly value: Uint8Array | undefined;
  readonly proofOps: readonly ProofOp[];
}

/** The chain's state at one height, which never changes. The height is bound here, so queries never pass it. */
export interface StateAt {
  readonly height: bigint;
  /**
   * Calls a gRPC query method (`/cosmos.group.v1.Query/Proposal`) with an encoded request, and returns the encoded response.
   * Responses are cached, and so are refusals because the object does not exist; concurrent calls are joined. Rejects with
   * ABCI_QUERY_FAILED for any code but 0, or with HEIGHT_PRUNED, HEIGHT_NOT_YET_AVAILABLE or NODE_….
   */
  query(path: string, request: Uint8Array): Promise<Uint8Array>;
  /**
   * Calls a query method as {@link query} does, and returns the value that the decoder makes of the response. Returns it at once,
   * without a promise, if the response is in memory. Never throws: an error rejects the promise. Values are deeply frozen and
   * shared.
   */
  read<A extends readonly unknown[], T>(query: EncodedQuery, decoder: Decoder<A, T>, args: A): T | Promise<T>;
  /** Reads a key of a raw store. `prove` adds a proof. Values without a proof are cached. */
  store(name: string, at: { readonly key: Uint8Array; readonly prove?: boolean }): Promise<StoreValue>;
}

/** Creates views of the state at a height. */
export interface StateReader {
  /**
   * `dependencies` notes what is read. With it, a read waits until the roots at its height are learnt, if they are being learnt.
   * Other reads never wait for roots. `storeWait` bounds how long a request waits for the shared store: by default, all reads of
   * this view are one request.
   */
  at(
    chain: string,
    height: bigint,
    signal?: AbortSignal | LazySignal,
    dependencies?: Dependencies,
    storeWait?: StoreWait,
  ): StateAt;
}

/** What {@link createStateReader} needs. */
export interface StateReaderOptions extends Omit<StateReadsOptions, 'methods'> {
  /** The methods whose responses are kept by roots. Default: those of Provenance. */
  readonly methods?: MethodTable | undefined;
}

/** Makes the reader. For where a view finds a response, see {@link createStateReads}. */
export function createStateReader(options: StateReaderOptions): StateReader {
  const { methods = provenanceMethods } = options;
  const reads = createStateReads({ ...options, methods });
  const { toQuery, rootsOf, settledRoots, inMemory, decodedOf, read, callNode } = reads;

  /** It is a class because each operation has one, and many read once. */
  class StateView implements StateAt {
    readonly height: bigint;
    readonly #chain: string;
    readonly #signal: AbortSignal | LazySignal | undefined;
    readonly #dependencies: Dependencies | undefined;
    readonly #storeWait: StoreWait;

    constructor(
      chain: string,
      height: bigint,
      signal: AbortSignal | LazySignal | undefined,
      dependencies: Dependencies | undefined,
      storeWait: StoreWait,
    ) {
      this.height = height;
      this.#chain = chain;
      this.#signal = signal;
      this.#dependencies = dependencies;
      this.#storeWait = storeWait;
    }

    async query(path: string, request: Uint8Array): Promise<Uint8Array> {
      return (await this.#noted(toQuery(this.#chain, this.height, { path, request }))) ?? new Uint8Array();
    }

    read<A extends readonly unknown[], T>(encoded: EncodedQuery, decoder: Decoder<A, T>, args: A): T | Promise<T> {
      const signal = this.#signal;
      if (signal?.aborted) return Promise.reject(signalOf(signal).reason);
      const query = toQuery(this.#chain, this.height, encoded);
      const found = inMemory(query);
      if (found === undefined) return this.#readDecoded(query, decoder, args);
      try {
        const value = decodedOf(found, decoder, args);
        this.#note(query, found.validUntil);
        return value;
      } catch (error) {
        this.#dependencies?.dependsOnHeight();
        return Promise.reject(error);
      }
    }

    async store(
      name: string,
      { key, prove = false }: { readonly key: Uint8Array; readonly prove?: boolean },
    ): Promise<StoreValue> {
      const path = `/store/${name}/key`;
      const stores = methods.storesOfKey(name);
      if (!prove) {
        const method = stores && { stores, carry: 'always' as const };
        return { value: await this.#noted(toQuery(this.#chain, this.height, { path, request: key }, method)), proofOps: [] };
      }
      this.#dependencies?.dependsOnHeight();
      return callNode(path, key, this.height, true, signalOf(this.#signal));
    }

    /** Notes a response. One that may not be carried makes the operation depend on the height. */
    #note({ method }: StateQuery, validUntil: bigint | null | undefined): void {
      if (method === undefined || validUntil === undefined) this.#dependencies?.dependsOnHeight();
      else this.#dependencies?.read(method.stores, validUntil);
    }

    /** Reads, and notes what was read. A refusal makes the operation depend on the height. */
    async #noted(query: StateQuery): Promise<Uint8Array | undefined> {
      const signal = signalOf(this.#signal);
      const settled = this.#dependencies && settledRoots(query);
      try {
        if (settled !== undefined) await abortable(settled, signal);
        // The response from an earlier height may be valid.
        const known = settled === undefined ? query : { ...query, roots: rootsOf(this.height, query.method) };
        const { value, validUntil } = await read(known, signal, this.#storeWait);
        this.#note(query, validUntil);
        return value;
      } catch (error) {
        this.#dependencies?.dependsOnHeight();
        throw error;
      }
    }

    /** Reads a response that is not in memory, and decodes it. */
    async #readDecoded<A extends readonly unknown[], T>(query: StateQuery, decoder: Decoder<A, T>, args: A): Promise<T> {
      let response: Uint8Array | undefined;
      try {
        response = await this.#noted(query);
      } catch (error) {
        return decoder.refused(error, args);
      }
      // All callers that waited for the response share its value. The roots may have been learnt in the meantime.
      const found = inMemory({ ...query, roots: query.roots ?? rootsOf(this.height, query.method) });
      if (found !== undefined && !isRefusal(found.entry.answer)) return decodedOf(found, decoder, args);
      return deepFrozen(decoder.decode(response ?? new Uint8Array(), args));
    }
  }

  return {
    at: (chain, height, signal, dependencies, storeWait = createStoreWait()) =>
      new StateView(chain, height, signal, dependencies, storeWait),
  };
}
