import type { TxExec } from '../base/execution.ts';
import type { Head } from '../blocks/head.ts';
import { codeOf, type Scope, scopeOf, setScope } from '../tracing/tracer.ts';
import type { NodeHandle } from '../transports/transport.ts';
import type { Inclusion, InclusionLookup, TxWatch } from './inclusion.ts';
import { type Attempt, type AttemptOutcome, sendTx, type TxDelivery, type TxRoutes } from './send.ts';
import type { OutgoingTx } from './tx.ts';

/** The stage of a tracked transaction: the values of `TransactionStage` in the GraphQL schema. */
type TxStage = 'CHECKED' | 'PENDING' | 'RESENT' | 'MOVED' | 'INCLUDED' | 'REJECTED' | 'EXPIRED' | 'UNKNOWN';

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
interface TrackingTools {
  readonly head: Head;
  readonly watch: TxWatch;
  readonly delivery: TxDelivery;
  readonly routes: TxRoutes;
  readonly inclusions: InclusionLookup;
  /** Called for each attempt after the first ones. */
  readonly onRebroadcast: (reason: 'resent' | 'moved' | 'failover') => void;
}

/** A transaction that is tracked. */
interface TrackedTx {
  /** Every attempt, in order. */
  readonly attempts: Attempt[];
  /** Whether a node had the same bytes before the first attempt. */
  duplicate: boolean;
  /** Ends the tracking. It also names the scope of the calls in traces. */
  readonly signal: AbortSignal;
}

/** Attempts on each node before the next node is used. */
const perNode = 2;

/** Chooses the node of each attempt after the first ones. A node that those did not reach still has both of its attempts. */
function createNodeRotation(first: readonly Attempt[]) {
  const counts = new Map<string, number>();
  const outcomes = new Map<string, AttemptOutcome>();
  let last: string | undefined;
  for (const { node, outcome } of first) {
    last = node;
    outcomes.set(node, outcome);
    if (outcome !== 'FAILED' && outcome !== 'REFUSED') counts.set(node, (counts.get(node) ?? 0) + 1);
  }

  return {
    /** The node of the next attempt; undefined if every node was tried. `isAgain`: whether it is the node of the last one. */
    next(nodes: readonly NodeHandle[]): { readonly node: NodeHandle; readonly isAgain: boolean } | undefined {
      const left = nodes.filter(({ alias }) => (counts.get(alias) ?? 0) < perNode);
      const node = left.find(({ alias }) => alias === last) ?? left[0];
      return node && { node, isAgain: node.alias === last };
    },
    note({ node, outcome }: Attempt): void {
      last = node;
      outcomes.set(node, outcome);
      // A node that is unreachable or full is not tried again.
      counts.set(node, outcome === 'FAILED' || outcome === 'REFUSED' ? perNode : (counts.get(node) ?? 0) + 1);
    },
    /** Whether CheckTx failed in the last attempt on every node that was tried. */
    isRefusedByAll: (): boolean => outcomes.size > 0 && [...outcomes.values()].every((outcome) => outcome === 'REJECTED'),
  };
}

/** Number of blocks without the transaction before it is sent again (docs/chain.md, "Rules of the transaction methods"). */
const blocksBeforeResend = 2n;

/**
 * Tracks a transaction. It watches blocks before it sends the transaction. It sends again to the same node after two blocks
 * without the transaction, then to the next node after two more. It ends when a block contains the transaction, when CheckTx
 * has finally rejected it, when its timeout has passed, or when every node was tried. Rejects like {@link TxDelivery.deliver},
 * or with the signal's reason.
 */
