import type { Attempt, Broadcast, TxUpdate } from '../../chain/transactions/broadcaster.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import { ErrorCode } from '../../config/errorCodes.ts';
import { badInput, RequestError } from '../../reads/errors.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import type { Stream } from '../../reads/stream.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { liveField } from '../../schema/live.ts';
import { postOnlyField } from '../../schema/postOnly.ts';
import { broadcastField, ofSent } from '../../schema/scopes.ts';
import * as refs from '../blocks/refs.ts';
import { committed } from '../blocks/subscriptionSchema.ts';
import { txInput } from '../events/argument.ts';
import type { Transaction } from '../transactions/transactions.ts';

const BroadcastResultRef = createRef<Pinned<Broadcast>>('BroadcastResult');
const AttemptRef = createRef<Attempt>('Attempt');
const TransactionUpdateRef = createRef<Pinned<TxUpdate>>('TransactionUpdate');

/** Told in `extensions.warnings` of each answer of broadcastTxCommit (reliability.md 4.2, rule 6). */
const commitWarning =
  'broadcastTxCommit is for testing and development: it holds the request open until a block comes. Use submitTx, or broadcastTxSync with transactionResult.';

/** The transaction that a block holds, under the pin of that block; null while none does. */
function transactionOf(parent: Pinned<Pick<Broadcast, 'inclusion'>>): Pinned<Transaction> | null {
  const { inclusion } = parent;
  if (inclusion === null) return null;
  const { height, transaction } = inclusion;
  return pinned(pinOf(parent).at(height), committed(height, transaction));
}

/** Evidence in the node's JSON: an object with its `type` and `value`. Else BAD_USER_INPUT. */
function evidenceInput(argument: string, value: unknown): JsonValue {
  const text = JSON.stringify(value) ?? 'nothing';
  const evidence: JsonValue = JSON.parse(text === 'nothing' ? 'null' : text);
  if (typeof evidence === 'object' && evidence !== null && !Array.isArray(evidence)) {
    if (typeof evidence.type === 'string' && typeof evidence.value === 'object') return evidence;
  }
  throw badInput(argument, text, 'evidence in the JSON of the node: `{type, value}`');
}

