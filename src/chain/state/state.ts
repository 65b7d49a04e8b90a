import { isChainError } from '../base/errors.ts';
import { abortable } from '../base/waiting.ts';
import { createInFlight } from '../memory/inFlight.ts';
import {
  accountMethod,
  accountRequest,
  type CarriedMethod,
  firstExpiry,
  isVestingAccount,
  type MethodTable,
  provenanceMethods,
} from '../roots/methodStores.ts';
import type { StateRoots } from '../roots/stateRoots.ts';
import { isPrunedLog, prunedState, refusalError } from '../rpc/decodeRpcError.ts';
import type { Transport } from '../transports/transport.ts';
import { AbciRefusal, cacheableRefusal, isAbsence } from '../wire/abciRefusal.ts';
import { arrayAt, asObject, bigintAt, bytesAt, intAt, malformed, objectAt, textAt } from '../wire/decode.ts';
import type { JsonValue } from '../wire/json.ts';
import { parseJson } from '../wire/parseJson.ts';
import type { Dependencies } from './dependencies.ts';
import { type ReadKey, readKeyText, type StateStore } from './stateStore.ts';

/** A step of a proof (docs/chain.md, "Proofs"). */
export interface ProofOp {
  readonly type: string;
  readonly key: Uint8Array;
  readonly data: Uint8Array;
}

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
  /** Reads a key of a raw store. `prove` adds a proof. Values without a proof are cached. */
  store(name: string, at: { readonly key: Uint8Array; readonly prove?: boolean }): Promise<StoreValue>;
}

interface AbciAnswer {
  readonly value: Uint8Array | undefined;
  readonly proofOps: readonly ProofOp[];
}

/** Decodes the result of `abci_query`. Throws if its code is not 0, if the state is pruned, or if it is for another height. */
function decodeAbciAnswer(result: JsonValue, height: bigint): AbciAnswer {
  const response = objectAt(asObject(result, 'result'), 'response');
  if (intAt(response, 'code') !== 0) throw refusalError(response, height);
  const log = textAt(response, 'log');
  if (isPrunedLog(log)) throw prunedState(height, new AbciRefusal(response));
  const answered = bigintAt(response, 'height');
  if (answered !== height) throw malformed(`response for height ${answered} instead of ${height}`);
  const proof = response.proofOps ? arrayAt(objectAt(response, 'proofOps'), 'ops') : [];
  return {
    value: bytesAt(response, 'value'),
    proofOps: proof.map((json) => {
      const op = asObject(json, 'proof op');
      return {
        type: textAt(op, 'type'),
        key: bytesAt(op, 'key') ?? new Uint8Array(),
        data: bytesAt(op, 'data') ?? new Uint8Array(),
      };
    }),
  };
}

/** Creates views of the state at a height. */
export interface StateReader {
  /**
   * `dependencies` notes what is read. With it, a read waits until the roots at its height are learnt, if they are being learnt.
   * Other reads never wait for roots.
   */
  at(chain: string, height: bigint, signal?: AbortSignal, dependencies?: Dependencies): StateAt;
}

/** The first byte of a stored entry. An entry with an expiry continues with the time in 8 bytes. */
const kinds = { absent: 0, present: 1, refused: 2, expiring: 3 };
const absent = Uint8Array.of(kinds.absent);
const present = Uint8Array.of(kinds.present);
const refused = Uint8Array.of(kinds.refused);

/** A response. */
interface Read {
  /** Undefined if a store has no value at the key. */
  readonly value: Uint8Array | undefined;
  /**
   * The response is valid at every height with the same roots before the first block with this time or a later one; null: at
   * every such height. Undefined if it is valid only at its own height.
   */
  readonly validUntil: bigint | null | undefined;
}

/** An entry for a response that is valid until a time. */
function packed({ value, validUntil }: Read): Uint8Array {
  if (validUntil == null) return value === undefined ? absent : Buffer.concat([present, value]);
  const head = Buffer.alloc(9, kinds.expiring);
  head.writeBigInt64BE(validUntil, 1);
  return Buffer.concat([head, value ?? new Uint8Array()]);
}

/** The value and the expiry of a stored entry. Throws if the entry is a refusal. */
function unpack(
  kept: Uint8Array,
  height: bigint,
): { readonly value: Uint8Array | undefined; readonly validUntil: bigint | null } {
  const [kind] = kept;
  const bytes = kept.subarray(1);
  if (kind === kinds.refused) throw refusalError(asObject(parseJson(Buffer.from(bytes).toString()), 'response'), height);
  if (kind !== kinds.expiring) return { value: kind === kinds.present ? bytes : undefined, validUntil: null };
  const time = Buffer.from(bytes.buffer, bytes.byteOffset, 8).readBigInt64BE();
  return { value: bytes.subarray(8), validUntil: time };
}

/** Until when a `withoutExpiry` response is valid. Undefined also for bytes that are not of the method's messages. */
function expiryOf(path: string, request: Uint8Array, response: Uint8Array): bigint | null | undefined {
  try {
    return firstExpiry(path, request, response);
  } catch {
    return undefined;
  }
}

/** What {@link createStateReader} needs. */
export interface StateReaderOptions {
  readonly transport: Transport;
  readonly store: StateStore;
  /** The roots that responses are kept by. If absent, they are kept by height. */
  readonly roots?: Pick<StateRoots, 'keyAt' | 'timeAt' | 'settled'> | undefined;
  /** The methods whose responses are kept by roots. Default: those of Provenance. */
  readonly methods?: MethodTable | undefined;
}

