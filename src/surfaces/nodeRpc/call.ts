import type { HeadBlock } from '../../chain/blocks/head.ts';
import type { Client } from '../../chain/client.ts';
import { createInFlight } from '../../chain/memory/inFlight.ts';
import { objectBytes, textBytes } from '../../chain/memory/memoryBudget.ts';
import { type Arguments, isRpcMethod, type RpcMethodName, rpcMethods } from '../../chain/rpc/methods.ts';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import type { Scope, Viewer } from '../../reads/viewer.ts';
import type { ReadonlyLifetime } from '../../server/lifetime.ts';

/** The context of a call. */
export interface CallContext {
  readonly viewer: Viewer;
  /** Id of the request that contains the call. Log lines of masked errors contain it. */
  readonly requestId: string;
  readonly lifetime: ReadonlyLifetime;
  /** The height at which calls without a height read, at most the head. undefined: the head. */
  readonly height?: bigint | undefined;
}

/** A call with decoded arguments. */
export interface Call extends Pick<CallContext, 'viewer' | 'lifetime' | 'height'> {
  readonly method: RpcMethodName;
  readonly args: Arguments;
}

/** The result of a call, in the node's dialect. */
export interface Outcome {
  readonly result: { readonly value: JsonValue } | { readonly text: string };
  readonly height?: bigint | undefined;
  /** Whether the result concerns the newest block or is not final. Clients must not cache it, even if the node allows it. */
  readonly transient?: boolean;
  /** Whether the result states that the requested object does not exist. */
  readonly absent?: boolean;
  /**
   * Whether the same call without height headers always has this result, unless the chain is rewound, and had it before. Absent for a
   * result that was not in memory, because few requests are repeated.
   */
  readonly isRepeated?: boolean;
}

/** Executes the calls of one method. Rejects with a `ChainError`, an `RpcError` or a `RequestError`. */
export type Handler = (call: Call) => Promise<Outcome>;

/** How long a call waits until the server has its first block, in ms. */
const firstBlockWait = 2_000;

/** Returns the newest block of the chain. Rejects if no node has responded since the start. */
export async function headOf(client: Client, lifetime: ReadonlyLifetime): Promise<HeadBlock> {
  return client.head.current() ?? (await client.head.ready({ milliseconds: firstBlockWait, signal: lifetime.signal }));
}

/** Encodes the integers, flags and strings for a node. Integers become decimal strings. */
export function nodeParams({ method, args }: Pick<Call, 'method' | 'args'>): JsonObject {
  const params: JsonObject = {};
  for (const { name, type } of rpcMethods[method].params) {
    if (!args.has(name)) continue;
    if (type === 'bool') params[name] = args.flag(name);
    else if (type === 'string') params[name] = args.text(name);
    else if (type !== 'bytes' && type !== 'hex' && type !== 'evidence') params[name] = args.integer(name).toString();
  }
  return params;
}

/** A serialized result. */
export interface ReadyResult {
  readonly text: string;
  readonly height?: bigint | undefined;
  /** Whether the result is immutable, and therefore cached. */
  readonly keep: boolean;
  readonly isRepeated?: boolean;
}

/** A cache of serialized results. */
export type ResultCache = ReturnType<typeof createResultCache>;

/** Creates the cache. It counts toward the memory for answers, and is cleared when the chain rewinds. */
export function createResultCache({ head, memory }: Pick<Client, 'head' | 'memory'>) {
  const cache = memory.cache<ReadyResult>('answers', 'rpc', ({ text }) => objectBytes + textBytes(text));
  const inFlight = createInFlight<ReadyResult>();
  head.onRewind(() => cache.clear());
  return {
    /** Returns the cached result under `name`, or else calls `make`, once for all concurrent callers. */
    read(name: string, lifetime: ReadonlyLifetime, make: (signal: AbortSignal) => Promise<ReadyResult>): Promise<ReadyResult> {
      const key = `${head.generation()} ${name}`;
      const entry = cache.get(key);
      if (entry !== undefined) return Promise.resolve(entry);
      return inFlight.join(key, lifetime.signal, async (signal) => {
        const result = await make(signal);
        if (result.keep) cache.set(key, { ...result, isRepeated: true });
        return result;
      });
    },
  };
}

/** Methods that need the scope `broadcast`. All others need `read`. The GraphQL fields have the same rules. */
const sends: readonly RpcMethodName[] = [
  'broadcast_tx_sync',
  'broadcast_tx_async',
  'broadcast_tx_commit',
  'broadcast_evidence',
];

/**
 * Points of a call in addition to the one of every call. For each page of a search, the node evaluates the query on everything that it has indexed
 * (docs/chain.md, "Pages and searches"). Results of a genesis may have 16 MiB and more, and only smaller ones are cached.
 */
const morePoints: Partial<Record<RpcMethodName, number>> = {
  tx_search: 10,
  block_search: 10,
  genesis: 10,
  genesis_chunked: 10,
};

/** The price of a GraphQL field that broadcasts. */
const broadcastPoints = 20;

/** Returns the price of a request that calls these methods: one point for each call, and more for a search, a genesis and a broadcast. */
export function priceOf(methods: readonly string[]) {
  let points = 0;
  let broadcasts = 0;
  for (const method of methods) {
    points += 1;
    if (!isRpcMethod(method)) continue;
    points += morePoints[method] ?? 0;
    if (!sends.includes(method)) continue;
    points += broadcastPoints;
    broadcasts += 1;
  }
  return { points, broadcasts };
}

/** Whether a method changes the state of a node. A batch that contains such a method is executed sequentially. */
export function isSending(method: string): boolean {
  return method === 'check_tx' || (isRpcMethod(method) && sends.includes(method));
}

/** Returns the scope that a call needs and the token lacks. undefined if the token has it. */
export function missingScope(method: RpcMethodName, { scopes }: Viewer): Scope | undefined {
  const scope: Scope = sends.includes(method) ? 'broadcast' : 'read';
  return scopes.includes(scope) ? undefined : scope;
}
