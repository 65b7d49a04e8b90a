import { ChainError, isChainError } from '../../chain/base/errors.ts';
import {
  ArgumentError,
  type Arguments,
  decodeBytes,
  decodeJsonParams,
  decodeUriParams,
  type Param,
  type RpcMethodName,
  readerOf,
  type Value,
} from '../../chain/rpc/methods.ts';
import { encodeFailure, encodeId, encodeResult, MissingParams, type RequestId } from '../../chain/rpc/requests.ts';
import { internalError, invalidParams, invalidRequest, RpcError } from '../../chain/rpc/rpcErrors.ts';
import { stringify } from '../../chain/wire/goText.ts';
import { asObject, bigintAt, bytesAt, type JsonObject, type JsonValue, objectAt, textAt } from '../../chain/wire/json.ts';
import { maxTxBytes } from '../../config/bounds.ts';
import { decodeSteps, encodeProof, pathInput } from '../../modules/nodes/query.ts';
import { RequestError } from '../../reads/errors.ts';
import type { Scope } from '../../reads/viewer.ts';
import type { ErrorResponse, ErrorShape } from '../../server/messages/errors.ts';
import type { Surface } from '../../server/observability/requestLog.ts';

/**
 * Kind of an error. `stopped`: a call fails the whole batch. `parse`: the body is not a request. `method`: unknown method.
 * `params`: invalid arguments. `application`: the node or the application rejected the call. `forbidden`: the token lacks a
 * scope. `unreachable`: no node responds. `late`: the node timed out.
 */
export type FailureKind = 'stopped' | 'parse' | 'method' | 'params' | 'application' | 'forbidden' | 'unreachable' | 'late';

/** The error of a failed call, with its kind. */
export interface Failure {
  readonly kind: FailureKind;
  readonly error: RpcError;
}

interface FailedCall {
  readonly error: RpcError | undefined;
  readonly kind: FailureKind | undefined;
}

/** Error codes of Stele, in the range that JSON-RPC reserves for servers. */
const codes: Partial<Record<ErrorResponse['code'], number>> = {
  UNAUTHENTICATED: -32001,
  FORBIDDEN: -32003,
  RATE_LIMITED: -32005,
};

/** Creates the error for a call that the client may not make. */
export function forbidden(text: string): RpcError {
  return new RpcError(-32003, 'Forbidden', text);
}

/** Creates the error for a token that lacks a scope. */
export function outOfScope(scope: Scope): RpcError {
  return forbidden(`A token with the scope \`${scope}\` is required.`);
}

/** Converts an error response of HTTP to a JSON-RPC error. */
export function rpcErrorOf({ status, code, message }: ErrorResponse): RpcError {
  if (code === 'BAD_USER_INPUT') return invalidRequest(message);
  return new RpcError(codes[code] ?? -32603, status === 500 ? 'Internal error' : (titles[code] ?? 'Server error'), message);
}

const titles: Partial<Record<ErrorResponse['code'], string>> = {
  UNAUTHENTICATED: 'Unauthenticated',
  FORBIDDEN: 'Forbidden',
  RATE_LIMITED: 'Limit exceeded',
};

function ofChain(error: ChainError): Failure {
  // The node's own error is passed on unchanged.
  if (error.cause instanceof RpcError) return { kind: 'application', error: error.cause };
  const application = (text: string): Failure => ({ kind: 'application', error: internalError(text) });
  if (isChainError(error, 'MEMPOOL_REJECTED')) return application(error.message);
  if (isChainError(error, 'COMMIT_TIMEOUT')) return application('timed out waiting for tx to be included in a block');
  if (isChainError(error, 'HEIGHT_NOT_YET_AVAILABLE')) {
    const { height, latestHeight = height } = error.facts;
    return application(`height ${height} must be less than or equal to the current blockchain height ${latestHeight}`);
  }
  if (isChainError(error, 'HEIGHT_PRUNED')) {
    const { height, earliestHeight } = error.facts;
    return application(
      `height ${height} is not available${earliestHeight === undefined ? '' : `, lowest height is ${earliestHeight}`}`,
    );
  }
  if (isChainError(error, 'SIMULATION_DISABLED')) return { kind: 'forbidden', error: forbidden(error.message) };
  if (isChainError(error, 'NODE_TIMEOUT')) return { kind: 'late', error: internalError(error.message) };
  return { kind: 'unreachable', error: internalError(error.message) };
}

