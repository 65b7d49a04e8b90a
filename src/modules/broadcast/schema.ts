import type { Broadcast } from '../../chain/transactions/broadcaster.ts';
import type { TxUpdate } from '../../chain/transactions/resend.ts';
import type { Attempt } from '../../chain/transactions/send.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import { ErrorCode } from '../../config/errorCodes.ts';
import { badInput, RequestError } from '../../reads/errors.ts';
import { txInput } from '../../reads/input.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import type { Stream } from '../../reads/stream.ts';
import {
  type Builder,
  broadcastField,
  createRef,
  liveField,
  nonNull,
  postOnlyField,
  readableWithBroadcast,
  usesContext,
} from '../../schema/builder.ts';
import { committed, type Transaction } from '../transactions/query.ts';
import { TransactionRef, TxCheckRef, TxExecRef } from '../transactions/schema.ts';

/** The result of a broadcast. */
const BroadcastResultRef = createRef<Pinned<Broadcast>>('BroadcastResult');
/** An update of `Subscription.submitTx`. */
const TransactionUpdateRef = createRef<Pinned<TxUpdate>>('TransactionUpdate');
const AttemptRef = createRef<Attempt>('Attempt');

/** The transaction under the pin of the block that contains it; null if no block does. */
function transactionOf(parent: Pinned<Pick<Broadcast, 'inclusion'>>): Pinned<Transaction> | null {
  const { inclusion } = parent;
  if (inclusion === null) return null;
  const { height, transaction } = inclusion;
  return pinned(pinOf(parent).at(height), committed(height, transaction));
}

/** Adds `BroadcastResult` and `TransactionUpdate`. */
function addBroadcastTypes(builder: Builder): void {
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
      hash: t.expose('hash', nonNull('Hex', 'Present in every result, also if the outcome is unknown.')),
      status: t.expose('status', { type: BroadcastStatus, nullable: false }),
      checkTx: t.expose('checkTx', {
        type: TxCheckRef,
        description: 'null if CheckTx was not awaited or its response was lost.',
      }),
      txResult: t.field({
        type: TxExecRef,
        description: 'null unless the transaction is in a block.',
        resolve: ({ inclusion }) => inclusion?.transaction.result ?? null,
      }),
      height: t.field({
        type: 'Int64',
        description: 'The height of the block that contains the transaction; null if no block does.',
        resolve: ({ inclusion }) => inclusion?.height ?? null,
      }),
      transaction: t.field({
        type: TransactionRef,
        description: 'The committed transaction; null if no block contains it.',
        resolve: transactionOf,
      }),
      duplicate: t.expose('duplicate', nonNull('Boolean', 'Whether the same bytes were accepted before.')),
      confirmedBy: t.field({
        ...nonNull('Int', 'The number of nodes whose block at `height` contains the transaction; 0 if none does.'),
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
      height: t.expose(
        'height',
        nonNull('Int64', 'The newest block at this update; for INCLUDED, the block that contains the transaction.'),
      ),
      final: t.expose('final', nonNull('Boolean', 'Whether this is the last update. The stream then completes.')),
      attempt: t.expose('attempt', {
        type: AttemptRef,
        description: 'The attempt that this update reports; null if it reports none.',
      }),
      checkTx: t.expose('checkTx', {
        type: TxCheckRef,
        description: 'Present for CHECKED, and for REJECTED if CheckTx rejected the transaction.',
      }),
      transaction: t.field({
        type: TransactionRef,
        description: 'Present for INCLUDED. Its `code` shows whether it succeeded.',
        resolve: transactionOf,
      }),
    }),
  });
}

/** A warning in each response of broadcastTxCommit (docs/architecture.md, "Sending a transaction"). */
const commitWarning =
  'broadcastTxCommit is for testing and development: it holds the request open until a block contains the transaction. Use submitTx, or broadcastTxSync with transactionResult.';

/** Evidence in the JSON of a node: an object with `type` and `value`. Other values are BAD_USER_INPUT. */
function evidenceInput(argument: string, value: unknown): JsonValue {
  const text = JSON.stringify(value) ?? 'nothing';
  const evidence: JsonValue = JSON.parse(text === 'nothing' ? 'null' : text);
  if (typeof evidence === 'object' && evidence !== null && !Array.isArray(evidence)) {
    if (typeof evidence.type === 'string' && typeof evidence.value === 'object') return evidence;
  }
  throw badInput(argument, text, 'evidence in the JSON of a node: `{type, value}`');
}

