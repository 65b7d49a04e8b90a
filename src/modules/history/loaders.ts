import { isChainError } from '../../chain/base/errors.ts';
import { createLoader, type Loader, type Source } from '../../reads/loader.ts';

/** What the reading of histories asks once for one pin. */
export interface HistoryLoaders {
  /** Whether some node keeps an index: told by a search that costs it next to nothing. Of no height. */
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