/** The life of a transaction, each step under the pin of its own height. Nothing is sent before it is first read. */
function lifeOf(root: Pinned<object>, tx: Uint8Array): Stream<Pinned<TxUpdate>> {
  const { client, at } = pinOf(root);
  const updates = client.broadcaster.submit(tx);
  return {
    async next() {
      const step = await updates.next();
      return step.done ? step : { done: false, value: pinned(at(step.value.height), step.value) };
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

/** Adds the mutations that send, and `Subscription.submitTx`. */
export function addBroadcast(builder: Builder): void {
  addTypes(builder);
  const args = builder.args((t) => ({ tx: t.string({ required: true }) }));
  builder.mutationFields((t) => ({
    broadcastTxSync: t.field({
      type: BroadcastResultRef,
      description:
        'Sends a signed transaction and waits for CheckTx. `tx`: `0x` + hex, or base64; within quotes of its own, raw characters.\nTo have it followed to its block, use submitTx.',
      extensions: { ...liveField, ...broadcastField },
      args,
      async resolve(root, { tx }) {
        const pin = pinOf(root);
        return pinned(pin, await pin.client.broadcaster.sync(txInput('tx', tx), pin));
      },
    }),
    broadcastTxAsync: t.field({
      type: BroadcastResultRef,
      description: 'Hands a signed transaction to a node and waits for nothing: SENT, and `checkTx` is null.',
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
        'Sends a signed transaction and follows it to its block (sent again after two blocks, then through another node). For testing and development; can be switched off. Late: COMMIT_TIMEOUT with the hash.',
      extensions: { ...liveField, ...broadcastField },
      args,
      async resolve(root, { tx }, { broadcastCommit, warnings }) {
        if (!broadcastCommit) {
          throw new RequestError('FORBIDDEN', 'broadcastTxCommit is switched off on this server. Use submitTx.', {});
        }
        warnings.add(commitWarning);
        const pin = pinOf(root);
        return pinned(pin, await pin.client.broadcaster.commit(txInput('tx', tx), pin));
      },
    }),
    broadcastEvidence: t.field({
      type: 'Hex',
      description: "Hands in evidence of misbehaviour, in the node's JSON (`{type, value}`); returns its hash.",
      extensions: { ...liveField, ...broadcastField },
      args: { evidence: t.arg({ type: 'JSON', required: true }) },
      resolve(root, { evidence }) {
        const pin = pinOf(root);
        return pin.client.broadcaster.evidence(evidenceInput('evidence', evidence), pin);
      },
    }),
  }));
  builder.subscriptionField('submitTx', (t) =>
    t.field({
      type: TransactionUpdateRef,
      nullable: false,
      description:
        'Sends a signed transaction and tells its life until it is over; the same bytes again join the same life. Scope `broadcast`; not over GET.',
      extensions: { ...liveField, ...postOnlyField, ...broadcastField },
      args,
      subscribe: (root, { tx }) => lifeOf(root, txInput('tx', tx)),
      resolve: (update) => update,
    }),
  );
}

function addTypes(builder: Builder): void {
  const BroadcastStatus = builder.enumType('BroadcastStatus', {
    description: 'Where a broadcast stands.',
    values: {
      SENT: { description: 'Handed to a node, which was not asked what it thinks of it (async).' },
      ACCEPTED: { description: 'CheckTx passed.' },
      REJECTED: { description: 'CheckTx refused it; `checkTx` says why.' },
      COMMITTED: { description: 'In a block, and it succeeded.' },
      EXECUTION_FAILED: { description: 'In a block, and it failed; `txResult` says why.' },
      UNKNOWN: {
        description: 'The answer was lost after sending. It may yet be included; sending the same bytes again is safe.',
      },
    },
  });
  builder.objectType(BroadcastResultRef, {
    extensions: ofSent,
    description:
      'What became of a broadcast, as data. An error only where the mempool check itself erred or the wait for a commit timed out.',
    fields: (t) => ({
      hash: t.expose('hash', {
        type: 'Hex',
        nullable: false,
        description: 'Always there, even when the outcome is unknown.',
      }),
      status: t.expose('status', { type: BroadcastStatus, nullable: false }),
      checkTx: t.expose('checkTx', {
        type: refs.TxCheckRef,
        nullable: true,
        description: 'null when CheckTx was not waited for, or its answer was lost.',
      }),
      txResult: t.field({
        type: refs.TxExecRef,
        description: 'null until it is in a block.',
        resolve: ({ inclusion }) => inclusion?.transaction.result ?? null,
      }),
      height: t.field({
        type: 'Int64',
        description: 'The block that holds it; null until one does.',
        resolve: ({ inclusion }) => inclusion?.height ?? null,
      }),
      transaction: t.field({
        type: refs.TransactionRef,
        description: 'The same with all that hangs on it; null until it is in a block.',
        resolve: transactionOf,
      }),
      duplicate: t.exposeBoolean('duplicate', {
        nullable: false,
        description: 'Whether identical bytes had been accepted before.',
      }),
      confirmedBy: t.int({
        nullable: false,
        description: 'How many nodes hold it in their own block at `height`; 0 until one does.',
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
    description: 'What came of one sending.',
    values: {
      ACCEPTED: { description: 'CheckTx passed, or it was handed over.' },
      REJECTED: { description: 'CheckTx refused it.' },
      DUPLICATE: { description: 'The node had it already.' },
      REFUSED: { description: 'The mempool would not look at it.' },
      FAILED: { description: 'It never reached the node.' },
      LOST: { description: 'It was sent and the answer was lost.' },
    },
  });
  builder.objectType(AttemptRef, {
    extensions: ofSent,
    description: 'One sending of a transaction to one node.',
    fields: (t) => ({
      node: t.exposeString('node', { nullable: false, description: 'Alias of the node, never its address.' }),
      height: t.expose('height', { type: 'Int64', nullable: false, description: 'Newest block when it was sent.' }),
      outcome: t.expose('outcome', { type: AttemptOutcome, nullable: false }),
      error: t.expose('error', {
        type: ErrorCode,
        nullable: true,
        description: 'Why it was refused or failed; null otherwise.',
      }),
    }),
  });
}

function addUpdate(builder: Builder): void {
  const TransactionStage = builder.enumType('TransactionStage', {
    description: 'Steps in the life of a transaction.',
    values: {
      CHECKED: { description: 'CheckTx passed.' },
      PENDING: { description: 'In a mempool, waiting for a block.' },
      RESENT: { description: 'Two blocks without it: sent again to the same node.' },
      MOVED: { description: 'Two more blocks without it: sent through another node.' },
      INCLUDED: { description: 'Last: a block holds it.' },
      REJECTED: { description: 'Last: refused for good.' },
      EXPIRED: { description: 'Last: past its timeoutHeight without a block.' },
      UNKNOWN: { description: 'Last: every node was tried and no block holds it yet. It may still be included.' },
    },
  });
  builder.objectType(TransactionUpdateRef, {
    extensions: ofSent,
    description: 'One step in the life of a transaction.',
    fields: (t) => ({
      hash: t.expose('hash', { type: 'Hex', nullable: false }),
      stage: t.expose('stage', { type: TransactionStage, nullable: false }),
      height: t.expose('height', {
        type: 'Int64',
        nullable: false,
        description: 'Newest block at this step; for INCLUDED, the block that holds it.',
      }),
      final: t.exposeBoolean('final', {
        nullable: false,
        description: 'Whether this is the last step; the stream then completes.',
      }),
      attempt: t.expose('attempt', {
        type: AttemptRef,
        nullable: true,
        description: 'The sending that this step tells of; null when it tells of none.',
      }),
      checkTx: t.expose('checkTx', {
        type: refs.TxCheckRef,
        nullable: true,
        description: 'For CHECKED, and for REJECTED by CheckTx.',
      }),
      transaction: t.field({
        type: refs.TransactionRef,
        description: 'For INCLUDED: with its code, which may be a failure.',
        resolve: transactionOf,
      }),
    }),
  });
}
