import { RpcError } from '../../../../../src/chain/rpc/rpcErrors.ts';
import type { NodeReader } from '../../abci/abci.ts';
import { PlainError } from '../runtime/abciErrors.ts';

/** Reads from the node. An error of its RPC becomes a plain error. The text for a missing node is a guess. */
export function callNode<T>(node: NodeReader | undefined, question: (node: NodeReader) => T): T {
  if (node === undefined) throw new PlainError('no RPC client is defined in offline mode');
  try {
    return question(node);
  } catch (error) {
    if (error instanceof RpcError) throw new PlainError(error.data ?? error.message);
    throw error;
  }
}
