import type { TxExec } from '../../chain/base/execution.ts';
import type { Pinned } from '../../reads/pin.ts';
import { createInterfaceRef, createRef } from '../../schema/builder.ts';
import type { Connection } from '../../schema/connection.ts';
import type { SignedTx, Transaction } from './transactions.ts';

/** The types that the files of this module share and other modules use. */
export const SignedTransactionRef = createInterfaceRef<Pinned<SignedTx>>('SignedTransaction');
export const TransactionRef = createRef<Pinned<Transaction>>('Transaction');
export const TransactionConnectionRef = createRef<Connection<Pinned<Transaction>>>('TransactionConnection');
export const TxExecRef = createRef<TxExec>('TxExec');
export const TxCheckRef = createRef<TxExec>('TxCheck');
