import { ChainError } from '../base/errors.ts';
import type { RpcErrorObject } from '../rpc/decodeRpcError.ts';
import type { JsonObject, JsonValue } from '../wire/json.ts';

/** What a node said to one call. */
export type Reply = { readonly result: JsonValue } | { readonly error: RpcErrorObject } | { readonly invalid: ChainError };

/** What one HTTP answer held: replies by id, and the error without an id that stands for the whole request, if any. */
export interface Replies {
  readonly byId: ReadonlyMap<number, Reply>;
  readonly whole: RpcErrorObject | undefined;
}

function invalid(what: string): { readonly invalid: ChainError } {
  return { invalid: new ChainError('NODE_INVALID_RESPONSE', `The node's reply is not JSON-RPC: ${what}.`, {}) };
}

function readError(value: JsonValue): RpcErrorObject | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { code, message, data } = value;
  if (typeof code !== 'number' || typeof message !== 'string') return undefined;
  return { code, message, data: typeof data === 'string' ? data : undefined };
}

/** Reads the `result` or `error` of one reply. Both at once, or neither, is no reply. */
export function readReply(object: JsonObject): Reply {
  const { result, error } = object;
  if (error === undefined || error === null) return result === undefined ? invalid('neither result nor error') : { result };
  if (result !== undefined && result !== null) return invalid('both result and error');
  const read = readError(error);
  return read === undefined ? invalid('an error without code and message') : { error: read };
}

/**
 * Sorts the replies of one HTTP answer, an object or an array (the node answers a batch of one with an object: chain.md finding 3).
 * Two replies of one id are none: which is meant cannot be known. An error without an id, or with -1, which the node gives to a call
 * that broke its handler, stands for the request as a whole. undefined when `body` cannot be JSON-RPC.
 */
export function sortReplies(body: JsonValue): Replies | undefined {
  const byId = new Map<number, Reply>();
  let whole: RpcErrorObject | undefined;
  for (const item of Array.isArray(body) ? body : [body]) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined;
    const reply = readReply(item);
    if (typeof item.id === 'number' && item.id !== -1) {
      byId.set(item.id, byId.has(item.id) ? invalid('two replies of one id') : reply);
    } else if ('error' in reply) {
      whole ??= reply.error;
    }
  }
  return byId.size === 0 && whole === undefined ? undefined : { byId, whole };
}
