import { stringify } from './goJson.ts';
import type { RequestId } from './requests.ts';
import { encodeRpcError, type RpcError } from './rpcError.ts';

/** A call without the arguments that its method has: it stops the node's handler, and its whole batch with it. */
export class MissingParams extends Error {
  override readonly name = 'MissingParams';

  constructor() {
    super('reflect: Call with too few input arguments');
  }
}

/** The id of answers that have no request's: those to a URI, and to a handler that stopped. */
export const noRequestId = -1;

/** An id as it was sent. */
export function encodeId(id: RequestId): string {
  return typeof id === 'bigint' ? String(id) : stringify(id);
}

/** The answer to a call that went well; `result` is JSON. */
export function encodeResult(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${result}}`;
}

/** Without an id when there was none to be read. */
export function encodeFailure(id: RequestId | undefined, error: RpcError): string {
  return `{"jsonrpc":"2.0",${id === undefined ? '' : `"id":${encodeId(id)},`}"error":${stringify(encodeRpcError(error))}}`;
}
