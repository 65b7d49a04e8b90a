import { goBase64Error, goHexError, goJsonError, goKindOf, goQuote } from '../wire/goText.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../wire/json.ts';

/** The type of an argument in the node's RPC. In JSON, `bytes` is base64, `hex` is hex and integers are decimal strings. */
type ParamType = 'int64' | 'int' | 'uint' | 'bool' | 'string' | 'bytes' | 'hex' | 'evidence';

/** A declared argument. If it is optional, an absent value differs from zero. */
export interface Param {
  readonly name: string;
  readonly type: ParamType;
  readonly optional?: true;
  /** Whether the node's documentation requires it. The node itself accepts a call without it, as zero or empty. */
  readonly required?: true;
}

export type Arguments = ReturnType<typeof readerOf>;

export type Value = bigint | boolean | string | Uint8Array | JsonObject;

/** Invalid arguments. The message is the node's error without its prefix. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

/** The names of kinds in Go's reflection, which the node prints where it did not expect hex. */
const goKinds: Record<ParamType, string> = {
  int64: 'int64',
  int: 'int',
  uint: 'uint',
  bool: 'bool',
  string: 'string',
  bytes: 'slice',
  hex: 'slice',
  evidence: 'interface',
};

/** The names of types in errors of `encoding/json`. */
const goTypes: Record<ParamType, string> = {
  ...goKinds,
  bytes: '[]uint8',
  hex: '[]uint8',
  evidence: 'json.interfaceWrapper',
};

type IntegerType = 'int64' | 'int' | 'uint';

function mismatch(kind: string, type: ParamType): ArgumentError {
  return new ArgumentError(`json: cannot unmarshal ${kind} into Go value of type ${goTypes[type]}`);
}

/** Decodes the JSON of an integer argument; the node quotes this JSON in its error. The integer is JSON inside a string: `"null"` is zero. */
function decodeInteger(raw: string, type: IntegerType): bigint {
  const digits = /^"(.*)"$/s.exec(raw)?.[1];
  if (digits === undefined) throw new ArgumentError(`invalid 64-bit integer encoding ${goQuote(raw)}, expected string`);
  // goJsonError stops after a bounded number of bytes, and a plain integer needs no check.
  const problem = /^-?(0|[1-9]\d*)$/.test(digits) ? undefined : goJsonError(digits);
  if (problem !== undefined) throw new ArgumentError(problem);
  const text = digits.trim();
  if (text === 'null') return 0n;
  if (!/^-?\d/.test(text)) throw mismatch(goKindOf(JSON.parse(text)), type);
  // No 64-bit integer has more characters. Parsing a very long number takes more than linear time.
  const value = text.length <= 20 && /^-?\d+$/.test(text) ? BigInt(text) : undefined;
  const [low, high] = type === 'uint' ? [0n, 2n ** 64n - 1n] : [-(2n ** 63n), 2n ** 63n - 1n];
  if (value === undefined || value < low || value > high) throw mismatch(`number ${text}`, type);
  return value;
}

export function decodeBytes(text: string, encoding: 'hex' | 'base64'): Uint8Array {
  const problem = encoding === 'hex' ? goHexError(text) : goBase64Error(text, 'standard');
  if (problem !== undefined) throw new ArgumentError(problem);
  return new Uint8Array(Buffer.from(text, encoding));
}

function decodeValue(value: JsonValue, type: ParamType): Value {
  switch (type) {
    case 'int64':
    case 'int':
    case 'uint':
      return decodeInteger(JSON.stringify(value), type);
    case 'bool':
      if (typeof value === 'boolean') return value;
      break;
    case 'string':
      if (typeof value === 'string') return value;
      break;
    case 'bytes':
      if (typeof value === 'string') return decodeBytes(value, 'base64');
      break;
    case 'hex':
      if (typeof value !== 'string') throw new ArgumentError(`invalid hex string: ${JSON.stringify(value)}`);
      return decodeBytes(value, 'hex');
    case 'evidence':
      if (isJsonObject(value)) return value;
  }
  throw mismatch(goKindOf(value), type);
}

