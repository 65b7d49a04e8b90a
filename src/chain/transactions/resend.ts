import type { TxExec } from '../base/execution.ts';
import type { Head } from '../blocks/head.ts';
import { scopeOf } from '../tracing/tracer.ts';
import type { NodeHandle } from '../transports/transport.ts';
import type { Inclusion, InclusionLookup, TxWatch } from './inclusion.ts';
import type { TxRoutes } from './order.ts';
import {
  type Attempt,
  type AttemptOutcome,
  attemptOf,
  type Delivery,
  type SendResult,
  sendTx,
  type TxDelivery,
} from './send.ts';
import type { OutgoingTx } from './tx.ts';

/** Chooses the node of the next attempt. Each node gets two attempts before the next node is used. */
interface NodeRotation {
  /** The next attempt; undefined if every node was tried. `isAgain`: whether it goes to the same node as the last one. */
  next(nodes: readonly NodeHandle[]): { readonly node: NodeHandle; readonly isAgain: boolean } | undefined;
  /** Records an attempt. */
  sent(attempt: Attempt): void;
  /** Whether CheckTx failed in the last attempt on every node that was tried. */
  isRefusedByAll(): boolean;
}

/** Attempts on each node. */
const perNode = 2;

/** Creates the plan after the first attempts. A node that they did not reach still has both of its attempts. */
function createNodeRotation(first: readonly Attempt[]): NodeRotation {
  const counts = new Map<string, number>();
  const outcomes = new Map<string, AttemptOutcome>();
  let last: string | undefined;
  for (const { node, outcome } of first) {
    last = node;
    outcomes.set(node, outcome);
    if (outcome !== 'FAILED' && outcome !== 'REFUSED') counts.set(node, (counts.get(node) ?? 0) + 1);
  }

  return {
    next(nodes) {
      const left = nodes.filter(({ alias }) => (counts.get(alias) ?? 0) < perNode);
      const node = left.find(({ alias }) => alias === last) ?? left[0];
      return node && { node, isAgain: node.alias === last };
    },
    sent({ node, outcome }) {
      last = node;
      outcomes.set(node, outcome);
      // A node that is unreachable or full is not tried again.
      counts.set(node, outcome === 'FAILED' || outcome === 'REFUSED' ? perNode : (counts.get(node) ?? 0) + 1);
    },
    isRefusedByAll: () => outcomes.size > 0 && [...outcomes.values()].every((outcome) => outcome === 'REJECTED'),
  };
}

/** The stage of a tracked transaction: the values of `TransactionStage` in the GraphQL schema. */
export type TxStage = 'CHECKED' | 'PENDING' | 'RESENT' | 'MOVED' | 'INCLUDED' | 'REJECTED' | 'EXPIRED' | 'UNKNOWN';

/** An update of a tracked transaction. */
export interface TxUpdate {
  readonly hash: string;
  readonly stage: TxStage;
  /** The newest block at this update; for INCLUDED, the block with the transaction. */
  readonly height: bigint;
  /** Whether this is the last update. After a final UNKNOWN, a subscriber that keeps reading may still get INCLUDED. */
  readonly final: boolean;
  /** The attempt that this update reports; null if none. */
  readonly attempt: Attempt | null;
  /** Set for CHECKED, and for REJECTED by CheckTx. */
  readonly checkTx: TxExec | null;
  /** Set for INCLUDED. */
  readonly inclusion: Inclusion | null;
}

/** What {@link trackTransaction} uses. */
export interface TrackingOptions {
  readonly head: Head;
  readonly watch: TxWatch;
  readonly delivery: TxDelivery;
  readonly routes: TxRoutes;
  readonly inclusions: InclusionLookup;
  /** Called for each attempt after the first ones. */
  readonly onRebroadcast: (reason: 'resent' | 'moved' | 'failover') => void;
}

/** Number of blocks without the transaction before it is sent again (docs/chain.md, "Rules of the transaction methods"). */
const blocksBeforeResend = 2n;

/**
 * Tracks a transaction. It watches blocks before it sends the transaction. It sends again to the same node after two blocks
 * without the transaction, then to the next node after two more. It ends when a block contains the transaction, when CheckTx
 * has finally rejected it, when its timeout has passed, or when every node was tried. `context.attempts` collects every
 * attempt; `context.onDelivered` receives the outcome of the first ones. Rejects like {@link TxDelivery.deliver}, or with the
 * signal's reason.
 */
