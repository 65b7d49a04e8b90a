import { createInFlight } from '../memory/inFlight.ts';
import { isPrunedLog, prunedState, refusalError } from '../rpc/decodeRpcError.ts';
import type { Transport } from '../transports/transport.ts';
import { AbciRefusal, cacheableRefusal } from '../wire/abciRefusal.ts';
import { arrayAt, asObject, bigintAt, bytesAt, intAt, malformed, objectAt, textAt } from '../wire/decode.ts';
import type { JsonValue } from '../wire/json.ts';
import { parseJson } from '../wire/parseJson.ts';
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
  at(chain: string, height: bigint, signal?: AbortSignal): StateAt;
}

/** The first byte of a stored entry. It distinguishes an absent value, an empty response and a refusal. */
const absent = Uint8Array.of(0);
const present = Uint8Array.of(1);
const refused = Uint8Array.of(2);

/** The value of a stored entry. Throws if the entry is a refusal. */
function unpack(kept: Uint8Array, height: bigint): Uint8Array | undefined {
  const [kind] = kept;
  const bytes = kept.subarray(1);
  if (kind === 2) throw refusalError(asObject(parseJson(Buffer.from(bytes).toString()), 'response'), height);
  return kind === 1 ? bytes : undefined;
}

/**
 * Makes the reader. It reads from the store, then from the node, and joins equal calls. A store that fails counts as a miss.
 */
export function createStateReader(options: { readonly transport: Transport; readonly store: StateStore }): StateReader {
  const { transport, store } = options;
  const inFlight = createInFlight<Uint8Array | undefined>();

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

  function read(key: ReadKey, signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
    return inFlight.join(readKeyText(key), signal, async (joined) => {
      const kept = await store.get(key).catch(() => undefined);
      if (kept !== undefined) return unpack(kept, key.height);
      const put = (answer: Uint8Array): void => void store.put(key, answer).catch(() => undefined);
      try {
        const { value } = await callNode(key.path, key.request, key.height, false, joined);
        put(value === undefined ? absent : Buffer.concat([present, value]));
        return value;
      } catch (error) {
        const lasting = cacheableRefusal(error, key.path, key.height);
        if (lasting !== undefined) put(Buffer.concat([refused, Buffer.from(JSON.stringify(lasting))]));
        throw error;
      }
    });
  }

  return {
    at(chain, height, signal) {
      return {
        height,
        query: async (path, request) => (await read({ chain, height, path, request }, signal)) ?? new Uint8Array(),
        async store(name, { key, prove = false }) {
          const path = `/store/${name}/key`;
          if (prove) return callNode(path, key, height, true, signal);
          return { value: await read({ chain, height, path, request: key }, signal), proofOps: [] };
        },
      };
    },
  };
}
