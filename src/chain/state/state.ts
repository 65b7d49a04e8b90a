import { isChainError } from '../base/errors.ts';
import { abortable, type LazySignal, signalOf } from '../base/time.ts';
import { createInFlight } from '../memory/inFlight.ts';
import { type BoundedCache, deepFrozen, ownBytes, valueBytes } from '../memory/memoryBudget.ts';
import type { FollowedReads, NamedRead } from '../roots/followedReads.ts';
import { type CarriedMethod, type MethodTable, provenanceTable } from '../roots/methodTables.ts';
import { accountMethod, accountRequest, firstExpiry, isVestingAccount, type StateRoots } from '../roots/stateRoots.ts';
import { type AbciReply, cacheableRefusal, decodeAbciReply, isAbsence, refusalError } from '../rpc/rpcErrors.ts';
import type { Transport } from '../transports/transport.ts';
import type { JsonValue } from '../wire/json.ts';
import type { ServedMethods } from './servedMethods.ts';
import {
  createJoinedWait,
  type Decoder,
  type EncodedQuery,
  expiryIn,
  isDecodedBy,
  isRefusal,
  type JoinedWait,
  packed,
  packedRefusal,
  type Read,
  type ReadKey,
  readKeyText,
  readName,
  refusalIn,
  type SharedReads,
  type StateEntry,
  type StoreWait,
  TotalWait,
  valueIn,
} from './stateEntries.ts';

/** What an answer was computed from, if it is valid at every height where these stores have the same roots. */
export interface Carried {
  /** In alphabetical order, without duplicates. */
  readonly stores: readonly string[];
  /** The answer is valid before the first block with this time or a later one, in nanoseconds since 1970. Null: always. */
  readonly validUntil: bigint | null;
  /** The number of reads of the state. */
  readonly reads: number;
  /** The reads, each with the stores of its method. */
  readonly named: readonly NamedRead[];
}

/** A query method and an encoded request, of which an operation was computed. */
export type StateRequest = Pick<EncodedQuery, 'path' | 'request'>;

/**
 * Notes what an operation reads. An operation is valid at other heights only if everything that it read is noted as a read of
 * stores. Anything else makes it depend on its height. It is a class because each operation has one.
 */
export class Dependencies {
  /** The stores of the first read. Most operations read one list of stores. */
  #first: readonly string[] | undefined;
  /** The stores of all reads, if not all read the same list. */
  #stores: Set<string> | undefined;
  #validUntil: bigint | null = null;
  #isOfHeight = false;
  readonly #named: NamedRead[] = [];
  /** The stores of the last read without a name. Records have many. */
  #unnamed: readonly string[] | undefined;
  #reads = 0;
  /** The requests of the operation by path and request in hex. undefined unless they are collected. */
  readonly #requests: Map<string, StateRequest> | undefined;
  /** Whether the answer contains a place of its height. */
  hasPrintedHeight = false;
  /**
   * Whether a response in memory that is kept by height is read again if that tells whether it is valid at other heights, and whether the absence of
   * an object is noted as a read of its stores. For histories, which need to know it.
   */
  readonly isThorough: boolean;
  #lacking: Set<string> | undefined;

  /** With `collects`, it also collects the requests, for a proof of the answer. */
  constructor({ collects = false, isThorough = false }: { readonly collects?: boolean; readonly isThorough?: boolean } = {}) {
    this.isThorough = isThorough;
    this.#requests = collects ? new Map() : undefined;
  }

  /** Notes that it is not known whether a response may be carried, because the roots of these stores are not known. */
  lacksRoots(stores: readonly string[]): void {
    this.#isOfHeight = true;
    this.#lacking ??= new Set();
    for (const name of stores) this.#lacking.add(name);
  }

