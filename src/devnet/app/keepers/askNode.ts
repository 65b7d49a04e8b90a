import { RpcError } from '../../../chain/rpc/rpcError.ts';
import type { NodeReader } from '../../abci/abci.ts';
import { PlainError } from '../runtime/abciErrors.ts';

/** Asks the node; what its RPC refuses is an error without a code of its own. That there is none is told in words that are a guess. */
export function askNode<T>(node: NodeReader | undefined, question: (node: NodeReader) => T): T {
  if (node === undefined) throw new PlainError('no RPC client is defined in offline mode');
  try {
    return question(node);
  } catch (error) {
    if (error instanceof RpcError) throw new PlainError(error.data ?? error.message);
    throw error;
  }
}
