import { isChainError } from '../../chain/base/errors.ts';
import { createLoader, type Loader, type Source } from '../../reads/loader.ts';

/** The loaders of histories for one pin. */
export interface HistoryLoaders {
  /** Whether a node has an index. Determined by a cheap search; not read at a height. */
  readonly indexed: Loader<'', boolean>;
}

/** Makes the loaders of one pin. */
export function createHistoryLoaders({ client, signal }: Source): HistoryLoaders {
  return {
    indexed: createLoader(async () => {
      try {
        await client.call('tx_search', { query: 'tx.height = 1', prove: false, page: '1', per_page: '1' }, { signal });
        return true;
      } catch (error) {
        if (isChainError(error, 'INDEX_UNAVAILABLE')) return false;
        throw error;
      }
    }),
  };
}
