import { createInFlight } from '../memory/inFlight.ts';
import { isPrunedLog, prunedState, refusalError } from '../rpc/decodeRpcError.ts';
import type { Transport } from '../transports/transport.ts';
import { AbciRefusal, cacheableRefusal } from '../wire/abciRefusal.ts';
import { arrayAt, asObject, bigintAt, bytesAt, intAt, malformed, objectAt, textAt } from '../wire/decode.ts';
import type { JsonValue } from '../wire/json.ts';
import { parseJson } from '../wire/parseJson.ts';
import { type ReadKey, readKeyText, type StateStore } from './stateStore.ts';

/** One step of a proof (chain.md 6.3). */
export interface ProofOp {
  readonly type: string;
  readonly key: Uint8Array;
  readonly data: Uint8Array;
}

/** What a raw store holds at a key. `value` is undefined when it holds nothing. `proofOps` is empty unless a proof was asked for. */
export interface StoreValue {
  readonly value: Uint8Array | undefined;
  readonly proofOps: readonly ProofOp[];
}

/** The chain's state at one height, which never changes. A query cannot forget the height because it is never told it. */
export interface StateAt {
  readonly height: bigint;
  /**
   * Asks a gRPC query service (`/cosmos.group.v1.Query/Proposal`) with a protobuf request; its protobuf answer. Kept for ever, as is that the
   * height has no such thing; joined in flight. Fails with ABCI_QUERY_FAILED for any code but 0, or with HEIGHT_PRUNED, HEIGHT_NOT_YET_AVAILABLE, NODE_….
   */
  query(path: string, request: Uint8Array): Promise<Uint8Array>;
  /** Reads one key of a raw store; `prove` adds the proof. Kept for ever unless proven. */
  store(name: string, at: { readonly key: Uint8Array; readonly prove?: boolean }): Promise<StoreValue>;
}

interface AbciAnswer {
  readonly value: Uint8Array | undefined;
  readonly proofOps: readonly ProofOp[];
}

/** Reads the result of `abci_query`: a code other than 0, another height than the one asked for or a pruned one is an error. */
function decodeAbciAnswer(result: JsonValue, height: bigint): AbciAnswer {
  const response = objectAt(asObject(result, 'result'), 'response');
  if (intAt(response, 'code') !== 0) throw refusalError(response, height);
  const log = textAt(response, 'log');
  if (isPrunedLog(log)) throw prunedState(height, new AbciRefusal(response));
  const answered = bigintAt(response, 'height');
  if (answered !== height) throw malformed(`it is of height ${answered}, height ${height} was asked for`);
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

/** What the state of every height is read through. */
export interface StateReader {
  at(chain: string, height: bigint, signal?: AbortSignal): StateAt;
}

/** An empty answer and an absent value differ, and so does a refusal: the first byte of what is kept tells them apart. */
const absent = Uint8Array.of(0);
const present = Uint8Array.of(1);
const refused = Uint8Array.of(2);

/** What was kept of a read. Throws the refusal that it was. */
function unpack(kept: Uint8Array, height: bigint): Uint8Array | undefined {
  const [kind] = kept;
  const bytes = kept.subarray(1);
  if (kind === 2) throw refusalError(asObject(parseJson(Buffer.from(bytes).toString()), 'response'), height);
  return kind === 1 ? bytes : undefined;
}

/** Makes the reader: state store first, then the node, equal reads joined. A store that fails is a miss. */
export function createStateReader(options: { readonly transport: Transport; readonly store: StateStore }): StateReader {
  const { transport, store } = options;
  const inFlight = createInFlight<Uint8Array | undefined>();

  function ask(
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
        const { value } = await ask(key.path, key.request, key.height, false, joined);
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
          if (prove) return ask(path, key, height, true, signal);
          return { value: await read({ chain, height, path, request: key }, signal), proofOps: [] };
        },
      };
    },
  };
}