export async function* trackTransaction(
  tx: OutgoingTx,
  options: TrackingOptions,
  context: { readonly attempts: Attempt[]; readonly onDelivered: (delivery: Delivery) => void; readonly signal: AbortSignal },
): AsyncGenerator<TxUpdate, void, undefined> {
  const { head, watch, delivery, routes, inclusions, onRebroadcast } = options;
  const { attempts, signal } = context;
  const scope = scopeOf(signal);
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
    const delivered = await delivery.deliver(tx, 'broadcast_tx_sync', scope);
    attempts.push(...delivered.attempts);
    context.onDelivered(delivered);
    const { outcome, check, duplicate, refusedAsUsedBy } = delivered;
    const first = attempts.at(-1) ?? null;
    const known = outcome === 'ACCEPTED' ? null : await inclusions.findDelivered(tx.hash, delivered, scope);
    if (known) return yield included(known, first);
    if (outcome === 'REJECTED' && known === null)
      return yield update('REJECTED', { final: true, attempt: first, checkTx: check });
    if (outcome === 'ACCEPTED') yield update('CHECKED', { attempt: first, checkTx: check });
    if (outcome !== 'LOST') yield update('PENDING', { attempt: outcome === 'DUPLICATE' ? first : null });

    const plan = createNodeRotation(attempts);
    let refusal: TxExec | null = null;
    let isContested = false;
    /** Whether the last node did not process the transaction. */
    let isFailover = false;
    /** The block after which the transaction is sent again. */
    let due: bigint | undefined = (first?.height ?? newest) + blocksBeforeResend;
    /** Two blocks after the last due block. If that has passed already, one block after the newest. */
    const dueAfter = (last: bigint): bigint =>
      last + blocksBeforeResend > newest + 1n ? last + blocksBeforeResend : newest + 1n;
    for (;;) {
      const lastBlock = tx.timeoutHeight > 0n && (due === undefined || tx.timeoutHeight < due) ? tx.timeoutHeight : due;
      const sighting = await watching.until({ height: lastBlock, time: tx.timeout === 0n ? undefined : tx.timeout }, signal);
      if (sighting !== undefined) {
        const inclusion = await inclusions.confirm(sighting, scope);
        if (inclusion !== undefined) return yield included(inclusion);
        isContested = true;
        continue;
      }
      const isLate = tx.timeoutHeight > 0n && watching.height >= tx.timeoutHeight;
      if (isLate || (tx.timeout > 0n && watching.time > tx.timeout)) {
        // What a node had or has refused as used may be in a block before the watch started.
        const isSeen = duplicate || refusedAsUsedBy !== undefined;
        return yield update(isSeen ? 'UNKNOWN' : 'EXPIRED', { final: true });
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
      const reason = next.isAgain ? 'resent' : isFailover ? 'failover' : 'moved';
      onRebroadcast(reason);
      const how = { method: 'broadcast_tx_sync', height: newest, signal, reason } as const;
      const sending = await sendTx(next.node, tx, how);
      signal.throwIfAborted();
      const attempt = attemptOf(sending);
      attempts.push(attempt);
      plan.sent(attempt);
      if (sending.outcome === 'ACCEPTED') routes.accepted(tx, attempt.node, newest);
      if (sending.outcome === 'REJECTED') refusal = sending.check;
      yield update(next.isAgain ? 'RESENT' : 'MOVED', { attempt });
      isFailover = !wasProcessed(sending);
      if (isFailover) continue;
      due = dueAfter(due ?? newest);
      // The rejection, or the duplicate, may mean that a block contains it already.
      const found = sending.outcome === 'ACCEPTED' ? undefined : await inclusions.find(tx.hash, { scope });
      if (found !== undefined) return yield included(found);
    }
  } finally {
    watching.close();
  }
}

/**
 * Whether the node processed the transaction. Only then is it worth waiting two blocks; otherwise the next attempt follows at
 * once.
 */
function wasProcessed({ outcome }: SendResult): boolean {
  return outcome === 'ACCEPTED' || outcome === 'DUPLICATE' || outcome === 'REJECTED';
}
