import type { Arguments, Param } from '../../chain/rpc/args.ts';
import type { RpcMethodName } from '../../chain/rpc/methods.ts';
import type { RequestId } from '../../chain/rpc/requests.ts';
import type { RpcError } from '../../chain/rpc/rpcError.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import type { ErrorShape } from '../../server/messages/errors.ts';
import type { Surface } from '../../server/observability/requestLog.ts';

/** How a call was received. */
export type Via = 'post' | 'uri' | 'socket';

/**
 * Kind of an error. `stopped`: a call fails the whole batch. `parse`: the body is not a request. `method`: unknown method.
 * `params`: invalid arguments. `application`: the node or the application rejected the call. `forbidden`: the token lacks a
 * scope. `unreachable`: no node responds. `late`: the node timed out.
 */
export type FailureKind = 'stopped' | 'parse' | 'method' | 'params' | 'application' | 'forbidden' | 'unreachable' | 'late';

/** A dialect of the node RPC: how arguments are decoded and responses encoded. All dialects return the same data. */
export interface Dialect {
  readonly surface: Extract<Surface, 'rpc' | 'comet'>;
  /** Format of errors that precede the handler, such as an invalid token. */
  readonly shape: ErrorShape;
  /** Whether the header `x-cosmos-block-height` selects the default height of a request, and responses contain it. */
  readonly namesHeight: boolean;
  /**
   * Decodes `params`, which is undefined if the member is absent. Throws an `ArgumentError`, or `MissingParams` if the member
   * is required.
   */
  readJson(method: RpcMethodName, params: JsonValue | undefined): Arguments;
  /** Decodes the arguments of methods that only sockets have. */
  readParams(params: readonly Param[], given: JsonValue | undefined): Arguments;
  /** Decodes the arguments of a URI. Throws an `ArgumentError`. */
  readUri(method: RpcMethodName, params: URLSearchParams): Arguments;
  /** Throws an {@link RpcError} for a call that this dialect does not forward to a node. */
  check(method: RpcMethodName, args: Arguments): void;
  /** Converts a result from the node's dialect. */
  result(method: RpcMethodName, result: JsonValue): JsonValue;
  /** Encodes a successful response. `result` is serialized JSON. */
  encodeResult(id: RequestId, result: string): string;
  /** Encodes an error response. It has no id if the id could not be read. */
  encodeFailure(id: RequestId | undefined, error: RpcError): string;
  /** Returns the HTTP status of a request that failed as a whole. */
  status(kind: FailureKind, via: Via): number;
  /**
   * Whether clients may cache a final response for a day. `cacheable` is the node's rule for the call. Errors and absent
   * objects are never cacheable.
   */
  isCacheable(method: RpcMethodName, cacheable: boolean): boolean;
}

/** Returns the HTTP status that both dialects use. undefined for invalid requests, whose status differs. */
export function commonStatus(kind: FailureKind, via: Via): number | undefined {
  switch (kind) {
    case 'method':
      return via === 'uri' ? 404 : 200;
    case 'application':
      return via === 'uri' ? 500 : 200;
    case 'forbidden':
      return 403;
    case 'unreachable':
      return 503;
    case 'late':
      return 504;
    default:
      return undefined;
  }
}
