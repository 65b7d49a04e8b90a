import { stringify } from './goJson.ts';
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

/** The answer to a call that went well; `result` is JSON. */
export function encodeResult(id: string | number, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/** Without an id when there was none to be read. */
export function encodeFailure(id: string | number | undefined, error: RpcError): string {
  return stringify({ jsonrpc: '2.0', ...(id !== undefined && { id }), error: encodeRpcError(error) });
}