/** Converts the error of a call. undefined for an unexpected error, which must be masked. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof RpcError) return { kind: kindsOfCodes[error.code] ?? 'application', error };
  if (error instanceof ChainError) return ofChain(error);
  if (error instanceof RequestError) return { kind: 'params', error: new RpcError(-32602, 'Invalid params', error.message) };
  return undefined;
}

const codesOfKinds: Partial<Record<FailureKind, ErrorResponse['code']>> = {
  forbidden: 'FORBIDDEN',
  unreachable: 'NODE_UNREACHABLE',
  late: 'NODE_TIMEOUT',
  application: 'RPC_ERROR',
};

/** Returns Stele's error code of a call, for the log and the metrics. undefined on success. */
export function codeOf({ error, kind }: FailedCall): ErrorResponse['code'] | undefined {
  if (error === undefined) return undefined;
  if (error.code === codes.RATE_LIMITED) return 'RATE_LIMITED';
  return (kind && codesOfKinds[kind]) ?? 'BAD_USER_INPUT';
}

const kindsOfCodes: Readonly<Record<number, FailureKind>> = { [-32602]: 'params', [-32601]: 'method', [-32003]: 'forbidden' };

/** How a call was received. */
export type Via = 'post' | 'uri' | 'socket';

/** A dialect of the node RPC: how arguments are decoded and responses encoded. All dialects return the same data. */
export interface Dialect {
  readonly surface: Extract<Surface, 'rpc' | 'comet'>;
  /** Whether the header `x-cosmos-block-height` selects the default height of a request, and responses contain it. */
  readonly namesHeight: boolean;
  /** Decodes the member `params` of a request. Throws an `ArgumentError`, or `MissingParams` if the member is absent and required. */
  readParams(params: readonly Param[], member: JsonValue | undefined): Arguments;
  readUri(params: readonly Param[], query: URLSearchParams): Arguments;
  /** Throws an {@link RpcError} for a call that this dialect does not forward to a node. */
  check(method: RpcMethodName, args: Arguments): void;
  result(method: RpcMethodName, result: JsonValue): JsonValue;
  encodeResult(id: RequestId, result: string): string;
  /** Encodes an error response. It has no id if the id could not be read. */
  encodeFailure(id: RequestId | undefined, error: RpcError): string;
  /**
   * Whether clients may cache a final response for a day. `cacheable` is the node's rule for the call. Errors and absent objects are never cacheable.
   */
  isCacheable(method: RpcMethodName, cacheable: boolean): boolean;
}

/** The format of errors that precede the handler, such as an invalid token. */
export function errorShapeOf(dialect: Dialect): ErrorShape {
  return (error) => dialect.encodeFailure(undefined, rpcErrorOf(error));
}

/**
 * Returns the HTTP status of a request that failed as a whole. At `/comet` it is the node's (docs/chain.md, "HTTP status codes of the node RPC"). At
 * the root paths it is the documented 500 for a rejected call by URI, and 4xx for errors that the client can correct (docs/security.md, T28).
 */
export function statusOf({ surface }: Dialect, kind: FailureKind, via: Via): number {
  const fixedStatus = fixedStatuses[kind];
  if (fixedStatus !== undefined) return fixedStatus;
  if (kind === 'method') return via === 'uri' ? 404 : 200;
  if (kind === 'application') return via === 'uri' ? 500 : 200;
  if (surface === 'rpc') return 400;
  return kind === 'params' && via !== 'uri' ? 200 : 500;
}

const fixedStatuses: Partial<Record<FailureKind, number>> = { forbidden: 403, unreachable: 503, late: 504 };

/** The node's dialect, at `/comet`: the same responses and error texts as a node. */
export const cometDialect: Dialect = {
  surface: 'comet',
  namesHeight: false,
  readParams(params, member) {
    if (member === undefined && params.length > 0) throw new MissingParams();
    return decodeJsonParams(params, member ?? null);
  },
  readUri: decodeUriParams,
  check: () => undefined,
  result: (_, result) => result,
  encodeResult,
  encodeFailure,
  isCacheable: (_, cacheable) => cacheable,
};

const integerBounds: Readonly<Record<'int64' | 'int' | 'uint', readonly [bigint, bigint]>> = {
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  int: [-(2n ** 63n), 2n ** 63n - 1n],
  uint: [0n, 2n ** 64n - 1n],
};

