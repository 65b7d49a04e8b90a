import { flattenTx } from '../../chain/events/eventMaps.ts';
import { matches } from '../../chain/events/eventQuery.ts';
import { malformed } from '../../chain/wire/decode.ts';
import { type BlockSummary, decodeSummary } from '../blocks/blocks.ts';
import type { SearchKind } from './search.ts';
import { decodeTransaction, type Transaction } from './transactions.ts';

/** The search of transactions by their events. */
export const transactionSearch: SearchKind<Transaction> = {
  method: 'tx_search',
  heightTag: 'tx.height',
  member: 'txs',
  decode: decodeTransaction,
  heightOf: ({ height }) => height,
  indexOf: ({ index }) => index,
  holds: (transaction, conditions) => matches(conditions, flattenTx({ header: transaction }, transaction)),
};

/** The search of blocks by their own events. */
export const blockSearch: SearchKind<BlockSummary> = {
  method: 'block_search',
  heightTag: 'block.height',
  member: 'blocks',
  decode(json) {
    const block = decodeSummary(json);
    if (block === null) throw malformed('a block that was found is missing');
    return block;
  },
  heightOf: ({ header }) => header.height,
  indexOf: () => undefined,
  holds: () => true,
};
