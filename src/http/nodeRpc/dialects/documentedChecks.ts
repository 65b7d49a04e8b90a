import type { Arguments } from '../../../chain/rpc/args.ts';
import type { RpcMethodName } from '../../../chain/rpc/methods.ts';
import { invalidParams } from '../../../chain/rpc/rpcError.ts';
import { maxTxBytes } from '../../../config/bounds.ts';
import { pathInput } from '../../../modules/nodes/abci.ts';

/**
 * Refuses what the root paths never ask a node (reliability.md T23, T27): a path of the application beyond the known ones, and a transaction that is empty or
 * larger than any node takes. Throws the refusal.
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
