import type { JsonObject } from '../wire/json.ts';

/** A failed call, as the JSON-RPC error object of the node (chain.md 1.3). */
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

/** The application of the node failed: every refusal that has the node's own text. */
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

/** Only for subscriptions that the node ends. */
export function serverError(data: string): RpcError {
  return new RpcError(-32000, 'Server error', data);
}

export function encodeRpcError({ code, message, data }: RpcError): JsonObject {
  return { code, message, ...(data !== undefined && { data }) };
}
