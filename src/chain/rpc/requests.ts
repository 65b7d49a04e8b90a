import { checkJson, JsonBoundError, type JsonBounds } from '../wire/boundedJson.ts';
import { goJsonError } from '../wire/goJsonError.ts';
import type { JsonObject, JsonValue } from '../wire/json.ts';
import { parseJson, zeroLongIntegers } from '../wire/parseJson.ts';
import { parseError, type RpcError } from './rpcError.ts';

/** What a request is known by: text, or an integer, which is a bigint where a number would not hold it exactly. */
export type RequestId = string | number | bigint;

/** One JSON-RPC request. Without an id it is a notification, which the node does not even run. */
export interface RpcRequest {
  readonly id: RequestId | undefined;
  readonly method: string;
  /** Undefined when the member is absent, which is not the same as null (chain.md finding 4). */
  readonly params: JsonValue | undefined;
}

/** The bounds of a node. A guess: Go's decoder takes 10,000 levels; no argument of a method has twenty. */
export const nodeJson: JsonBounds = { depth: 1_000, values: Number.POSITIVE_INFINITY, number: Number.POSITIVE_INFINITY };

/** What the node's decoder says of an array where it wants one request, and of a batch with anything else in it. */
const notOneRequest =
  'json: cannot unmarshal array into Go value of type struct { JSONRPC string "json:\\"jsonrpc\\""; ID interface {} "json:\\"id,omitempty\\""; Method string "json:\\"method\\""; Params json.RawMessage "json:\\"params\\"" }';

function refusal(text: string): RpcError {
  return parseError(`error unmarshaling request: ${text}`);
}

/** What is said of a bound that a request is beyond. Only the first is a guess at the words of Go's decoder, which takes 10,000 levels. */
const excess: Record<keyof JsonBounds, (max: number) => string> = {
  depth: () => 'exceeded max depth',
  values: (max) => `more than ${max} values (json.values)`,
  number: (max) => `a number of more than ${max} characters (json.number)`,
};

/** Parses JSON. `atEnd`: what the node's decoder returns for a text that ends too early; undefined: the same as Go's `Unmarshal`. */
function parseText(bytes: Buffer, bounds: JsonBounds, atEnd?: string): { readonly text: string; readonly value: JsonValue } {
  try {
    checkJson(bytes, bounds);
  } catch (error) {
    if (error instanceof JsonBoundError) throw refusal(excess[error.bound](error.max));
    throw error;
  }
  const text = bytes.toString();
  try {
    return { text, value: parseJson(text) };
  } catch {
    throw refusal(goJsonError(text, atEnd) ?? 'exceeded max depth');
  }
}

/** The ids that a number would not hold, each in the place of its request. The text is parsed again only if an id looks like one. */
function longIdsOf(text: string, value: JsonValue): readonly (bigint | undefined)[] {
  const idsOf = (parsed: JsonValue): readonly unknown[] =>
    (Array.isArray(parsed) ? parsed : [parsed]).map((item) => (isObject(item) ? item.id : undefined));
  const ids = idsOf(value).map((id) => (typeof id === 'string' && /^-?[1-9]\d{15,}$/.test(id) ? id : undefined));
  if (ids.every((id) => id === undefined)) return [];
  const zeroed = idsOf(parseJson(zeroLongIntegers(text)));
  return ids.map((id, place) => (id !== undefined && zeroed[place] === 0 ? BigInt(id) : undefined));
}

function requestOf(value: JsonObject, longId: bigint | undefined): RpcRequest {
  const { id, method, params } = value;
  if (method !== undefined && method !== null && typeof method !== 'string') {
    throw refusal('json: cannot unmarshal number into Go struct field .method of type string');
  }
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number') {
    const [shown, type] = typeof id === 'boolean' ? [String(id), 'bool'] : ['map[]', 'map[string]interface {}'];
    throw refusal(`json-rpc ID (${shown}) is of unknown type (${type})`);
  }
  return {
    id: longId ?? (id === null ? undefined : typeof id === 'number' ? Math.trunc(id) : id),
    method: method ?? '',
    params,
  };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads the body of a POST: a request or a batch of them. Throws the {@link RpcError} that answers anything else, or is beyond `bounds`. */
export function parseBody(bytes: Buffer, bounds: JsonBounds): readonly RpcRequest[] {
  const { text, value } = parseText(bytes, bounds);
  const longIds = longIdsOf(text, value);
  if (isObject(value)) return [requestOf(value, longIds[0])];
  if (!Array.isArray(value)) throw refusal(`json: cannot unmarshal ${typeof value} into Go value of type types.RPCRequest`);
  try {
    return value.map((item, place) => {
      if (!isObject(item)) throw refusal(notOneRequest);
      return requestOf(item, longIds[place]);
    });
  } catch {
    throw refusal(notOneRequest);
  }
}

/** Reads a frame of a WebSocket: one request, no batch. Throws the {@link RpcError} that answers anything else, or is beyond `bounds`. */
export function parseFrame(bytes: Buffer, bounds: JsonBounds): RpcRequest {
  const { text, value } = parseText(bytes, bounds, 'unexpected EOF');
  if (isObject(value)) return requestOf(value, longIdsOf(text, value)[0]);
  throw refusal(
    Array.isArray(value) ? notOneRequest : `json: cannot unmarshal ${typeof value} into Go value of type types.RPCRequest`,
  );
}