async function trackTransaction(
  tx: OutgoingTx,
  { head, watch, delivery, routes, inclusions, onRebroadcast }: TrackingTools,
  tracked: TrackedTx,
  onUpdate: (update: TxUpdate) => void,
): Promise<void> {
  const { attempts, signal } = tracked;
  const scope = scopeOf(signal);
  let newest = (await head.ready({ signal })).height;
  const update = (stage: TxStage, particulars: Partial<TxUpdate> = {}): void => {
    newest = head.current()?.height ?? newest;
    const usual = { hash: tx.hash, height: newest, final: false, attempt: null, checkTx: null, inclusion: null };
    onUpdate({ ...usual, stage, ...particulars });
  };
  const included = (inclusion: Inclusion, attempt: Attempt | null = null): void =>
    update('INCLUDED', { height: inclusion.height, final: true, inclusion, attempt });

  const watching = watch.open(tx.hash);
  try {
    const delivered = await delivery.deliver(tx, 'broadcast_tx_sync', scope);
    attempts.push(...delivered.attempts);
    const { outcome, check, duplicate, refusedAsUsedBy } = delivered;
    tracked.duplicate = duplicate;
    const first = attempts.at(-1) ?? null;
    const earlier = outcome === 'ACCEPTED' ? null : await inclusions.findDelivered(tx.hash, delivered, scope);
    if (earlier) return included(earlier, first);
    if (outcome === 'REJECTED' && earlier === null) return update('REJECTED', { final: true, attempt: first, checkTx: check });
    if (outcome === 'ACCEPTED') update('CHECKED', { attempt: first, checkTx: check });
    if (outcome !== 'LOST') update('PENDING', { attempt: outcome === 'DUPLICATE' ? first : null });

    const rotation = createNodeRotation(attempts);
    let refusal: TxExec | null = null;
    let isContested = false;
    /** Whether the last node did not process the transaction. The next attempt then follows at once. */
    let isFailover = false;
    /** The block after which the transaction is sent again. */
    let due: bigint | undefined = (first?.height ?? newest) + blocksBeforeResend;
    for (;;) {
      const lastBlock = tx.timeoutHeight > 0n && (due === undefined || tx.timeoutHeight < due) ? tx.timeoutHeight : due;
      const sighting = await watching.until({ height: lastBlock, time: tx.timeout === 0n ? undefined : tx.timeout }, signal);
      if (sighting !== undefined) {
        const inclusion = await inclusions.confirm(sighting, scope);
        if (inclusion !== undefined) return included(inclusion);
        isContested = true;
        continue;
      }
      const isLate = tx.timeoutHeight > 0n && watching.height >= tx.timeoutHeight;
      if (isLate || (tx.timeout > 0n && watching.time > tx.timeout)) {
        // What a node had or has refused as used may be in a block before the watch started.
        const isSeen = duplicate || refusedAsUsedBy !== undefined;
        return update(isSeen ? 'UNKNOWN' : 'EXPIRED', { final: true });
      }
      newest = head.current()?.height ?? newest;
      const next = rotation.next(await routes.order(tx, newest));
      if (next === undefined) {
        if (rotation.isRefusedByAll() && !isContested && !duplicate)
          return update('REJECTED', { final: true, checkTx: refusal });
        update('UNKNOWN', { final: true });
        due = undefined;
        continue;
      }
      const reason = next.isAgain ? 'resent' : isFailover ? 'failover' : 'moved';
      onRebroadcast(reason);
      const sending = await sendTx(next.node, tx, { method: 'broadcast_tx_sync', height: newest, signal, reason });
      signal.throwIfAborted();
      const { attempt } = sending;
      attempts.push(attempt);
      rotation.note(attempt);
      if (attempt.outcome === 'ACCEPTED') routes.noteAccepted(tx, attempt.node, newest);
      if (attempt.outcome === 'REJECTED') refusal = sending.check;
      update(next.isAgain ? 'RESENT' : 'MOVED', { attempt });
      isFailover = !['ACCEPTED', 'DUPLICATE', 'REJECTED'].includes(attempt.outcome);
      if (isFailover) continue;
      // Two blocks after the last due block. If that has passed already, one block after the newest.
      const later: bigint = (due ?? newest) + blocksBeforeResend;
      due = later > newest + 1n ? later : newest + 1n;
      // The rejection, or the duplicate, may mean that a block contains it already.
      const inclusion = attempt.outcome === 'ACCEPTED' ? undefined : await inclusions.find(tx.hash, scope);
      if (inclusion !== undefined) return included(inclusion);
    }
  } finally {
    watching.close();
  }
}

/** A subscriber to a tracked transaction. */
interface TxFollower {
  /** Every attempt so far, in order. */
  readonly attempts: readonly Attempt[];
  /** Whether a node had the same bytes before the first of these attempts. */
  readonly duplicate: boolean;
  /**
   * All updates, including those before this subscriber joined. `return` ends a pending `next` at once. When the last follower
   * has left, tracking ends and nothing more is sent.
   */
  readonly updates: AsyncIterableIterator<TxUpdate>;
}

interface FollowedTx extends TrackedTx {
  readonly tx: OutgoingTx;
  readonly updates: TxUpdate[];
  readonly controller: AbortController;
  /** Followers that wait for an update. */
  readonly waiting: Set<() => void>;
  followers: number;
  isOver: boolean;
  failure: { readonly error: unknown } | undefined;
}