function wrong({ name }: Param, bound: string): ArgumentError {
  return new ArgumentError(`\`${name}\` must be ${bound}`);
}

/** Returns the text inside the quotes of an argument. undefined if the argument is not quoted. */
function quoted(param: Param, text: string): string | undefined {
  if (!text.startsWith('"')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return value;
  } catch {
    // Reported below.
  }
  throw wrong(param, 'a quoted JSON string');
}

function integer(param: Param, text: string, type: 'int64' | 'int' | 'uint'): bigint {
  const [low, high] = integerBounds[type];
  const digits = quoted(param, text) ?? text;
  const value = /^-?(0|[1-9]\d{0,19})$/.test(digits) ? BigInt(digits) : undefined;
  if (value === undefined || value < low || value > high) throw wrong(param, `an integer from ${low} to ${high}, in decimal`);
  return value;
}

function bytes(param: Param, text: string, plain: 'base64' | 'hex' | undefined): Uint8Array {
  const raw = quoted(param, text);
  if (raw !== undefined) return Buffer.from(raw);
  const isHex = /^0x/i.test(text);
  const encoding = isHex ? 'hex' : plain;
  if (encoding === undefined) throw wrong(param, '`0x` and hexadecimal digits, or text in double quotes');
  try {
    return decodeBytes(isHex ? text.slice(2) : text, encoding);
  } catch {
    throw wrong(param, `\`0x\` and hexadecimal digits, ${plain === undefined ? '' : `${plain}, `}or text in double quotes`);
  }
}

/** Decodes one argument in the documented dialect. In a URI, text and bytes must be quoted. */
function textValue(param: Param, text: string, viaUri: boolean): Value {
  switch (param.type) {
    case 'int64':
    case 'int':
    case 'uint':
      return integer(param, text, param.type);
    case 'bool': {
      if (text === 'true' || text === 'false') return text === 'true';
      throw wrong(param, '`true` or `false`');
    }
    case 'string': {
      const inner = quoted(param, text);
      if (inner !== undefined) return inner;
      if (/^0x([0-9a-f]{2})+$/i.test(text)) return Buffer.from(text.slice(2), 'hex').toString();
      if (viaUri) throw wrong(param, 'in double quotes, or `0x` and hexadecimal digits');
      return text;
    }
    case 'bytes':
    case 'hex':
      return bytes(param, text, viaUri ? undefined : param.type === 'hex' ? 'hex' : 'base64');
    case 'evidence': {
      try {
        return jsonValue(param, JSON.parse(text) as JsonValue);
      } catch {
        throw wrong(param, 'evidence in JSON: `{type, value}`');
      }
    }
  }
}

