import { codeOf, type Scope, setScope } from '../tracing/tracer.ts';
import { type TrackedTx, type TrackingTools, type TxUpdate, trackTransaction } from './resend.ts';
import type { Attempt } from './send.ts';
import type { OutgoingTx } from './tx.ts';

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
