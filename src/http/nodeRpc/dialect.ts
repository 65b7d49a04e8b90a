import type { Arguments, Param } from '../../chain/rpc/args.ts';
import type { RpcMethodName } from '../../chain/rpc/methods.ts';
import type { RequestId } from '../../chain/rpc/requests.ts';
import type { RpcError } from '../../chain/rpc/rpcError.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import type { ErrorShape } from '../messages/errors.ts';
import type { Surface } from '../observability/requestStats.ts';

/** By which way a call has come. */
export type Via = 'post' | 'uri' | 'socket';

/**
 * What failed: `stopped` is a call that takes its whole request with it; `parse` a body that is no request; `method` one that is not
 * served; `params` its arguments; `application` is the node's own no; `forbidden` needs a scope; `unreachable` and `late`
 * are of the nodes.
 */
export type FailureKind = 'stopped' | 'parse' | 'method' | 'params' | 'application' | 'forbidden' | 'unreachable' | 'late';

/** One way of speaking the node RPC: how arguments are read and answers written. What is answered is the same in each. */
export interface Dialect {
  readonly surface: Extract<Surface, 'rpc' | 'comet'>;
  /** How callers are told of what kept a request from being looked at. */
  readonly shape: ErrorShape;
  /** Whether `x-cosmos-block-height` pins what is unpinned, and is told. */
  readonly namesHeight: boolean;
  /** Reads `params`; undefined where the member is absent. Throws `ArgumentError`, and `MissingParams` where that stops the request. */
  readJson(method: RpcMethodName, params: JsonValue | undefined): Arguments;
  /** The same of these arguments: for the methods that only a socket has. */
  readParams(params: readonly Param[], given: JsonValue | undefined): Arguments;
  /** Reads the arguments of a URI. Throws `ArgumentError`. */
  readUri(method: RpcMethodName, params: URLSearchParams): Arguments;
  /** Throws the {@link RpcError} that refuses what the node would be asked elsewhere. */
  check(method: RpcMethodName, args: Arguments): void;
  /** The result of a method, of which the node's own is given. */
  result(method: RpcMethodName, result: JsonValue): JsonValue;
  /** The text of an answer; `result` is JSON. */
  encodeResult(id: RequestId, result: string): string;
  /** Without an id where there was none to be read. */
  encodeFailure(id: RequestId | undefined, error: RpcError): string;
  /** The HTTP status of a request that failed as a whole. */
  status(kind: FailureKind, via: Via): number;
  /** Whether the caller may keep a final answer for a day; `cacheable` is what the node says of the call. Errors and absences are never kept. */
  mayBeKept(method: RpcMethodName, cacheable: boolean): boolean;
}

/** The statuses that both dialects have in common; undefined for what a caller has got wrong, which each tells in its own way. */
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
