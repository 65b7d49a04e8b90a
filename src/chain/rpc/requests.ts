import { goJsonError, stringify } from '../wire/goText.ts';
import {
  checkJson,
  isJsonObject,
  JsonBoundError,
  type JsonBounds,
  type JsonObject,
  type JsonValue,
  parseJson,
  zeroLongIntegers,
} from '../wire/json.ts';
import { encodeRpcError, parseError, type RpcError } from './rpcErrors.ts';

/** The id of a request: text or an integer. Integers that a number cannot hold exactly are bigints. */
export type RequestId = string | number | bigint;

/** A JSON-RPC request. Without an id it is a notification, which a node ignores. */
export interface RpcRequest {
  readonly id: RequestId | undefined;
  readonly method: string;
  /** Undefined if the member is absent, which differs from null (docs/chain.md, "JSON-RPC ids and params"). */
  readonly params: JsonValue | undefined;
}

/** The bounds of a node. The depth is a guess: Go's decoder accepts 10,000 levels, but no argument needs twenty. */
export const nodeJson: JsonBounds = { depth: 1_000, values: Number.POSITIVE_INFINITY, number: Number.POSITIVE_INFINITY };

/** The error of the node's decoder for an array in place of a request, and for a batch that contains anything but requests. */
const notOneRequest =
  'json: cannot unmarshal array into Go value of type struct { JSONRPC string "json:\\"jsonrpc\\""; ID interface {} "json:\\"id,omitempty\\""; Method string "json:\\"method\\""; Params json.RawMessage "json:\\"params\\"" }';

function refusal(text: string): RpcError {
  return parseError(`error unmarshaling request: ${text}`);
}

/** The error for each exceeded bound. The text for depth is that of Go's decoder, which accepts 10,000 levels; it is a guess. */
const excess: Record<keyof JsonBounds, (max: number) => string> = {
  depth: () => 'exceeded max depth',
  values: (max) => `more than ${max} values (json.values)`,
  number: (max) => `a number of more than ${max} characters (json.number)`,
};

/** Parses JSON. `atEnd` is the error of the node's decoder for text that ends too early; undefined selects the error of Go's `Unmarshal`. */
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

/**
 * The ids that a number cannot hold exactly, by the position of their request. The text is parsed a second time only if an id may be such an integer.
 */
function longIdsOf(text: string, value: JsonValue): readonly (bigint | undefined)[] {
  const idsOf = (parsed: JsonValue): readonly unknown[] =>
    (Array.isArray(parsed) ? parsed : [parsed]).map((item) => (isJsonObject(item) ? item.id : undefined));
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
    const [shownId, type] = typeof id === 'boolean' ? [String(id), 'bool'] : ['map[]', 'map[string]interface {}'];
    throw refusal(`json-rpc ID (${shownId}) is of unknown type (${type})`);
  }
  return {
    id: longId ?? (id === null ? undefined : typeof id === 'number' ? Math.trunc(id) : id),
    method: method ?? '',
    params,
  };
}

/** Parses the body of a POST: a request or a batch. Throws the {@link RpcError} to return if the body is neither or exceeds `bounds`. */
export function parseBody(bytes: Buffer, bounds: JsonBounds): readonly RpcRequest[] {
  const { text, value } = parseText(bytes, bounds);
  const longIds = longIdsOf(text, value);
  if (isJsonObject(value)) return [requestOf(value, longIds[0])];
  if (!Array.isArray(value)) throw refusal(`json: cannot unmarshal ${typeof value} into Go value of type types.RPCRequest`);
  try {
    return value.map((item, place) => {
      if (!isJsonObject(item)) throw refusal(notOneRequest);
      return requestOf(item, longIds[place]);
    });
  } catch {
    throw refusal(notOneRequest);
  }
}

/**
 * Parses a WebSocket message: one request, not a batch. Throws the {@link RpcError} to return if the message is not a request or exceeds `bounds`.
 */
export function parseFrame(bytes: Buffer, bounds: JsonBounds): RpcRequest {
  const { text, value } = parseText(bytes, bounds, 'unexpected EOF');
  if (isJsonObject(value)) return requestOf(value, longIdsOf(text, value)[0]);
  throw refusal(
    Array.isArray(value) ? notOneRequest : `json: cannot unmarshal ${typeof value} into Go value of type types.RPCRequest`,
  );
}

/** A call without the arguments of its method. It makes the node's handler panic, which fails the whole batch. */
export class MissingParams extends Error {
  override readonly name = 'MissingParams';

  constructor() {
    super('reflect: Call with too few input arguments');
  }
}

/** The id of responses to a URI, and of a response when the handler panicked. */
export const noRequestId = -1;

export function encodeId(id: RequestId): string {
  return typeof id === 'bigint' ? String(id) : stringify(id);
}

/** Encodes a successful response. `result` is JSON text. */
export function encodeResult(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${result}}`;
}

/** Encodes an error response. `id` is undefined if the request has no readable id. */
export function encodeFailure(id: RequestId | undefined, error: RpcError): string {
  return `{"jsonrpc":"2.0",${id === undefined ? '' : `"id":${encodeId(id)},`}"error":${stringify(encodeRpcError(error))}}`;
}