/**
 * Creates the registry of tracked transactions, by hash: equal bytes share one. It is kept while it has followers. Its number of updates is bounded by
 * its number of attempts. In traces, it belongs to the scope of its first follower.
 */
export function createTrackedTransactions(tools: TrackingTools) {
  const byHash = new Map<string, FollowedTx>();
  const all = new Set<FollowedTx>();

  function begin(tx: OutgoingTx, scope: Scope | undefined): FollowedTx {
    const controller = new AbortController();
    const followed: FollowedTx = {
      tx,
      updates: [],
      attempts: [],
      controller,
      signal: controller.signal,
      waiting: new Set(),
      followers: 0,
      duplicate: false,
      isOver: false,
      failure: undefined,
    };
    byHash.set(tx.hash, followed);
    all.add(followed);
    const span = scope?.current()?.child('transaction', { attributes: { 'stele.tx.hash': tx.hash } });
    setScope(controller.signal, span);
    const wake = (): void => {
      for (const each of [...followed.waiting]) each();
    };
    const onUpdate = (update: TxUpdate): void => {
      followed.updates.push(update);
      span?.event(update.stage, { 'stele.height': Number(update.height) });
      // A later call with the same bytes starts a new one.
      if (update.final) remove(followed);
      wake();
    };
    trackTransaction(tx, tools, followed, onUpdate)
      .catch((error: unknown) => {
        followed.failure = { error };
      })
      .finally(() => {
        span?.end(followed.failure && codeOf(followed.failure.error));
        followed.isOver = true;
        remove(followed);
        all.delete(followed);
        wake();
      });
    return followed;
  }

  function remove(followed: FollowedTx): void {
    if (byHash.get(followed.tx.hash) === followed) byHash.delete(followed.tx.hash);
  }

  function join(tx: OutgoingTx, scope: Scope | undefined): FollowedTx {
    const followed = byHash.get(tx.hash) ?? begin(tx, scope);
    followed.followers += 1;
    return followed;
  }

  function leave(followed: FollowedTx): void {
    followed.followers -= 1;
    if (followed.followers > 0) return;
    remove(followed);
    followed.controller.abort(new Error('The last follower left.'));
  }

  /** The updates of a transaction that was joined: all of them. Without one, the first `next` joins, and the final update is the last. */
  function updatesOf(tx: OutgoingTx, scope: Scope | undefined, joinedTx?: FollowedTx): AsyncIterableIterator<TxUpdate> {
    const done = { done: true, value: undefined } as const;
    let followed = joinedTx;
    let position = 0;
    let hasLeft = false;
    let turn: Promise<unknown> = Promise.resolve();
    let wake: (() => void) | undefined;

    function end(): typeof done {
      if (hasLeft) return done;
      hasLeft = true;
      if (followed !== undefined) leave(followed);
      wake?.();
      return done;
    }

    async function step(): Promise<IteratorResult<TxUpdate>> {
      while (!hasLeft) {
        followed ??= join(tx, scope);
        const { updates, waiting, isOver, failure } = followed;
        const value = updates[position];
        if (value !== undefined) {
          position += 1;
          if (value.final && joinedTx === undefined) end();
          return { done: false, value };
        }
        if (isOver) {
          end();
          if (failure !== undefined) throw failure.error;
          return done;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
          waiting.add(resolve);
        });
        if (wake !== undefined) waiting.delete(wake);
      }
      return done;
    }

    return {
      next() {
        const result = turn.then(step);
        turn = result.catch(() => undefined);
        return result;
      },
      return: async () => end(),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  return {
    /** Joins at once. The updates do not end with the final one, because a block may contain the transaction after a final UNKNOWN. */
    follow(tx: OutgoingTx, scope: Scope | undefined): TxFollower {
      const followed = join(tx, scope);
      return {
        attempts: followed.attempts,
        get duplicate() {
          return followed.duplicate;
        },
        updates: updatesOf(tx, scope, followed),
      };
    },
    /** Joins with the first `next`. The updates end with the final one. */
    untilFinal: (tx: OutgoingTx, scope: Scope | undefined): AsyncIterableIterator<TxUpdate> => updatesOf(tx, scope),
    /** Ends every tracked transaction with this error. */
    close(reason: unknown): void {
      for (const { controller } of all) controller.abort(reason);
    },
  };
}
