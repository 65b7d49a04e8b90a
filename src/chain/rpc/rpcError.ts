import type { JsonObject } from '../wire/json.ts';

/** An error object of JSON-RPC, with the codes and texts of a node (docs/chain.md, "Errors of the node RPC"). */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: string | undefined;

  constructor(code: number, message: string, data?: string) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The error for a call that failed in the node. `data` is the node's text. */
export function internalError(data: string): RpcError {
  return new RpcError(-32603, 'Internal error', data);
}

export function invalidParams(data: string): RpcError {
  return new RpcError(-32602, 'Invalid params', data);
}

export function methodNotFound(): RpcError {
  return new RpcError(-32601, 'Method not found');
}

export function invalidRequest(data: string): RpcError {
  return new RpcError(-32600, 'Invalid Request', data);
}

export function parseError(data: string): RpcError {
  return new RpcError(-32700, 'Parse error. Invalid JSON', data);
}

/** The error for a subscription that the node ended. */
export function serverError(data: string): RpcError {
  return new RpcError(-32000, 'Server error', data);
}

export function encodeRpcError({ code, message, data }: RpcError): JsonObject {
  return { code, message, ...(data !== undefined && { data }) };
}