function jsonValue(param: Param, value: JsonValue): Value {
  if (typeof value === 'string') return textValue(param, value, false);
  if (param.type === 'int64' || param.type === 'int' || param.type === 'uint') {
    // A number that is not a safe integer gets the same error as text that is not a number.
    return integer(param, Number.isSafeInteger(value) ? String(value) : '', param.type);
  }
  if (param.type === 'bool') {
    if (typeof value === 'boolean') return value;
    throw wrong(param, '`true` or `false`');
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (param.type === 'evidence' && isObject) return value;
  throw wrong(param, param.type === 'evidence' ? 'evidence in JSON: `{type, value}`' : 'text');
}

function isNumeric({ type }: Param): boolean {
  return type === 'int64' || type === 'int' || type === 'uint' || type === 'bool';
}

function requireOptional({ name, required }: Param): void {
  if (required) throw new ArgumentError(`\`${name}\` is required`);
}

/** Height 0 means the newest, like an absent height. */
function put(values: Map<string, Value>, param: Param, value: Value): void {
  if (!(param.name === 'height' && value === 0n)) values.set(param.name, value);
}

/**
 * Decodes `params` in the documented dialect: an array or an object. Integers are decimal strings or JSON integers. Strings may be quoted or start
 * with `0x`, as in a URI. null stands for an absent argument. Throws an {@link ArgumentError} that names the invalid argument.
 */
function readDocumentedParams(params: readonly Param[], member: JsonValue | undefined): Arguments {
  const values = new Map<string, Value>();
  if (member !== undefined && member !== null && typeof member !== 'object') {
    throw new ArgumentError('`params` must be an array or an object');
  }
  if (Array.isArray(member) && member.length > params.length) {
    const names = params.map(({ name }) => name).join(', ');
    throw new ArgumentError(`\`params\` must have at most ${params.length} (${names}), and has ${member.length}`);
  }
  const byName = Array.isArray(member) || member === null ? {} : (member ?? {});
  params.forEach((param, index) => {
    const value = Array.isArray(member) ? member[index] : Object.hasOwn(byName, param.name) ? byName[param.name] : undefined;
    if (value === undefined || value === null) requireOptional(param);
    else if (value !== '' || !isNumeric(param)) put(values, param, jsonValue(param, value));
  });
  return readerOf(values);
}

function readDocumentedUri(params: readonly Param[], query: URLSearchParams): Arguments {
  const values = new Map<string, Value>();
  for (const param of params) {
    const text = query.get(param.name);
    if (text === null) requireOptional(param);
    else if (text !== '') put(values, param, textValue(param, text, true));
  }
  return readerOf(values);
}

/**
 * Throws an error for calls that the root paths do not forward to a node (docs/security.md, T23 and T27): an `abci_query` of an
 * unknown path, and a transaction that is empty or larger than any node accepts.
 */
function checkDocumented(method: RpcMethodName, args: Arguments): void {
  switch (method) {
    case 'abci_query':
      pathInput('path', args.text('path'));
      return;
    case 'check_tx':
    case 'broadcast_tx_sync':
    case 'broadcast_tx_async':
    case 'broadcast_tx_commit': {
      const { length } = args.bytes('tx');
      if (length === 0) throw invalidParams('`tx` must not be empty');
      if (length > maxTxBytes) throw invalidParams(`Tx too large. Max size is ${maxTxBytes}, but got ${length}`);
    }
  }
}

function hexAt(object: JsonObject, name: string): string {
  return Buffer.from(bytesAt(object, name) ?? [])
    .toString('hex')
    .toUpperCase();
}

/** Converts the result of `abci_info`: every member is present, and the hash is hex. */
function infoOf(info: JsonObject): JsonObject {
  return {
    data: textAt(info, 'data'),
    version: textAt(info, 'version'),
    app_version: bigintAt(info, 'app_version').toString(),
    last_block_height: bigintAt(info, 'last_block_height').toString(),
    last_block_app_hash: hexAt(info, 'last_block_app_hash'),
  };
}

/**
 * Converts the result of `abci_query`: bytes are hex, and empty if there are none. The proof is one protobuf `ProofOps`. Code and index are decimal
 * strings. `info` and `codespace` are in addition to the documented members, because a code is ambiguous without its codespace.
 */
function queryOf(response: JsonObject): JsonObject {
  const steps = decodeSteps(response);
  return {
    log: textAt(response, 'log'),
    height: bigintAt(response, 'height').toString(),
    proof: steps === null ? '' : encodeProof(steps),
    value: hexAt(response, 'value'),
    key: hexAt(response, 'key'),
    index: bigintAt(response, 'index').toString(),
    code: bigintAt(response, 'code').toString(),
    info: textAt(response, 'info'),
    codespace: textAt(response, 'codespace'),
  };
}

function documentedResult(method: RpcMethodName, result: JsonValue): JsonValue {
  switch (method) {
    case 'abci_info':
      return { response: infoOf(objectAt(asObject(result, method), 'response')) };
    case 'abci_query':
      return { response: queryOf(objectAt(asObject(result, method), 'response')) };
    case 'broadcast_tx_commit': {
      // The documentation of older nodes calls it `deliver_tx`.
      const commit = asObject(result, method);
      return { ...commit, deliver_tx: commit.tx_result };
    }
    default:
      return result;
  }
}

/** The documented dialect, at the root paths: `error` is text, which is empty on success. */
export const documentedDialect: Dialect = {
  surface: 'rpc',
  namesHeight: true,
  readParams: readDocumentedParams,
  readUri: readDocumentedUri,
  check: checkDocumented,
  result: documentedResult,
  encodeResult: (id, result) => `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${result},"error":""}`,
  encodeFailure: (id, { message, data }) =>
    `{"jsonrpc":"2.0",${id === undefined ? '' : `"id":${encodeId(id)},`}"error":${stringify(data ?? message)}}`,
  isCacheable: (method, cacheable) => cacheable || method === 'check_tx',
};
