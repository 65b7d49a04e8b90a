import { codeOf, type Scope, type Span, setScope } from '../tracing/tracer.ts';
import { type TrackingOptions, type TxUpdate, trackTransaction } from './resend.ts';
import type { Attempt, Delivery } from './send.ts';
import type { OutgoingTx } from './tx.ts';

/** A subscriber to a tracked transaction. */
export interface TxFollower {
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

/** Tracked transactions by hash. Equal bytes share one. */
export interface TrackedTransactions {
  /** In traces, the transaction belongs to the scope of its first follower. */
  follow(tx: OutgoingTx, scope: Scope | undefined): TxFollower;
  /** Ends every tracked transaction with this error. */
  close(reason: unknown): void;
}

interface Tracked {
  readonly updates: TxUpdate[];
  readonly attempts: Attempt[];
  readonly controller: AbortController;
  readonly waiting: Set<() => void>;
  followers: number;
  duplicate: boolean;
  over: boolean;
  failure: { readonly error: unknown } | undefined;
}

/**
 * Makes an empty registry. A tracked transaction is kept while it has followers. Its number of updates is bounded by its number
 * of attempts.
 */
export function createTrackedTransactions(options: TrackingOptions): TrackedTransactions {
  const byHash = new Map<string, Tracked>();
  const all = new Set<Tracked>();

  function begin(tx: OutgoingTx, scope: Scope | undefined): Tracked {
    const tracked: Tracked = {
      updates: [],
      attempts: [],
      controller: new AbortController(),
      waiting: new Set(),
      followers: 0,
      duplicate: false,
      over: false,
      failure: undefined,
    };
    byHash.set(tx.hash, tracked);
    all.add(tracked);
    const span = scope?.current()?.child('transaction', { attributes: { 'stele.tx.hash': tx.hash } });
    setScope(tracked.controller.signal, span);
    void run(tx, tracked, span);
    return tracked;
  }

  async function run(tx: OutgoingTx, tracked: Tracked, span: Span | undefined): Promise<void> {
    const wake = (): void => {
      for (const each of [...tracked.waiting]) each();
    };
    const onDelivered = ({ duplicate }: Delivery): void => {
      tracked.duplicate = duplicate;
    };
    try {
      for await (const update of trackTransaction(tx, options, {
        attempts: tracked.attempts,
        onDelivered,
        signal: tracked.controller.signal,
      })) {
        tracked.updates.push(update);
        span?.event(update.stage, { 'stele.height': Number(update.height) });
        // A later call with the same bytes starts a new one.
        if (update.final) remove(tx, tracked);
        wake();
      }
    } catch (error) {
      tracked.failure = { error };
    }
    span?.end(tracked.failure && codeOf(tracked.failure.error));
    tracked.over = true;
    remove(tx, tracked);
    all.delete(tracked);
    wake();
  }

  function remove(tx: OutgoingTx, tracked: Tracked): void {
    if (byHash.get(tx.hash) === tracked) byHash.delete(tx.hash);
  }

  function unfollow(tx: OutgoingTx, tracked: Tracked): void {
    tracked.followers -= 1;
    if (tracked.followers > 0) return;
    remove(tx, tracked);
    tracked.controller.abort(new Error('The last follower left.'));
  }

  function updatesOf(tx: OutgoingTx, tracked: Tracked): AsyncIterableIterator<TxUpdate> {
    const done = { done: true, value: undefined } as const;
    let next = 0;
    let left = false;
    let turn: Promise<unknown> = Promise.resolve();
    let wakeUp: (() => void) | undefined;

    function end(): typeof done {
      if (!left) {
        left = true;
        unfollow(tx, tracked);
        wakeUp?.();
      }
      return done;
    }

    async function step(): Promise<IteratorResult<TxUpdate>> {
      for (;;) {
        const update = left ? undefined : tracked.updates[next];
        if (update !== undefined) {
          next += 1;
          return { done: false, value: update };
        }
        if (left) return done;
        if (tracked.over) {
          end();
          if (tracked.failure !== undefined) throw tracked.failure.error;
          return done;
        }
        await new Promise<void>((resolve) => {
          wakeUp = resolve;
          tracked.waiting.add(resolve);
        });
        if (wakeUp !== undefined) tracked.waiting.delete(wakeUp);
      }
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
    follow(tx, scope) {
      const tracked = byHash.get(tx.hash) ?? begin(tx, scope);
      tracked.followers += 1;
      return {
        attempts: tracked.attempts,
        get duplicate() {
          return tracked.duplicate;
        },
        updates: updatesOf(tx, tracked),
      };
    },
    close(reason) {
      for (const tracked of all) tracked.controller.abort(reason);
    },
  };
}
