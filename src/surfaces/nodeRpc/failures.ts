import { ChainError, isChainError } from '../../chain/base/errors.ts';
import { internalError, invalidRequest, RpcError } from '../../chain/rpc/rpcErrors.ts';
import { RequestError } from '../../reads/errors.ts';
import type { Scope } from '../../reads/viewer.ts';
import type { ErrorResponse } from '../../server/messages/errors.ts';

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
  if (error instanceof RpcError) return { kind: kindOf(error), error };
  if (error instanceof ChainError) return ofChain(error);
  if (error instanceof RequestError) return { kind: 'params', error: new RpcError(-32602, 'Invalid params', error.message) };
  return undefined;
}

/** Returns Stele's error code of a call, for the log and the metrics. undefined on success. */
export function codeOf({
  error,
  kind,
}: {
  readonly error: RpcError | undefined;
  readonly kind: FailureKind | undefined;
}): ErrorResponse['code'] | undefined {
  if (error === undefined) return undefined;
  if (error.code === codes.RATE_LIMITED) return 'RATE_LIMITED';
  switch (kind) {
    case 'forbidden':
      return 'FORBIDDEN';
    case 'unreachable':
      return 'NODE_UNREACHABLE';
    case 'late':
      return 'NODE_TIMEOUT';
    case 'application':
      return 'RPC_ERROR';
    default:
      return 'BAD_USER_INPUT';
  }
}

function kindOf({ code }: RpcError): FailureKind {
  switch (code) {
    case -32602:
      return 'params';
    case -32601:
      return 'method';
    case -32003:
      return 'forbidden';
    default:
      return 'application';
  }
}
