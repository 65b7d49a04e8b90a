import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import { type Transaction, type TxProof, transactionByHash, transactionProof } from './transactions.ts';

/** The loaders of transactions for one pin, by hash (upper case hex). A transaction can be above the height of the pin. */
export interface TransactionLoaders {
  /** The committed transaction with a hash; null if none exists. */
  readonly transaction: Loader<string, Transaction | null>;
  /** The proof that a block contains the transaction; null if none exists. */
  readonly transactionProof: Loader<string, TxProof | null>;
}

/** Makes the loaders of one pin. */
export function createTransactionLoaders({ client, signal }: Source): TransactionLoaders {
  return {
    transaction: createLoader((hash: string) => transactionByHash(client, hash, signal)),
    transactionProof: createLoader((hash: string) => transactionProof(client, hash, signal)),
  };
}