/** The arguments of a call. An absent argument reads as zero, false or empty, except in `optional` and `json`. */
export function readerOf(values: ReadonlyMap<string, Value>) {
  const optional = (name: string): bigint | undefined => {
    const value = values.get(name);
    return typeof value === 'bigint' ? value : undefined;
  };
  return {
    has: (name: string): boolean => values.has(name),
    optional,
    integer: (name: string): bigint => optional(name) ?? 0n,
    flag: (name: string): boolean => values.get(name) === true,
    text(name: string): string {
      const value = values.get(name);
      return typeof value === 'string' ? value : '';
    },
    bytes(name: string): Uint8Array {
      const value = values.get(name);
      return value instanceof Uint8Array ? value : new Uint8Array();
    },
    json(name: string): JsonObject | undefined {
      const value = values.get(name);
      return typeof value === 'object' && !(value instanceof Uint8Array) ? value : undefined;
    },
  };
}

/** Decodes the `params` of a JSON-RPC call: an object, or an array with exactly the declared number of items. Throws {@link ArgumentError}. */
export function decodeJsonParams(params: readonly Param[], input: JsonValue): Arguments {
  const values = new Map<string, Value>();
  let argumentOf: (name: string, index: number) => JsonValue | undefined;
  if (Array.isArray(input)) {
    if (input.length !== params.length) {
      const names = params.map(({ name }) => name).join(' ');
      const raw = input.map((value) => `[${Array.from(Buffer.from(JSON.stringify(value))).join(' ')}]`).join(' ');
      throw new ArgumentError(`expected ${params.length} parameters ([${names}]), got ${input.length} ([${raw}])`);
    }
    argumentOf = (_, index) => input[index];
  } else if (typeof input === 'object') {
    argumentOf = (name) => (input !== null && Object.hasOwn(input, name) ? input[name] : undefined);
  } else {
    const problem = `json: cannot unmarshal ${goKindOf(input)} into Go value of type []json.RawMessage`;
    throw new ArgumentError(`unknown type for JSON params: ${problem}. Expected map or array`);
  }
  params.forEach(({ name, type }, index) => {
    const value = argumentOf(name, index);
    if (value !== undefined && value !== null) values.set(name, decodeValue(value, type));
  });
  return readerOf(values);
}

/**
 * Decodes the arguments of a URI (docs/chain.md, "Arguments in a URI"): bare integers, `0x…`, quoted text or JSON. `null`
 * counts as absent. Throws {@link ArgumentError}.
 */
export function decodeUriParams(params: readonly Param[], input: URLSearchParams): Arguments {
  const values = new Map<string, Value>();
  for (const { name, type } of params) {
    const text = input.get(name);
    if (text !== null && text !== '' && text !== 'null') values.set(name, decodeUriValue(text, type));
  }
  return readerOf(values);
}

function decodeUriValue(text: string, type: ParamType): Value {
  const isInteger = type === 'int64' || type === 'int' || type === 'uint';
  const isBytes = type === 'bytes' || type === 'hex';
  if (isInteger && /^-?[0-9]+$/.test(text)) return decodeInteger(`"${text}"`, type);
  if (/^0x/i.test(text)) {
    if (!isBytes && type !== 'string') throw new ArgumentError(`got a hex string arg, but expected '${goKinds[type]}'`);
    const bytes = decodeBytes(text.slice(2), 'hex');
    return isBytes ? bytes : Buffer.from(bytes).toString();
  }
  if (isInteger) return decodeInteger(text, type);
  const isQuoted = /^".*"$/s.test(text);
  // For type hex, the node checks only the quotes.
  if (type === 'hex' && !isQuoted) throw new ArgumentError(`invalid hex string: ${text}`);
  const problem = goJsonError(text);
  if (problem !== undefined) throw new ArgumentError(problem);
  // goJsonError has checked the text, and JSON.parse returns JSON.
  const value = JSON.parse(text) as JsonValue;
  if (isBytes && isQuoted && typeof value === 'string') return new Uint8Array(Buffer.from(value));
  return decodeValue(value, type);
}

/** A method of the node's RPC (docs/chain.md, "Methods of the node RPC"). */
export interface RpcMethod {
  /** In the order of a positional argument list. */
  readonly params: readonly Param[];
  /** When the node lets a client cache the response for a day: never, always, or only if the call names a height. */
  readonly cache: 'never' | 'always' | 'withHeight';
}

const height: Param = { name: 'height', type: 'int64', optional: true };
const page: Param = { name: 'page', type: 'int', optional: true };
const perPage: Param = { name: 'per_page', type: 'int', optional: true };
const tx: Param = { name: 'tx', type: 'bytes', required: true };
const query: Param = { name: 'query', type: 'string', required: true };
const prove: Param = { name: 'prove', type: 'bool' };
const orderBy: Param = { name: 'order_by', type: 'string' };

