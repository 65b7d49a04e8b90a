import type { Attempt, Broadcast, TxUpdate } from '../../chain/transactions/broadcaster.ts';
import { ErrorCode } from '../../config/errorCodes.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef, readableWithBroadcast } from '../../schema/builder.ts';
import * as refs from '../transactions/refs.ts';
import { committed, type Transaction } from '../transactions/transactions.ts';

/** The result of a broadcast. */
export const BroadcastResultRef = createRef<Pinned<Broadcast>>('BroadcastResult');
/** An update of `Subscription.submitTx`. */
export const TransactionUpdateRef = createRef<Pinned<TxUpdate>>('TransactionUpdate');
const AttemptRef = createRef<Attempt>('Attempt');

/** The transaction under the pin of the block that contains it; null if no block does. */
function transactionOf(parent: Pinned<Pick<Broadcast, 'inclusion'>>): Pinned<Transaction> | null {
  const { inclusion } = parent;
  if (inclusion === null) return null;
  const { height, transaction } = inclusion;
  return pinned(pinOf(parent).at(height), committed(height, transaction));
}

/** Adds `BroadcastResult` and `TransactionUpdate`. */
export function addBroadcastTypes(builder: Builder): void {
  const BroadcastStatus = builder.enumType('BroadcastStatus', {
    description: 'The status of a broadcast.',
    values: {
      SENT: { description: 'Sent to a node; CheckTx was not awaited (async).' },
      ACCEPTED: { description: 'CheckTx accepted the transaction.' },
      REJECTED: { description: 'CheckTx rejected the transaction; `checkTx` has the reason.' },
      COMMITTED: { description: 'In a block; the transaction succeeded.' },
      EXECUTION_FAILED: { description: 'In a block; the transaction failed. `txResult` has the reason.' },
      UNKNOWN: {
        description:
          'The response was lost after sending, or a node refused a sequence or nonce as used and no block explains it. The transaction may still be included; sending the same bytes again is safe.',
      },
    },
  });
  builder.objectType(BroadcastResultRef, {
    extensions: readableWithBroadcast,
    description:
      'The result of a broadcast. A transaction that CheckTx rejects or that fails in its block is a result, not an error. If the mempool cannot check it or the wait for a block times out, the operation fails with MEMPOOL_REJECTED or COMMIT_TIMEOUT.',
    fields: (t) => ({
      hash: t.expose('hash', {
        type: 'Hex',
        nullable: false,
        description: 'Present in every result, also if the outcome is unknown.',
      }),
      status: t.expose('status', { type: BroadcastStatus, nullable: false }),
      checkTx: t.expose('checkTx', {
        type: refs.TxCheckRef,
        nullable: true,
        description: 'null if CheckTx was not awaited or its response was lost.',
      }),
      txResult: t.field({
        type: refs.TxExecRef,
        description: 'null unless the transaction is in a block.',
        resolve: ({ inclusion }) => inclusion?.transaction.result ?? null,
      }),
      height: t.field({
        type: 'Int64',
        description: 'The height of the block that contains the transaction; null if no block does.',
        resolve: ({ inclusion }) => inclusion?.height ?? null,
      }),
      transaction: t.field({
        type: refs.TransactionRef,
        description: 'The committed transaction; null if no block contains it.',
        resolve: transactionOf,
      }),
      duplicate: t.exposeBoolean('duplicate', {
        nullable: false,
        description: 'Whether the same bytes were accepted before.',
      }),
      confirmedBy: t.int({
        nullable: false,
        description: 'The number of nodes whose block at `height` contains the transaction; 0 if none does.',
        resolve: ({ inclusion }) => inclusion?.confirmedBy ?? 0,
      }),
      attempts: t.expose('attempts', { type: [AttemptRef], nullable: false }),
    }),
  });
  addAttempt(builder);
  addUpdate(builder);
}

function addAttempt(builder: Builder): void {
  const AttemptOutcome = builder.enumType('AttemptOutcome', {
    description: 'The outcome of one attempt to send a transaction.',
    values: {
      ACCEPTED: { description: 'CheckTx accepted the transaction, or was not awaited.' },
      REJECTED: { description: 'CheckTx rejected the transaction.' },
      DUPLICATE: { description: 'The node had the transaction already.' },
      REFUSED: { description: 'The mempool rejected the transaction before CheckTx.' },
      FAILED: { description: 'The transaction did not reach the node.' },
      LOST: { description: 'The transaction was sent, but the response was lost.' },
    },
  });
  builder.objectType(AttemptRef, {
    extensions: readableWithBroadcast,
    description: 'One attempt to send a transaction to a node.',
    fields: (t) => ({
      node: t.exposeString('node', { nullable: false, description: 'The alias of the node, never its address.' }),
      height: t.expose('height', { type: 'Int64', nullable: false, description: 'The newest block at the time of sending.' }),
      outcome: t.expose('outcome', { type: AttemptOutcome, nullable: false }),
      error: t.expose('error', {
        type: ErrorCode,
        nullable: true,
        description: 'The error code if the outcome is REFUSED, FAILED or LOST; null otherwise.',
      }),
    }),
  });
}

function addUpdate(builder: Builder): void {
  const TransactionStage = builder.enumType('TransactionStage', {
    description: 'The stages of a transaction that submitTx sends.',
    values: {
      CHECKED: { description: 'CheckTx accepted the transaction.' },
      PENDING: { description: 'In a mempool, not yet in a block.' },
      RESENT: { description: 'Not in the next two blocks; sent again to the same node.' },
      MOVED: { description: 'Not in two more blocks; sent to another node.' },
      INCLUDED: { description: 'Final: a block contains the transaction.' },
      REJECTED: { description: 'Final: the transaction was rejected.' },
      EXPIRED: {
        description: 'Final: the chain passed `timeoutHeight` or `timeoutTimestamp`, and no block executed the transaction.',
      },
      UNKNOWN: {
        description: 'Final: every node was tried and no block contains the transaction yet. It may still be included.',
      },
    },
  });
  builder.objectType(TransactionUpdateRef, {
    extensions: readableWithBroadcast,
    description: 'An update on a transaction that submitTx sends.',
    fields: (t) => ({
      hash: t.expose('hash', { type: 'Hex', nullable: false }),
      stage: t.expose('stage', { type: TransactionStage, nullable: false }),
      height: t.expose('height', {
        type: 'Int64',
        nullable: false,
        description: 'The newest block at this update; for INCLUDED, the block that contains the transaction.',
      }),
      final: t.exposeBoolean('final', {
        nullable: false,
        description: 'Whether this is the last update. The stream then completes.',
      }),
      attempt: t.expose('attempt', {
        type: AttemptRef,
        nullable: true,
        description: 'The attempt that this update reports; null if it reports none.',
      }),
      checkTx: t.expose('checkTx', {
        type: refs.TxCheckRef,
        nullable: true,
        description: 'Present for CHECKED, and for REJECTED if CheckTx rejected the transaction.',
      }),
      transaction: t.field({
        type: refs.TransactionRef,
        description: 'Present for INCLUDED. Its `code` shows whether it succeeded.',
        resolve: transactionOf,
      }),
    }),
  });
}
