import type { TxExec } from '../base/execution.ts';
import type { Head } from '../blocks/head.ts';
import { type Attempt, attemptOf, type SendResult, sendTx } from './attempt.ts';
import type { Delivery, TxDelivery } from './delivery.ts';
import type { Inclusion, InclusionLookup } from './inclusion.ts';
import type { OutgoingTx } from './outgoingTx.ts';
import { createResendPlan } from './resendPlan.ts';
import type { TxRoutes } from './routes.ts';
import type { TxWatch } from './watch.ts';

/** Steps in the life of a transaction, as the contract's `TransactionStage` names them. */
export type TxStage = 'CHECKED' | 'PENDING' | 'RESENT' | 'MOVED' | 'INCLUDED' | 'REJECTED' | 'EXPIRED' | 'UNKNOWN';

/** One step in the life of a transaction. */
export interface TxUpdate {
  readonly hash: string;
  readonly stage: TxStage;
  /** Newest block at this step; for INCLUDED, the block that holds it. */
  readonly height: bigint;
  /** Whether this is the last step. Behind UNKNOWN a block may still be context of, to those who go on listening. */
  readonly final: boolean;
  /** The sending that this step tells of; null when it tells of none. */
  readonly attempt: Attempt | null;
  /** For CHECKED, and for REJECTED by CheckTx. */
  readonly checkTx: TxExec | null;
  /** For INCLUDED. */
  readonly inclusion: Inclusion | null;
}

/** What a life is made of. */
export interface TrackingOptions {
  readonly head: Head;
  readonly watch: TxWatch;
  readonly delivery: TxDelivery;
  readonly routes: TxRoutes;
  readonly inclusions: InclusionLookup;
  /** Told of each sending after the first ones. */
  readonly onRebroadcast: (reason: 'resent' | 'moved' | 'failover') => void;
}

/** Blocks without the transaction after which it is sent again (the seed's rules). */
const blocksBeforeResend = 2n;

/**
 * The life of a transaction: it is watched for before it is sent, sent, sent again to the same node after two blocks without it,
 * then through the next node after two more, until a block holds it, CheckTx has refused it for good, its timeout height has passed, or
 * every node was tried. `attempts` gathers every sending, `context` is called with the first ones. Rejects as
 * {@link TxDelivery.deliver} does, and with the signal's reason.
 */
export async function* trackTransaction(
  tx: OutgoingTx,
  options: TrackingOptions,
  context: { readonly attempts: Attempt[]; readonly onDelivered: (delivery: Delivery) => void; readonly signal: AbortSignal },
): AsyncGenerator<TxUpdate, void, undefined> {
  const { head, watch, delivery, routes, inclusions, onRebroadcast } = options;
  const { attempts, signal } = context;
  let newest = (await head.ready({ signal })).height;
  const update = (stage: TxStage, particulars: Partial<TxUpdate> = {}): TxUpdate => {
    newest = head.current()?.height ?? newest;
    return {
      hash: tx.hash,
      stage,
      height: newest,
      final: false,
      attempt: null,
      checkTx: null,
      inclusion: null,
      ...particulars,
    };
  };
  const included = (inclusion: Inclusion, attempt: Attempt | null = null): TxUpdate =>
    update('INCLUDED', { height: inclusion.height, final: true, inclusion, attempt });

  const watching = watch.open(tx.hash);
  try {
    const delivered = await delivery.deliver(tx, 'broadcast_tx_sync');
    attempts.push(...delivered.attempts);
    context.onDelivered(delivered);
    const { outcome, check, duplicate } = delivered;
    const first = attempts.at(-1) ?? null;
    const known = outcome === 'ACCEPTED' ? undefined : await inclusions.find(tx.hash, { deep: outcome === 'DUPLICATE' });
    if (known !== undefined) return yield included(known, first);
    if (outcome === 'REJECTED') return yield update('REJECTED', { final: true, attempt: first, checkTx: check });
    if (outcome === 'ACCEPTED') yield update('CHECKED', { attempt: first, checkTx: check });
    if (outcome !== 'LOST') yield update('PENDING', { attempt: outcome === 'DUPLICATE' ? first : null });

    const plan = createResendPlan(attempts);
    let refusal: TxExec | null = null;
    let isContested = false;
    /** Whether the last node that it was sent to has not looked at it. */
    let isFailover = false;
    /** The block behind which it is sent again. */
    let due: bigint | undefined = (first?.height ?? newest) + blocksBeforeResend;
    /** Two blocks behind the last one; one that was late makes the next no later, but for a block of its own. */
    const dueAfter = (last: bigint): bigint =>
      last + blocksBeforeResend > newest + 1n ? last + blocksBeforeResend : newest + 1n;
    for (;;) {
      const lastBlock = tx.timeoutHeight > 0n && (due === undefined || tx.timeoutHeight < due) ? tx.timeoutHeight : due;
      const sighting = await watching.until(lastBlock, signal);
      if (sighting !== undefined) {
        const inclusion = await inclusions.confirm(sighting);
        if (inclusion !== undefined) return yield included(inclusion);
        isContested = true;
        continue;
      }
      if (tx.timeoutHeight > 0n && watching.height >= tx.timeoutHeight) {
        // What was there before may have been in a block before it was watched for.
        return yield update(duplicate ? 'UNKNOWN' : 'EXPIRED', { final: true });
      }
      newest = head.current()?.height ?? newest;
      const next = plan.next(await routes.order(tx, newest));
      if (next === undefined) {
        if (plan.isRefusedByAll() && !isContested && !duplicate)
          return yield update('REJECTED', { final: true, checkTx: refusal });
        yield update('UNKNOWN', { final: true });
        due = undefined;
        continue;
      }
      onRebroadcast(next.isAgain ? 'resent' : isFailover ? 'failover' : 'moved');
      const sending = await sendTx(next.node, tx, { method: 'broadcast_tx_sync', height: newest, signal });
      signal.throwIfAborted();
      const attempt = attemptOf(sending);
      attempts.push(attempt);
      plan.sent(attempt);
      if (sending.outcome === 'ACCEPTED') routes.accepted(tx, attempt.node, newest);
      if (sending.outcome === 'REJECTED') refusal = sending.check;
      yield update(next.isAgain ? 'RESENT' : 'MOVED', { attempt });
      isFailover = !wasLookedAt(sending);
      if (isFailover) continue;
      due = dueAfter(due ?? newest);
      // A refusal, or that the node has it, may mean that a block holds it already.
      const found = sending.outcome === 'ACCEPTED' ? undefined : await inclusions.find(tx.hash);
      if (found !== undefined) return yield included(found);
    }
  } finally {
    watching.close();
  }
}

/** Whether the node has looked at it: only then are two blocks waited for, else another sending follows at once. */
function wasLookedAt({ outcome }: SendResult): boolean {
  return outcome === 'ACCEPTED' || outcome === 'DUPLICATE' || outcome === 'REJECTED';
}
