import { parse } from 'lossless-json';
import { isDeeperThan, type JsonObject, type JsonValue } from '../json.ts';
import { hasLongNumber, parseJson } from '../parseJson.ts';
import { beginningOfValue } from './args.ts';
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

/** What the node's decoder says of an array where it wants one request, and of a batch with anything else in it. */
const notOneRequest =
  'json: cannot unmarshal array into Go value of type struct { JSONRPC string "json:\\"jsonrpc\\""; ID interface {} "json:\\"id,omitempty\\""; Method string "json:\\"method\\""; Params json.RawMessage "json:\\"params\\"" }';

function refusal(text: string): RpcError {
  return parseError(`error unmarshaling request: ${text}`);
}

function parseText(text: string, atEnd: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    // V8, and the parser of long numbers, say in these words that the text ended too early. What the node says of other faults is a guess.
    const ended = error instanceof Error && /Unexpected end|Unterminated|reached end of input/.test(error.message);
    throw refusal(ended ? atEnd : beginningOfValue(text));
  }
}

function parseInteger(text: string): number | bigint {
  const value = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}

/** The ids that a number would not hold, each in the place of its request. */
function longIdsOf(text: string): readonly (bigint | undefined)[] {
  if (!hasLongNumber(text)) return [];
  const value = parse(text, null, { parseNumber: parseInteger, onDuplicateKey: ({ newValue }) => newValue });
  return (Array.isArray(value) ? value : [value]).map((item: unknown) =>
    typeof item === 'object' && item !== null && 'id' in item && typeof item.id === 'bigint' ? item.id : undefined,
  );
}

/** Levels that arguments may have. A guess: the words are those of Go's decoder, which takes 10,000; no argument of a method has twenty. */
const mostLevels = 1_000;

function requestOf(value: JsonObject, longId: bigint | undefined): RpcRequest {
  const { id, method, params } = value;
  if (isDeeperThan(mostLevels, params)) throw refusal('exceeded max depth');
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

/** Reads the body of a POST: a request or a batch of them. Throws the {@link RpcError} that answers anything else. */
export function parseBody(text: string): readonly RpcRequest[] {
  const value = parseText(text, 'unexpected end of JSON input');
  const longIds = longIdsOf(text);
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

/** Reads a frame of a WebSocket: one request, no batch. Throws the {@link RpcError} that answers anything else. */
export function parseFrame(text: string): RpcRequest {
  const value = parseText(text, 'unexpected EOF');
  if (isObject(value)) return requestOf(value, longIdsOf(text)[0]);
  throw refusal(
    Array.isArray(value) ? notOneRequest : `json: cannot unmarshal ${typeof value} into Go value of type types.RPCRequest`,
  );
}
