import { stringify } from './goJson.ts';
import type { RequestId } from './requests.ts';
import { encodeRpcError, type RpcError } from './rpcError.ts';

/** A call without the arguments of its method. It makes the node's handler panic, which fails the whole batch. */
export class MissingParams extends Error {
  override readonly name = 'MissingParams';

  constructor() {
    super('reflect: Call with too few input arguments');
  }
}

/** The id of responses to a URI, and of a response when the handler panicked. */
export const noRequestId = -1;

/** Encodes an id as the client sent it. */
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