/** A query and, if its method is carried, the stores that its response depends on. */
interface StateQuery extends ReadKey {
  readonly method: CarriedMethod | undefined;
}

/**
 * Makes the reader. It reads from the store, then from the node, and joins equal calls. A store that fails counts as a miss.
 * Responses of carried methods with code 0 are kept by the roots of their stores where these are known. All others are kept by
 * height.
 */
export function createStateReader({ transport, store, roots, methods = provenanceMethods }: StateReaderOptions): StateReader {
  const inFlight = createInFlight<Read>();

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

  /** The stored response; undefined if there is none. */
  async function stored(query: StateQuery): Promise<Read | undefined> {
    const { method, height } = query;
    const get = (key: ReadKey): Promise<Uint8Array | undefined> => store.get(key).catch(() => undefined);
    const byRoots = query.roots === undefined ? undefined : await get(query);
    if (byRoots !== undefined) {
      const read = unpack(byRoots, height);
      const time = read.validUntil === null ? undefined : roots?.timeAt(height);
      if (read.validUntil === null || (time !== undefined && time < read.validUntil)) return read;
    }
    const byHeight = await get({ ...query, roots: undefined });
    if (byHeight === undefined) return undefined;
    const { value } = unpack(byHeight, height);
    return { value, validUntil: method?.carry === 'always' ? null : undefined };
  }

  /** Whether the account of a `withoutVesting` query may have a vesting schedule. Never rejects. */
  async function mayVest(query: StateQuery, signal: AbortSignal): Promise<boolean> {
    try {
      const account = toQuery(query.chain, query.height, accountMethod, accountRequest(query.request));
      return isVestingAccount((await read(account, signal)).value ?? new Uint8Array());
    } catch (error) {
      // An account that does not exist has no vesting schedule.
      return !(isChainError(error, 'ABCI_QUERY_FAILED') && isAbsence(error.facts));
    }
  }

  /** Calls the node. A `withoutVesting` query reads its account in the same batch. */
  async function called(query: StateQuery, signal: AbortSignal): Promise<Read> {
    const { method, path, request, height } = query;
    const vests = method?.carry === 'withoutVesting' && query.roots !== undefined ? mayVest(query, signal) : undefined;
    const { value } = await callNode(path, request, height, false, signal);
    if (method === undefined) return { value, validUntil: undefined };
    if (method.carry === 'withoutVesting') return { value, validUntil: (await vests) === false ? null : undefined };
    return { value, validUntil: method.carry === 'always' ? null : expiryOf(path, request, value ?? new Uint8Array()) };
  }

  function read(query: StateQuery, signal: AbortSignal | undefined): Promise<Read> {
    const atHeight = { ...query, roots: undefined };
    return inFlight.join(readKeyText(atHeight), signal, async (joined) => {
      const kept = await stored(query);
      if (kept !== undefined) return kept;
      try {
        const answer = await called(query, joined);
        const { value, validUntil } = answer;
        // The roots may have been learnt in the meantime.
        const known = query.roots ?? rootsOf(query.height, query.method);
        const key = validUntil === undefined || known === undefined ? atHeight : { ...query, roots: known };
        put(key, packed(key.roots === undefined ? { value, validUntil: null } : answer));
        return answer;
      } catch (error) {
        const lasting = cacheableRefusal(error, query.path, query.height);
        if (lasting !== undefined) put(atHeight, Buffer.concat([refused, Buffer.from(JSON.stringify(lasting))]));
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
    path: string,
    request: Uint8Array,
    method = methods.method(path),
  ): StateQuery {
    return { chain, height, path, request, method, roots: rootsOf(height, method) };
  }

  /** Resolves when the roots that a query needs are learnt. Undefined if they are known, or are not being learnt. */
  function settledRoots({ method, height, roots: known }: StateQuery): Promise<void> | undefined {
    return method === undefined || known !== undefined ? undefined : roots?.settled(height);
  }

  return {
    at(chain, height, signal, dependencies) {
      /** Reads, and notes what was read. A response that may not be carried, or a refusal, makes the operation depend on the height. */
      async function noted(query: StateQuery): Promise<Uint8Array | undefined> {
        if (dependencies === undefined) return (await read(query, signal)).value;
        const settled = settledRoots(query);
        try {
          if (settled !== undefined) await abortable(settled, signal);
          // The response from an earlier height may be valid.
          const known = settled === undefined ? query : { ...query, roots: rootsOf(height, query.method) };
          const { value, validUntil } = await read(known, signal);
          if (query.method === undefined || validUntil === undefined) dependencies.dependsOnHeight();
          else dependencies.read(query.method.stores, validUntil);
          return value;
        } catch (error) {
          dependencies.dependsOnHeight();
          throw error;
        }
      }

      return {
        height,
        query: async (path, request) => (await noted(toQuery(chain, height, path, request))) ?? new Uint8Array(),
        async store(name, { key, prove = false }) {
          const path = `/store/${name}/key`;
          const stores = methods.storesOfKey(name);
          if (!prove) {
            const method = stores && { stores, carry: 'always' as const };
            return { value: await noted(toQuery(chain, height, path, key, method)), proofOps: [] };
          }
          dependencies?.dependsOnHeight();
          return callNode(path, key, height, true, signal);
        },
      };
    },
  };
}
