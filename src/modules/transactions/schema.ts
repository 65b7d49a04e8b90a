import type { Builder } from '../../schema/builder.ts';
import { addBlockTransactions } from './blockTransactionsSchema.ts';
import { addEventSubscriptions } from './eventSubscriptionSchema.ts';
import { addExec } from './execSchema.ts';
import { addSignedTransaction } from './signedSchema.ts';
import { addTransactionResult } from './transactionResultSchema.ts';
import { addTransaction } from './transactionSchema.ts';

/** Adds transactions: queries by hash, by events and by block, and subscriptions. */
export function addTransactions(builder: Builder): void {
  addSignedTransaction(builder);
  addTransaction(builder);
  addExec(builder);
  addBlockTransactions(builder);
  addTransactionResult(builder);
  addEventSubscriptions(builder);
}