/** Sends a transaction and returns its updates, each under the pin of its height. Nothing is sent before the first read. */
function updatesOf(root: Pinned<object>, tx: Uint8Array): Stream<Pinned<TxUpdate>> {
  const pin = pinOf(root);
  const { client } = pin;
  const updates = client.broadcaster.submit(tx, pin);
  return {
    async next() {
      const step = await updates.next();
      return step.done ? step : { done: false, value: pinned(pin.at(step.value.height), step.value) };
    },
    async return() {
      await updates.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Adds the broadcast mutations, `Query.checkTx` and `Subscription.submitTx`. */
export function addBroadcast(builder: Builder): void {
  addBroadcastTypes(builder);
  const args = builder.args((t) => ({ tx: t.string({ required: true }) }));
  builder.mutationFields((t) => ({
    broadcastTxSync: t.field({
      type: BroadcastResultRef,
      description:
        'Sends a signed transaction and waits for CheckTx. `tx`: `0x` and hexadecimal, base64, or raw characters in double quotes.\nTo follow the transaction to its block, use submitTx.',
      extensions: { ...liveField, ...broadcastField },
      args,
      async resolve(root, { tx }) {
        const pin = pinOf(root);
        return pinned(pin, await pin.client.broadcaster.sync(txInput('tx', tx), pin));
      },
    }),
    broadcastTxAsync: t.field({
      type: BroadcastResultRef,
      description: 'Sends a signed transaction and does not wait for CheckTx. The status is SENT and `checkTx` is null.',
      extensions: { ...liveField, ...broadcastField },
      args,
      async resolve(root, { tx }) {
        const pin = pinOf(root);
        return pinned(pin, await pin.client.broadcaster.async(txInput('tx', tx), pin));
      },
    }),
    broadcastTxCommit: t.field({
      type: BroadcastResultRef,
      description:
        'Sends a signed transaction and waits until a block contains it. Sends it again after two blocks, later through another node. Fails with COMMIT_TIMEOUT and the hash after a time limit. For testing and development; operators can disable it.',
      extensions: { ...liveField, ...broadcastField },
      args,
      resolve: usesContext(async (root, { tx }, { broadcastCommit, warnings }) => {
        if (!broadcastCommit) {
          throw new RequestError('FORBIDDEN', 'broadcastTxCommit is disabled on this server. Use submitTx.', {});
        }
        warnings.add(commitWarning);
        const pin = pinOf(root);
        return pinned(pin, await pin.client.broadcaster.commit(txInput('tx', tx), pin));
      }),
    }),
    broadcastEvidence: t.field({
      type: 'Hex',
      description: 'Sends evidence of misbehaviour, in the JSON of a node (`{type, value}`). Returns its hash.',
      extensions: { ...liveField, ...broadcastField },
      args: { evidence: t.arg({ type: 'JSON', required: true }) },
      resolve(root, { evidence }) {
        const pin = pinOf(root);
        return pin.client.broadcaster.evidence(evidenceInput('evidence', evidence), pin);
      },
    }),
  }));
  builder.queryFields((t) => ({
    checkTx: t.field({
      type: TxCheckRef,
      description:
        'Runs CheckTx for a transaction without sending it. A broadcast right after it still succeeds. Not read at a height.',
      extensions: { ...liveField, ...postOnlyField },
      args: { tx: t.arg.string({ required: true }) },
      resolve(root, { tx }) {
        const pin = pinOf(root);
        return pin.client.broadcaster.check(txInput('tx', tx), pin);
      },
    }),
  }));
  builder.subscriptionField('submitTx', (t) =>
    t.field({
      ...nonNull(
        TransactionUpdateRef,
        'Sends a signed transaction and reports its progress until it is final. Further subscriptions with the same bytes follow the same transaction. Needs the scope `broadcast`; not allowed with GET.',
      ),
      extensions: { ...liveField, ...postOnlyField, ...broadcastField },
      args,
      subscribe: (root, { tx }) => updatesOf(root, txInput('tx', tx)),
      resolve: (update) => update,
    }),
  );
}
