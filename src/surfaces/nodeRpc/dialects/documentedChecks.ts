import type { Arguments, RpcMethodName } from '../../../chain/rpc/methods.ts';
import { invalidParams } from '../../../chain/rpc/rpcErrors.ts';
import { maxTxBytes } from '../../../config/bounds.ts';
import { pathInput } from '../../../modules/nodes/abci.ts';

/**
 * Throws an error for calls that the root paths do not forward to a node (docs/security.md, T23 and T27): an `abci_query` of an
 * unknown path, and a transaction that is empty or larger than any node accepts.
 */
export function checkDocumented(method: RpcMethodName, args: Arguments): void {
  switch (method) {
    case 'abci_query':
      pathInput('path', args.text('path'));
      return;
    case 'check_tx':
    case 'broadcast_tx_sync':
    case 'broadcast_tx_async':
    case 'broadcast_tx_commit': {
      const { length } = args.bytes('tx');
      if (length === 0) throw invalidParams('`tx` must not be empty');
      if (length > maxTxBytes) throw invalidParams(`Tx too large. Max size is ${maxTxBytes}, but got ${length}`);
    }
  }
}
