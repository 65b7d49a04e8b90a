import type { HeadBlock } from '../../chain/blocks/head.ts';
import type { Client } from '../../chain/client.ts';
import type { Arguments } from '../../chain/rpc/args.ts';
import { type RpcMethodName, rpcMethods } from '../../chain/rpc/methods.ts';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import type { Viewer } from '../../reads/viewer.ts';
import type { ReadonlyLifetime } from '../handlers/lifetime.ts';

/** What is known of whoever calls. */
export interface CallContext {
  readonly viewer: Viewer;
  /** What the request that brings the call goes by: it finds a failure that its caller sees masked. */
  readonly requestId: string;
  /** How long it is read for. */
  readonly lifetime: ReadonlyLifetime;
  /** The height that reads are of which name none; undefined: the head. It is not above the head. */
  readonly height?: bigint | undefined;
}

/** One call, its arguments read. */
export interface Call extends Pick<CallContext, 'lifetime' | 'height'> {
  readonly method: RpcMethodName;
  readonly args: Arguments;
}

/** The node's own result, in either form. */
export interface Outcome {
  /** JSON: as a value, or as text that is ready to be sent. */
  readonly result: { readonly value: JsonValue } | { readonly text: string };
  /** The height that was read; undefined where none was. */
  readonly height?: bigint | undefined;
  /** Whether it is of the newest block, or not final, and so never to be kept by callers, whatever the node says. */
  readonly passing?: boolean;
  /** Whether it tells that there is nothing of the name asked for. */
  readonly absent?: boolean;
}

/** Answers the calls of one method. Rejects with a `ChainError`, an `RpcError` or a `RequestError`. */
export type Handler = (call: Call) => Promise<Outcome>;

/** How long a call waits for the first block that this server sees, ms. */
const firstBlockWait = 2_000;

/** The newest block of the chain. Rejects while no node has ever answered. */
export async function headOf(client: Client, lifetime: ReadonlyLifetime): Promise<HeadBlock> {
  return client.head.current() ?? (await client.head.ready({ milliseconds: firstBlockWait, signal: lifetime.signal }));
}

/** The integers and flags among the arguments that were given, as a node wants them: integers in decimal text. */
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
