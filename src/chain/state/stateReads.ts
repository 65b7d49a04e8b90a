import { isChainError } from '../base/errors.ts';
import { createInFlight } from '../memory/inFlight.ts';
import { deepFrozen, valueBytes } from '../memory/memoryBudget.ts';
import {
  accountMethod,
  accountRequest,
  type CarriedMethod,
  firstExpiry,
  isVestingAccount,
  type MethodTable,
} from '../roots/methodStores.ts';
import type { StateRoots } from '../roots/stateRoots.ts';
import { cacheableRefusal, isAbsence } from '../rpc/rpcErrors.ts';
import type { Transport } from '../transports/transport.ts';
import { type AbciAnswer, decodeAbciAnswer } from './abciAnswer.ts';
import { type Decoder, isDecodedBy } from './decoder.ts';
import { expiryIn, isRefusal, packed, packedRefusal, type Read, valueIn } from './packed.ts';
import type { SharedReads } from './sharedReads.ts';
import { type EncodedQuery, type ReadKey, readKeyText, type StateEntry, type StateStore } from './stateStore.ts';
import { createJoinedWait, type JoinedWait, type StoreWait } from './storeWait.ts';

/** What {@link createStateReads} needs. */
export interface StateReadsOptions {
  readonly transport: Transport;
  readonly store: StateStore;
  /** Responses that other processes have read. Default: none. */
  readonly shared?: SharedReads | undefined;
  /** The roots that responses are kept by. If absent, they are kept by height. */
  readonly roots?: Pick<StateRoots, 'keyAt' | 'timeAt' | 'settled'> | undefined;
  /** The methods whose responses are kept by roots. */
  readonly methods: MethodTable;
}

/** A query and, if its method is carried, the stores that its response depends on. */
export interface StateQuery extends ReadKey {
  readonly method: CarriedMethod | undefined;
}

/** A response in memory. For `validUntil` see {@link Read}. */
export interface Found extends Pick<Read, 'validUntil'> {
  readonly key: ReadKey;
  readonly entry: StateEntry;
}

/** Until when a response that is kept by height is valid at other heights. */
function validityByHeight({ method }: StateQuery): null | undefined {
  return method?.carry === 'always' ? null : undefined;
}

/** Reads responses at any height: from memory, from other processes, or from a node. Functions do not use `this`. */
export interface StateReads {
  /** The query with the roots of its stores, if these are known. `method` is by default that of its path. */
  toQuery(chain: string, height: bigint, query: EncodedQuery, method?: CarriedMethod | undefined): StateQuery;
  /** The roots of the stores of a method at a height. Undefined if they are not known, or if the method is not carried. */
  rootsOf(height: bigint, method: CarriedMethod | undefined): string | undefined;
  /** Resolves when the roots that a query needs are learnt. Undefined if they are known, or are not being learnt. */
  settledRoots(query: StateQuery): Promise<void> | undefined;
  /** The response in memory, at once. Undefined if there is none. Never throws. */
  inMemory(query: StateQuery): Found | undefined;
  /** The decoded value of a response in memory. It is kept beside the response. Throws what the decoder throws. */
  decodedOf<A extends readonly unknown[], T>(found: Found, decoder: Decoder<A, T>, args: A): T;
  /** Reads a response and joins equal reads. Rejects as `StateAt.query`. */
  read(query: StateQuery, signal: AbortSignal | undefined, wait: StoreWait): Promise<Read>;
  /** Calls the node. Nothing is kept. */
  callNode(
    path: string,
    data: Uint8Array,
    height: bigint,
    prove: boolean,
    signal: AbortSignal | undefined,
  ): Promise<AbciAnswer>;
}

/** Until when a `withoutExpiry` response is valid. Undefined also for bytes that are not of the method's messages. */
function expiryOf(path: string, request: Uint8Array, response: Uint8Array): bigint | null | undefined {
  try {
    return firstExpiry(path, request, response);
  } catch {
    return undefined;
  }
}

