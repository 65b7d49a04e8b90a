import { flattenTx, matches } from '../../chain/events/eventQuery.ts';
import type { SearchKind } from '../events/search.ts';
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
