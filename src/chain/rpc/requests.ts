import type { JsonObject, JsonValue } from '../json.ts';
import { beginningOfValue } from './args.ts';
import { parseError, type RpcError } from './rpcError.ts';

/** One JSON-RPC request. Without an id it is a notification, which the node does not even run. */
export interface RpcRequest {
  readonly id: string | number | undefined;
  readonly method: string;
  /** Undefined when the member is absent, which is not the same as null (chain.md finding 4). */
  readonly params: JsonValue | undefined;
}

/** What the node's decoder says of an array where it wants one request, and of a batch with anything else in it. */
const notOneRequest =
  'json: cannot unmarshal array into Go value of type struct { JSONRPC string "json:\\"jsonrpc\\""; ID interface {} "json:\\"id,omitempty\\""; Method string "json:\\"method\\""; Params json.RawMessage "json:\\"params\\"" }';

function refusal(text: string): RpcError {
  return parseError(`error unmarshaling request: ${text}`);
}

function parseJson(text: string, atEnd: string): JsonValue {
  try {
    // What JSON.parse gives is JSON.
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    // V8 says in these words that the text ended too early. What the node says of other faults is a guess.
    const ended = error instanceof Error && /Unexpected end|Unterminated/.test(error.message);
    throw refusal(ended ? atEnd : beginningOfValue(text));
  }
}

function requestOf(value: JsonObject): RpcRequest {
  const { id, method, params } = value;
  if (method !== undefined && method !== null && typeof method !== 'string') {
    throw refusal('json: cannot unmarshal number into Go struct field .method of type string');
  }
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number') {
    const [shown, type] = typeof id === 'boolean' ? [String(id), 'bool'] : ['map[]', 'map[string]interface {}'];
    throw refusal(`json-rpc ID (${shown}) is of unknown type (${type})`);
  }
  return {
    id: id === null ? undefined : typeof id === 'number' ? Math.trunc(id) : id,
    method: method ?? '',
    params,
  };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads the body of a POST: a request or a batch of them. Throws the {@link RpcError} that answers anything else. */
export function parseBody(text: string): readonly RpcRequest[] {
  const value = parseJson(text, 'unexpected end of JSON input');
  if (isObject(value)) return [requestOf(value)];
  if (!Array.isArray(value)) throw refusal(`json: cannot unmarshal ${typeof value} into Go value of type types.RPCRequest`);
  try {
    return value.map((item) => {
      if (!isObject(item)) throw refusal(notOneRequest);
      return requestOf(item);
    });
  } catch {
    throw refusal(notOneRequest);
  }
}

/** Reads a frame of a WebSocket: one request, no batch. Throws the {@link RpcError} that answers anything else. */
export function parseFrame(text: string): RpcRequest {
  const value = parseJson(text, 'unexpected EOF');
  if (isObject(value)) return requestOf(value);
  throw refusal(
    Array.isArray(value) ? notOneRequest : `json: cannot unmarshal ${typeof value} into Go value of type types.RPCRequest`,
  );
}