/** The value of a response, or of the refusal that `response` throws. */
function decode<A extends readonly unknown[], T>(response: () => Uint8Array | undefined, decoder: Decoder<A, T>, args: A): T {
  let bytes: Uint8Array;
  try {
    bytes = response() ?? new Uint8Array();
  } catch (error) {
    return decoder.refused(error, args);
  }
  return decoder.decode(bytes, args);
}

/**
 * Makes the reads. They look into the store, then ask the other processes, then the node. A store that fails counts as a miss. Responses of carried
 * methods with code 0 are kept by the roots of their stores where these are known. All others are kept by height.
 */
export function createStateReads(options: StateReadsOptions): StateReads {
  const { transport, store, shared, roots, methods } = options;
  const inFlight = createInFlight<Read>();
  /** The waits of the reads in flight for the shared store, by the keys of the reads. */
  const waits = new Map<string, JoinedWait>();

  function callNode(
    path: string,
    data: Uint8Array,
    height: bigint,
    prove: boolean,
    signal: AbortSignal | undefined,
  ): Promise<AbciAnswer> {
    const params = { path, data: Buffer.from(data).toString('hex'), height: height.toString(), prove };
    return transport.call('abci_query', params, {
      height,
      ...(signal && { signal }),
      decode: (result) => decodeAbciAnswer(result, height),
    });
  }

  /** Whether an entry that is kept by roots is valid at this height. */
  function isValid(entry: Uint8Array, height: bigint): boolean {
    const expiry = expiryIn(entry);
    const time = expiry === null ? undefined : roots?.timeAt(height);
    return expiry === null || (time !== undefined && time < expiry);
  }

  /** The stored response; undefined if there is none. */
  async function stored(query: StateQuery): Promise<Read | undefined> {
    const { height } = query;
    const get = (key: ReadKey): Promise<Uint8Array | undefined> => store.get(key).catch(() => undefined);
    const byRoots = query.roots === undefined ? undefined : await get(query);
    if (byRoots !== undefined && isValid(byRoots, height)) {
      return { value: valueIn(byRoots, height), validUntil: expiryIn(byRoots) };
    }
    const byHeight = await get({ ...query, roots: undefined });
    return byHeight && { value: valueIn(byHeight, height), validUntil: validityByHeight(query) };
  }

  /** The response that another process has read. It is in memory from then on. */
  async function fromOthers(query: StateQuery, claim: ReadKey, wait: StoreWait): Promise<Read | undefined> {
    const keysNow = (): readonly ReadKey[] => {
      const roots = query.roots ?? rootsOf(query.height, query.method);
      return roots === undefined ? [claim] : [{ ...query, roots }, claim];
    };
    const found = await shared?.find(keysNow, claim, wait);
    if (found === undefined) return undefined;
    const { key, answer } = found;
    if (key.roots !== undefined && !isValid(answer, query.height)) return undefined;
    put(key, answer);
    const validUntil = key.roots === undefined ? validityByHeight(query) : expiryIn(answer);
    return { value: valueIn(answer, query.height), validUntil };
  }

  /** Finds the response as {@link stored}, but at once. */
  function inMemory(query: StateQuery): Found | undefined {
    try {
      const byRoots = query.roots === undefined ? undefined : store.peek?.(query);
      if (byRoots !== undefined && isValid(byRoots.answer, query.height)) {
        return { key: query, entry: byRoots, validUntil: expiryIn(byRoots.answer) };
      }
      const key = { ...query, roots: undefined };
      const byHeight = store.peek?.(key);
      if (byHeight === undefined) return undefined;
      return { key, entry: byHeight, validUntil: isRefusal(byHeight.answer) ? undefined : validityByHeight(query) };
    } catch {
      return undefined;
    }
  }

  function decodedOf<A extends readonly unknown[], T>({ key, entry }: Found, decoder: Decoder<A, T>, args: A): T {
    const { answer, decoded } = entry;
    if (decoded !== undefined && isDecodedBy(decoded, decoder)) return decoded.value;
    const value = deepFrozen(decode(() => valueIn(answer, key.height), decoder, args));
    store.keepDecoded?.(key, entry, { by: decoder, value, size: valueBytes(value) });
    return value;
  }

  /** Whether the account of a `withoutVesting` query may have a vesting schedule. Never rejects. */
  async function mayVest(query: StateQuery, signal: AbortSignal, wait: StoreWait): Promise<boolean> {
    try {
      const request = accountRequest(query.request);
      const account = toQuery(query.chain, query.height, { path: accountMethod, request });
      return isVestingAccount((await read(account, signal, wait)).value ?? new Uint8Array());
    } catch (error) {
      // An account that does not exist has no vesting schedule.
      return !(isChainError(error, 'ABCI_QUERY_FAILED') && isAbsence(error.facts));
    }
  }

  /** Calls the node. A `withoutVesting` query reads its account in the same batch. */
  async function called(query: StateQuery, signal: AbortSignal, wait: StoreWait): Promise<Read> {
    const { method, path, request, height } = query;
    const vests = method?.carry === 'withoutVesting' && query.roots !== undefined ? mayVest(query, signal, wait) : undefined;
    const { value } = await callNode(path, request, height, false, signal);
    if (method === undefined) return { value, validUntil: undefined };
    if (method.carry === 'withoutVesting') return { value, validUntil: (await vests) === false ? null : undefined };
    return { value, validUntil: method.carry === 'always' ? null : expiryOf(path, request, value ?? new Uint8Array()) };
  }

  function read(query: StateQuery, signal: AbortSignal | undefined, wait: StoreWait): Promise<Read> {
    const atHeight = { ...query, roots: undefined };
    const readKey = readKeyText(atHeight);
    // Each request has its own longest wait, also for a command that another one has sent.
    if (shared !== undefined) waits.get(readKey)?.join(wait);
    return inFlight.join(readKey, signal, async (joined) => {
      const joinedWait = createJoinedWait(wait);
      if (shared !== undefined) waits.set(readKey, joinedWait);
      try {
        const kept = await stored(query);
        if (kept !== undefined) return kept;
        const known = shared && (await fromOthers(query, atHeight, joinedWait));
        if (known !== undefined) return known;
      } finally {
        if (waits.get(readKey) === joinedWait) waits.delete(readKey);
      }
      try {
        const answer = await called(query, joined, joinedWait);
        const { value, validUntil } = answer;
        // The roots may have been learnt in the meantime.
        const roots = query.roots ?? rootsOf(query.height, query.method);
        const key = validUntil === undefined || roots === undefined ? atHeight : { ...query, roots };
        const byHeight = packed({ value, validUntil: null });
        const entry = key.roots === undefined ? byHeight : packed(answer);
        put(key, entry);
        shared?.put(key, entry, atHeight);
        // Processes that have not learnt the roots find it by height.
        if (key.roots !== undefined && query.roots === undefined) shared?.put(atHeight, byHeight, atHeight);
        return answer;
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

  function put(key: ReadKey, entry: Uint8Array): void {
    store.put(key, entry).catch(() => undefined);
  }

  function rootsOf(height: bigint, method: CarriedMethod | undefined): string | undefined {
    return method && roots?.keyAt(height, method.stores);
  }

  function toQuery(
    chain: string,
    height: bigint,
    { path, request, text }: EncodedQuery,
    method = methods.method(path),
  ): StateQuery {
    return { chain, height, path, request, text, method, roots: rootsOf(height, method) };
  }

  function settledRoots({ method, height, roots: known }: StateQuery): Promise<void> | undefined {
    return method === undefined || known !== undefined ? undefined : roots?.settled(height);
  }

  return { toQuery, rootsOf, settledRoots, inMemory, decodedOf, read, callNode };
}
