import type { HeadBlock } from '../../chain/blocks/head.ts';
import type { Client } from '../../chain/client.ts';
import type { Arguments } from '../../chain/rpc/args.ts';
import { type RpcMethodName, rpcMethods } from '../../chain/rpc/methods.ts';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import type { Viewer } from '../../reads/viewer.ts';
import type { ReadonlyLifetime } from '../../server/lifetime.ts';

/** The context of a call. */
export interface CallContext {
  readonly viewer: Viewer;
  /** Id of the request that contains the call. Log lines of masked errors contain it. */
  readonly requestId: string;
  /** Ends the reads of the call. */
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
  /** A JSON value, or serialized JSON. */
  readonly result: { readonly value: JsonValue } | { readonly text: string };
  /** The height of the result. undefined if it has none. */
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

/** Encodes the given integers, flags and strings for a node. Integers become decimal strings. */
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