  /** The stores whose roots would tell whether the operation depends on its height. */
  lacking(): readonly string[] {
    return [...(this.#lacking ?? [])];
  }

  /** Collects a request, whether its response comes from a node or from memory. */
  request(path: string, request: Uint8Array): void {
    if (this.#requests === undefined) return;
    this.#requests.set(`${path} ${Buffer.from(request).toString('hex')}`, { path, request });
  }

  /** The requests so far, each once. Empty unless they are collected. */
  requests(): readonly StateRequest[] {
    return [...(this.#requests?.values() ?? [])];
  }

  /**
   * Notes a response that was computed from `stores`, which are in alphabetical order and never change, and until when it is valid. Without
   * stores, the response may not be carried: the operation depends on its height.
   */
  read(stores: readonly string[] | undefined, until: bigint | null = null, query?: EncodedQuery): void {
    if (stores === undefined) {
      this.#isOfHeight = true;
      return;
    }
    this.#reads += 1;
    if (query !== undefined) this.#named.push({ name: readName(query), stores });
    else if (stores !== this.#unnamed) {
      this.#named.push({ name: '', stores });
      this.#unnamed = stores;
    }
    this.#first ??= stores;
    if (stores !== this.#first) {
      this.#stores ??= new Set(this.#first);
      for (const name of stores) this.#stores.add(name);
    }
    if (until !== null && (this.#validUntil === null || until < this.#validUntil)) this.#validUntil = until;
  }

  /** Notes that the operation depends on its height: on a block, a time, an event, or a response that may not be carried. */
  dependsOnHeight(): void {
    this.#isOfHeight = true;
  }

  /** What the operation has read so far. Undefined if it depends on its height. */
  carried(): Carried | undefined {
    if (this.#isOfHeight) return undefined;
    const stores = this.#stores === undefined ? (this.#first ?? []) : [...this.#stores].sort();
    return { stores, validUntil: this.#validUntil, reads: this.#reads, named: [...this.#named] };
  }
}

/** A query and, if its method is carried, the stores that its response depends on. */
interface StateQuery extends ReadKey {
  /** How many nodes must give the same response. */
  readonly quorum: number;
  readonly method: CarriedMethod | undefined;
  /** Until when a response that is kept by height is valid at other heights. */
  readonly validByHeight: null | undefined;
}

/** A response in memory. For `validUntil` see {@link Read}. */
interface ReadInMemory extends Pick<Read, 'validUntil'> {
  readonly key: ReadKey;
  readonly entry: StateEntry;
}

/** Until when a `withoutExpiry` response is valid. Undefined also for bytes that are not of the method's messages. */
function expiryOf(path: string, request: Uint8Array, response: Uint8Array): bigint | null | undefined {
  try {
    return firstExpiry(path, request, response);
  } catch {
    return undefined;
  }
}

/** The value of a raw store at a key; undefined if there is none. `proofOps` is empty unless a proof was requested. */
interface StoreValue {
  readonly value: Uint8Array | undefined;
  readonly proofOps: AbciReply['proofOps'];
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

export type StateReader = ReturnType<typeof createStateReader>;

/**
 * Creates the reader. It looks into the memory, then asks the other processes, then the node. Responses of carried
 * methods with code 0 are kept by the roots of their stores where these are known. All others are kept by height.
 */
export function createStateReader(options: {
  readonly transport: Transport;
  /** The chain, as keys name it. */
  readonly chain: () => string;
  /** The responses in the memory of this process. */
  readonly cache: BoundedCache<StateEntry>;
  /** Responses that other processes have read. Default: none. */
  readonly shared?: SharedReads | undefined;
  /** The roots that responses are kept by. If absent, they are kept by height. */
  readonly roots?: Pick<StateRoots, 'keyAt' | 'timeAt' | 'settled'> | undefined;
  /** The methods whose responses are kept by roots. Default: those of Provenance. */
  readonly methods?: (() => MethodTable) | undefined;
  /** The methods that the application serves. If absent, nodes are asked for all. */
  readonly served?: Pick<ServedMethods, 'query' | 'refusal'> | undefined;
  /** How many nodes must give the same response, at least: 1. */
  readonly quorum?: number | undefined;
  /** Responses that are followed from block to block by ranges of keys. */
  readonly keptReads?: Pick<FollowedReads, 'note' | 'rootsAt'> | undefined;
}) {
  const { transport, chain, cache, shared, roots, methods = () => provenanceTable.methods, served } = options;
  const { quorum: least = 1, keptReads } = options;
  const inFlight = createInFlight<Read>();
  /** The waits of the reads in flight for the shared store, by the keys of the reads. */
  const waits = new Map<string, JoinedWait>();

  function callNode(
    { path, request, height, quorum }: Pick<StateQuery, 'path' | 'request' | 'height' | 'quorum'>,
    prove: boolean,
    signal: AbortSignal | undefined,
  ): Promise<AbciReply> {
    const params = { path, data: Buffer.from(request).toString('hex'), height: height.toString(), prove };
    const options = { height, signal, quorum, decode: (result: JsonValue) => decodeAbciReply(result, height) };
    return served === undefined ? transport.call('abci_query', params, options) : served.query(params, options);
  }

  /** Whether the time of the block at this height is before an expiry. */
  function isBefore(expiry: bigint, height: bigint): boolean {
    const time = roots?.timeAt(height);
    return time !== undefined && time < expiry;
  }

  /** The response that another process has read. It is in memory from then on. Other requests may join the wait by the key of the read. */
  async function fromOthers(
    { find }: SharedReads,
    query: StateQuery,
    claim: ReadKey,
    readKey: string,
    wait: JoinedWait,
  ): Promise<Read | undefined> {
    waits.set(readKey, wait);
    const keysNow = (): readonly ReadKey[] => {
      const roots = query.roots ?? rootsOf(query.height, query.method);
      return roots === undefined ? [claim] : [{ ...query, roots }, claim];
    };
    const sharedRead = await find(keysNow, claim, wait).finally(() => {
      if (waits.get(readKey) === wait) waits.delete(readKey);
    });
    if (sharedRead === undefined) return undefined;
    const { key, answer } = sharedRead;
    const validUntil = key.roots === undefined ? query.validByHeight : expiryIn(answer);
    if (validUntil != null && !isBefore(validUntil, query.height)) return undefined;
    put(key, answer);
    return { value: valueIn(answer, query.height), validUntil };
  }

  /** Lets a response be followed. */
  function follow(query: StateQuery, value: Uint8Array | undefined): void {
    const { method, quorum, path, request, height } = query;
    if (keptReads === undefined || method?.carry !== 'always' || quorum !== least || value === undefined) return;
    keptReads.note({ name: readName(query), stores: method.stores, path, request, response: value, height });
  }

  /** The response in memory; undefined if there is none. The first look of a query does not count a miss: the read that follows does. */
  function inMemory(query: StateQuery, isMissCounted: boolean): ReadInMemory | undefined {
    const byRoots = query.roots === undefined ? undefined : cache.get(readKeyText(query), isMissCounted);
    if (byRoots !== undefined) {
      const validUntil = expiryIn(byRoots.answer);
      if (validUntil === null || isBefore(validUntil, query.height)) return { key: query, entry: byRoots, validUntil };
    } else if (query.roots !== undefined && query.method?.carry === 'always') {
      // That of an earlier height, if the keys that it was computed from are the same at this one.
      const roots = keptReads?.rootsAt(readName(query), query.height);
      const key = { ...query, roots };
      const entry = roots === undefined ? undefined : cache.get(readKeyText(key), false);
      if (entry !== undefined) return { key, entry, validUntil: null };
    }
    const key = { ...query, roots: undefined };
    const byHeight = cache.get(readKeyText(key), isMissCounted);
    if (byHeight === undefined) return undefined;
    return { key, entry: byHeight, validUntil: isRefusal(byHeight.answer) ? undefined : query.validByHeight };
  }

  /** The decoded value of a response in memory. It is kept beside the response. Throws what the decoder throws. */
  function decodedOf<A extends readonly unknown[], T>({ key, entry }: ReadInMemory, decoder: Decoder<A, T>, args: A): T {
    const { answer, decoded } = entry;
    if (decoded !== undefined && isDecodedBy(decoded, decoder)) return decoded.value;
    const value = deepFrozen(
      isRefusal(answer)
        ? decoder.refused(refusalIn(answer, key.height), args)
        : decoder.decode(valueIn(answer, key.height) ?? new Uint8Array(), args),
    );
    const text = readKeyText(key);
    cache.set(text, { answer, decoded: { by: decoder, value, size: valueBytes(value) } });
    // A decoded value may be too large to be stored. The response is not.
    if (cache.peek(text) === undefined) cache.set(text, entry);
    return value;
  }

  /** Whether the account of a `withoutVesting` query may have a vesting schedule. Never rejects. */
  async function mayVest(query: StateQuery, signal: AbortSignal, wait: StoreWait): Promise<boolean> {
    try {
      const request = accountRequest(query.request);
      const account = toQuery(query, { path: accountMethod, request });
      return isVestingAccount((await read(account, signal, wait)).value ?? new Uint8Array());
    } catch (error) {
      // An account that does not exist has no vesting schedule.
      return !(isChainError(error, 'ABCI_QUERY_FAILED') && isAbsence(error.facts));
    }
  }

  /** If `isThorough`, a response in memory that does not tell when it is valid is read again, unless no read tells it. */
  function read(query: StateQuery, signal: AbortSignal | undefined, wait: StoreWait, isThorough = false): Promise<Read> {
    const atHeight = { ...query, roots: undefined };
    const isConditional = isThorough && query.roots !== undefined && query.validByHeight === undefined;
    const readKey = isConditional ? `${readKeyText(atHeight)} thorough` : readKeyText(atHeight);
    // Each request has its own longest wait, also for a command that another one has sent.
    if (shared !== undefined) waits.get(readKey)?.join(wait);
    return inFlight.join(readKey, signal, async (joinedSignal) => {
      const inCache = inMemory(query, true);
      if (inCache !== undefined && !(isConditional && inCache.validUntil === undefined && !isRefusal(inCache.entry.answer))) {
        return { value: valueIn(inCache.entry.answer, query.height), validUntil: inCache.validUntil };
      }
      const refusal = served?.refusal(query.path);
      if (refusal !== undefined) throw refusalError(refusal, query.height);
      const joinedWait = shared && createJoinedWait(wait);
      const readByOthers = joinedWait && (await fromOthers(shared, query, atHeight, readKey, joinedWait));
      if (readByOthers !== undefined && !(isConditional && readByOthers.validUntil === undefined)) {
        follow(query, readByOthers.value);
        return readByOthers;
      }
      try {
        const { method } = query;
        // The account of a `withoutVesting` query is read in the same batch.
        const isAccountRead = method?.carry === 'withoutVesting' && query.roots !== undefined;
        const vests = isAccountRead ? mayVest(query, joinedSignal, joinedWait ?? wait) : undefined;
        const { value } = await callNode(query, false, joinedSignal);
        let validUntil: Read['validUntil'] = query.validByHeight;
        if (method?.carry === 'withoutVesting' && (await vests) === false) validUntil = null;
        if (method?.carry === 'withoutExpiry') validUntil = expiryOf(query.path, query.request, value ?? new Uint8Array());
        // The roots may have been learnt in the meantime.
        const roots = query.roots ?? rootsOf(query.height, query.method);
        const key = validUntil === undefined || roots === undefined ? atHeight : { ...query, roots };
        const byHeight = packed({ value, validUntil: null });
        const entry = key.roots === undefined ? byHeight : packed({ value, validUntil });
        put(key, entry);
        // For reads that fewer nodes have to agree on, too.
        for (let fewer = query.quorum - 1; fewer >= least; fewer -= 1) put({ ...key, chain: chainOf(fewer) }, entry);
        shared?.put(key, entry, atHeight);
        // Processes that have not learnt the roots find it by height.
        if (key.roots !== undefined && query.roots === undefined) shared?.put(atHeight, byHeight, atHeight);
        if (key.roots !== undefined) follow(query, value);
        return { value, validUntil };
      } catch (error) {
        const lasting = cacheableRefusal(error, query.path, query.height);
        if (lasting === undefined) shared?.release(atHeight);
        else {
          const entry = packedRefusal(lasting);
          put(atHeight, entry);
          shared?.put(atHeight, entry, atHeight);
        }
        throw error;
      }
    });
  }

  /** Stores a response. If it is equal to the last one of the query, at whatever height, they share their memory and the decoded value. */
  function put(key: ReadKey, entry: Uint8Array): void {
    const text = readKeyText(key);
    const last = key.text?.lastStoredKey === undefined ? undefined : cache.peek(key.text.lastStoredKey);
    const isEqual = last !== undefined && Buffer.compare(last.answer, entry) === 0;
    cache.set(text, isEqual ? last : { answer: ownBytes(entry), decoded: undefined });
    if (key.text !== undefined) key.text.lastStoredKey = text;
  }

  /** The chain as keys name it. What more nodes have agreed on than by default has a name of its own. */
  function chainOf(quorum: number): string {
    return quorum <= least ? chain() : `${chain()}!${quorum}`;
  }

  function rootsOf(height: bigint, method: CarriedMethod | undefined): string | undefined {
    return method && roots?.keyAt(height, method.stores);
  }

  function toQuery(
    { chain, height, quorum }: Pick<StateQuery, 'chain' | 'height' | 'quorum'>,
    { path, request, text }: EncodedQuery,
    method = methods().byPath.get(path),
  ): StateQuery {
    const validByHeight = method?.carry === 'always' ? null : undefined;
    return { chain, height, path, request, text, method, validByHeight, roots: rootsOf(height, method), quorum };
  }

  /** It is a class because each operation has one, and many read once. */
  class StateView implements StateAt {
    readonly height: bigint;
    readonly chain: string;
    readonly quorum: number;
    readonly #signal: AbortSignal | LazySignal | undefined;
    readonly #dependencies: Dependencies | undefined;
    readonly #storeWait: StoreWait;

    constructor(
      quorum: number,
      height: bigint,
      signal: AbortSignal | LazySignal | undefined,
      dependencies: Dependencies | undefined,
      storeWait: StoreWait,
    ) {
      this.height = height;
      this.quorum = quorum;
      this.chain = chainOf(quorum);
      this.#signal = signal;
      this.#dependencies = dependencies;
      this.#storeWait = storeWait;
    }

    async query(path: string, request: Uint8Array): Promise<Uint8Array> {
      this.#dependencies?.request(path, request);
      return (await this.#noted(toQuery(this, { path, request }))) ?? new Uint8Array();
    }

    read<A extends readonly unknown[], T>(encoded: EncodedQuery, decoder: Decoder<A, T>, args: A): T | Promise<T> {
      const signal = this.#signal;
      if (signal?.aborted) return Promise.reject(signalOf(signal).reason);
      this.#dependencies?.request(encoded.path, encoded.request);
      const query = toQuery(this, encoded);
      const inCache = inMemory(query, false);
      if (inCache === undefined || this.#isTooVague(query, inCache)) return this.#readDecoded(query, decoder, args);
      let isNoted = false;
      try {
        const { validUntil, entry } = inCache;
        if (isRefusal(entry.answer)) isNoted = this.#noteAbsence(query);
        const value = decodedOf(inCache, decoder, args);
        if (!isNoted) this.#note(query, validUntil);
        return value;
      } catch (error) {
        if (!isNoted) this.#dependencies?.dependsOnHeight();
        return Promise.reject(error);
      }
    }

    async store(
      name: string,
      { key, prove = false }: { readonly key: Uint8Array; readonly prove?: boolean },
    ): Promise<StoreValue> {
      const path = `/store/${name}/key`;
      const stores = methods().byStore.get(name);
      if (!prove) {
        const method = stores && { stores, carry: 'always' as const };
        return { value: await this.#noted(toQuery(this, { path, request: key }, method)), proofOps: [] };
      }
      this.#dependencies?.dependsOnHeight();
      return callNode({ path, request: key, height: this.height, quorum: this.quorum }, true, signalOf(this.#signal));
    }

    #note(query: StateQuery, validUntil: bigint | null | undefined): void {
      const { method, roots } = query;
      if (validUntil !== undefined) this.#dependencies?.read(method?.stores, validUntil, query);
      else if (method !== undefined && roots === undefined && this.#dependencies?.isThorough) {
        this.#dependencies.lacksRoots(method.stores);
      } else this.#dependencies?.dependsOnHeight();
    }

    /** Notes that an object is absent as a read of its stores, if that is asked for. Returns whether it was noted. */
    #noteAbsence({ method }: StateQuery): boolean {
      if (this.#dependencies?.isThorough !== true || method?.carry !== 'always') return false;
      this.#dependencies.read(method.stores);
      return true;
    }

    /** Whether a response in memory does not tell when it is valid, although another read would. */
    #isTooVague({ roots, method }: StateQuery, { validUntil, entry }: ReadInMemory): boolean {
      const isConditional = method !== undefined && roots !== undefined && !isRefusal(entry.answer);
      return this.#dependencies?.isThorough === true && isConditional && validUntil === undefined;
    }

    /** Reads, and notes what was read. A refusal makes the operation depend on the height. */
    async #noted(query: StateQuery): Promise<Uint8Array | undefined> {
      const signal = signalOf(this.#signal);
      const isSettled = this.#dependencies === undefined || query.method === undefined || query.roots !== undefined;
      const settled = isSettled ? undefined : roots?.settled(this.height);
      try {
        if (settled !== undefined) await abortable(settled, signal);
        // The response from an earlier height may be valid.
        const settledQuery = settled === undefined ? query : { ...query, roots: rootsOf(this.height, query.method) };
        const isThorough = this.#dependencies?.isThorough === true;
        const { value, validUntil } = await read(settledQuery, signal, this.#storeWait, isThorough);
        this.#note(settledQuery, validUntil);
        return value;
      } catch (error) {
        const isAbsent = cacheableRefusal(error, query.path, query.height) !== undefined;
        if (!(isAbsent && this.#noteAbsence(query))) this.#dependencies?.dependsOnHeight();
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
      const inCache = inMemory({ ...query, roots: query.roots ?? rootsOf(this.height, query.method) }, false);
      if (inCache !== undefined && !isRefusal(inCache.entry.answer)) return decodedOf(inCache, decoder, args);
      return deepFrozen(decoder.decode(response ?? new Uint8Array(), args));
    }
  }

  return {
    /**
     * A view of the state at a height. `dependencies` notes what is read. With it, a read waits until the roots at its height are learnt, if they are
     * being learnt. Other reads never wait for roots. `storeWait` bounds how long a request waits for the shared store: by default, all reads of this
     * view are one request. `quorum` is how many nodes must give the same response.
     */
    at(
      height: bigint,
      signal?: AbortSignal | LazySignal,
      dependencies?: Dependencies,
      storeWait: StoreWait = new TotalWait(),
      quorum = least,
    ): StateAt {
      return new StateView(quorum, height, signal, dependencies, storeWait);
    },
  };
}
