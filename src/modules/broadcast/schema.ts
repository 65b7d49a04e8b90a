import type { TxUpdate } from '../../chain/transactions/broadcaster.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import { badInput, RequestError } from '../../reads/errors.ts';
import { txInput } from '../../reads/input.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import type { Stream } from '../../reads/stream.ts';
import { type Builder, broadcastField, liveField, postOnlyField } from '../../schema/builder.ts';
import { TxCheckRef } from '../transactions/refs.ts';
import { addBroadcastTypes, BroadcastResultRef, TransactionUpdateRef } from './typesSchema.ts';

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
      async resolve(root, { tx }, { broadcastCommit, warnings }) {
        if (!broadcastCommit) {
          throw new RequestError('FORBIDDEN', 'broadcastTxCommit is disabled on this server. Use submitTx.', {});
        }
        warnings.add(commitWarning);
        const pin = pinOf(root);
        return pinned(pin, await pin.client.broadcaster.commit(txInput('tx', tx), pin));
      },
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
      type: TransactionUpdateRef,
      nullable: false,
      description:
        'Sends a signed transaction and reports its progress until it is final. Further subscriptions with the same bytes follow the same transaction. Needs the scope `broadcast`; not allowed with GET.',
      extensions: { ...liveField, ...postOnlyField, ...broadcastField },
      args,
      subscribe: (root, { tx }) => updatesOf(root, txInput('tx', tx)),
      resolve: (update) => update,
    }),
  );
}