/** The methods that POST, URI and WebSocket share. */
export const rpcMethods = {
  health: { params: [], cache: 'never' },
  status: { params: [], cache: 'never' },
  net_info: { params: [], cache: 'never' },
  blockchain: {
    params: [
      { name: 'minHeight', type: 'int64' },
      { name: 'maxHeight', type: 'int64' },
    ],
    cache: 'always',
  },
  genesis: { params: [], cache: 'always' },
  genesis_chunked: { params: [{ name: 'chunk', type: 'uint' }], cache: 'always' },
  block: { params: [height], cache: 'withHeight' },
  block_by_hash: { params: [{ name: 'hash', type: 'bytes', required: true }], cache: 'always' },
  block_results: { params: [height], cache: 'withHeight' },
  commit: { params: [height], cache: 'withHeight' },
  header: { params: [height], cache: 'withHeight' },
  header_by_hash: { params: [{ name: 'hash', type: 'hex', required: true }], cache: 'always' },
  check_tx: { params: [tx], cache: 'never' },
  tx: { params: [{ name: 'hash', type: 'bytes', required: true }, prove], cache: 'always' },
  tx_search: { params: [query, prove, page, perPage, orderBy], cache: 'never' },
  block_search: { params: [query, page, perPage, orderBy], cache: 'never' },
  validators: { params: [height, page, perPage], cache: 'withHeight' },
  dump_consensus_state: { params: [], cache: 'never' },
  consensus_state: { params: [], cache: 'never' },
  consensus_params: { params: [height], cache: 'withHeight' },
  unconfirmed_txs: { params: [{ name: 'limit', type: 'int', optional: true }], cache: 'never' },
  num_unconfirmed_txs: { params: [], cache: 'never' },
  broadcast_tx_commit: { params: [tx], cache: 'never' },
  broadcast_tx_sync: { params: [tx], cache: 'never' },
  broadcast_tx_async: { params: [tx], cache: 'never' },
  abci_query: {
    params: [
      { name: 'path', type: 'string', required: true },
      { name: 'data', type: 'hex', required: true },
      { name: 'height', type: 'int64' },
      prove,
    ],
    cache: 'never',
  },
  abci_info: { params: [], cache: 'always' },
  broadcast_evidence: { params: [{ name: 'evidence', type: 'evidence', required: true }], cache: 'never' },
} as const satisfies Readonly<Record<string, RpcMethod>>;

export type RpcMethodName = keyof typeof rpcMethods;

/** The methods that exist on a WebSocket only, with their arguments. The node rejects an absent query as unparsable. */
export const socketMethods: Readonly<Record<string, readonly Param[]>> = {
  subscribe: [{ name: 'query', type: 'string' }],
  unsubscribe: [{ name: 'query', type: 'string' }],
  unsubscribe_all: [],
};

/** The methods that a node offers only with `rpc.unsafe`. */
export const unsafeMethods: readonly string[] = ['dial_seeds', 'dial_peers', 'unsafe_flush_mempool'];

export function isRpcMethod(name: string): name is RpcMethodName {
  return Object.hasOwn(rpcMethods, name);
}

/**
 * Whether the node lets a client cache the response to a call. This depends on the arguments alone, so errors are cacheable too
 * (docs/chain.md, "Cacheable methods").
 */
export function isCacheable(method: RpcMethodName, args: { has(name: string): boolean }): boolean {
  const { cache } = rpcMethods[method];
  return cache === 'always' || (cache === 'withHeight' && args.has('height'));
}

/**
 * The page that a node returns at its root: a link to each method with its arguments. `root` is the host as the client named
 * it, plus the path of the root.
 */
export function listPage(root: string): string {
  const safeRoot = root.replace(/[^\w.:[\]/-]/g, '');
  const all = [
    ...Object.entries(rpcMethods).map(([name, { params }]) => [name, params] as const),
    ...Object.entries(socketMethods),
  ].sort(([a], [b]) => (a < b ? -1 : 1));
  const links = all.map(([name, params]) => {
    const link = `//${safeRoot}/${name}?${params.map((param) => `${param.name}=_`).join('&')}`;
    return `<a href="${link}">${link}</a></br>`;
  });
  return `<html><body><br>Available endpoints:<br><br>Endpoints that require arguments:<br>${links.join('')}</body></html>`;
}
