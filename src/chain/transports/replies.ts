import { ChainError } from '../base/errors.ts';
import type { RpcErrorObject } from '../rpc/decodeRpcError.ts';
import type { JsonObject, JsonValue } from '../wire/json.ts';

/** The response to one call. */
export type Reply = { readonly result: JsonValue } | { readonly error: RpcErrorObject } | { readonly invalid: ChainError };

/** The responses in one HTTP body, by id, and the error without an id that applies to the whole request, if any. */
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

/** Reads the `result` or `error` of a response. A response with both or neither is invalid. */
export function readReply(object: JsonObject): Reply {
  const { result, error } = object;
  if (error === undefined || error === null) return result === undefined ? invalid('neither result nor error') : { result };
  if (result !== undefined && result !== null) return invalid('both result and error');
  const read = readError(error);
  return read === undefined ? invalid('error without code or message') : { error: read };
}

/**
 * Sorts the responses in one HTTP body, which is an object or an array; a node responds to a batch of one with an object
 * (docs/chain.md, "JSON-RPC batches"). Two responses with the same id are invalid. An error without an id, or with id -1 (the
 * handler of a call panicked), applies to the whole request. Returns undefined if `body` cannot be JSON-RPC.
 */
export function sortReplies(body: JsonValue): Replies | undefined {
  const byId = new Map<number, Reply>();
  let whole: RpcErrorObject | undefined;
  for (const item of Array.isArray(body) ? body : [body]) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined;
    const reply = readReply(item);
    if (typeof item.id === 'number' && item.id !== -1) {
      byId.set(item.id, byId.has(item.id) ? invalid('two replies with the same id') : reply);
    } else if ('error' in reply) {
      whole ??= reply.error;
    }
  }
  return byId.size === 0 && whole === undefined ? undefined : { byId, whole };
}
