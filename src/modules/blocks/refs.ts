import type { Event, TxExec } from '../../chain/base/execution.ts';
import type { BlockResults, Commit } from '../../chain/blocks/committedBlock.ts';
import type { BlockId, Header } from '../../chain/wire/block.ts';
import type { ConsensusParamUpdates } from '../../chain/wire/results.ts';
import type { Pinned } from '../../reads/pin.ts';
import { createInterfaceRef, createRef } from '../../schema/builder.ts';
import type { Connection } from '../../schema/connection.ts';
import type { SignedTx, Transaction } from '../transactions/transactions.ts';
import type { Validator } from '../validators/validators.ts';
import type { BlockSummary } from './blocks.ts';
import type { SignedHeader } from './commit.ts';

/** The types of the module that hang on others. */
export const BlockRef = createRef<Pinned<BlockSummary>>('Block');
export const BlockConnectionRef = createRef<Connection<Pinned<BlockSummary>>>('BlockConnection');
export const BlockIdRef = createRef<BlockId>('BlockId');
export const HeaderRef = createRef<Header>('Header');
export const BlockResultsRef = createRef<BlockResults>('BlockResults');
export const CommitRef = createRef<Pinned<Commit>>('Commit');
export const SignedHeaderRef = createRef<Pinned<SignedHeader>>('SignedHeader');
export const ConsensusParamsRef = createRef<ConsensusParamUpdates>('ConsensusParams');
export const ValidatorRef = createRef<Pinned<Validator>>('Validator');
export const ValidatorConnectionRef = createRef<Connection<Pinned<Validator>>>('ValidatorConnection');
export const EventRef = createRef<Event>('Event');
export const TxExecRef = createRef<TxExec>('TxExec');
export const TxCheckRef = createRef<TxExec>('TxCheck');
export const SignedTransactionRef = createInterfaceRef<Pinned<SignedTx>>('SignedTransaction');
export const TransactionRef = createRef<Pinned<Transaction>>('Transaction');
export const TransactionConnectionRef = createRef<Connection<Pinned<Transaction>>>('TransactionConnection');
