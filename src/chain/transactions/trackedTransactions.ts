import type { Attempt } from './attempt.ts';
import type { Delivery } from './delivery.ts';
import type { TxFacts } from './facts.ts';
import { liveTx, type TxLifeParts, type TxUpdate } from './trackedTransaction.ts';

/** A life that is being followed. */
export interface TxFollower {
  /** Every sending so far, in order. */
  readonly attempts: readonly Attempt[];
  /** Whether identical bytes were there before the first of these sendings. */
  readonly duplicate: boolean;
  /**
   * The steps from the first on, whoever began the life. `return` ends a `next` under way at once; when the last follower has left, the
   * life is given up: nothing more is sent.
   */
  readonly updates: AsyncIterableIterator<TxUpdate>;
}

/** Lives by the hash of their transaction: the same bytes have one life. */
export interface TrackedTransactions {
  follow(tx: TxFacts): TxFollower;
  /** Ends every life with this error. */
  close(reason: unknown): void;
}

interface Life {
  readonly updates: TxUpdate[];
  readonly attempts: Attempt[];
  readonly controller: AbortController;
  readonly waiting: Set<() => void>;
  followers: number;
  duplicate: boolean;
  over: boolean;
  failure: { readonly error: unknown } | undefined;
}

/** Makes them. A life is kept as long as somebody follows it, and has as many steps as there are sendings. */
export function createTrackedTransactions(parts: TxLifeParts): TrackedTransactions {
  const lives = new Map<string, Life>();
  const all = new Set<Life>();

  function begin(tx: TxFacts): Life {
    const life: Life = {
      updates: [],
      attempts: [],
      controller: new AbortController(),
      waiting: new Set(),
      followers: 0,
      duplicate: false,
      over: false,
      failure: undefined,
    };
    lives.set(tx.hash, life);
    all.add(life);
    void live(tx, life);
    return life;
  }

  async function live(tx: TxFacts, life: Life): Promise<void> {
    const wake = (): void => {
      for (const each of [...life.waiting]) each();
    };
    const onDelivered = ({ duplicate }: Delivery): void => {
      life.duplicate = duplicate;
    };
    try {
      for await (const update of liveTx(tx, parts, { attempts: life.attempts, onDelivered, signal: life.controller.signal })) {
        life.updates.push(update);
        // Whoever sends the same bytes from now on begins anew.
        if (update.final) forget(tx, life);
        wake();
      }
    } catch (error) {
      life.failure = { error };
    }
    life.over = true;
    forget(tx, life);
    all.delete(life);
    wake();
  }

  function forget(tx: TxFacts, life: Life): void {
    if (lives.get(tx.hash) === life) lives.delete(tx.hash);
  }

  function leave(tx: TxFacts, life: Life): void {
    life.followers -= 1;
    if (life.followers > 0) return;
    forget(tx, life);
    life.controller.abort(new Error('nobody follows it any more'));
  }

  function updatesOf(tx: TxFacts, life: Life): AsyncIterableIterator<TxUpdate> {
    const done = { done: true, value: undefined } as const;
    let next = 0;
    let left = false;
    let turn: Promise<unknown> = Promise.resolve();
    let release: (() => void) | undefined;

    function end(): typeof done {
      if (!left) {
        left = true;
        leave(tx, life);
        release?.();
      }
      return done;
    }

    async function step(): Promise<IteratorResult<TxUpdate>> {
      for (;;) {
        const update = left ? undefined : life.updates[next];
        if (update !== undefined) {
          next += 1;
          return { done: false, value: update };
        }
        if (left) return done;
        if (life.over) {
          end();
          if (life.failure !== undefined) throw life.failure.error;
          return done;
        }
        await new Promise<void>((resolve) => {
          release = resolve;
          life.waiting.add(resolve);
        });
        if (release !== undefined) life.waiting.delete(release);
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
    follow(tx) {
      const life = lives.get(tx.hash) ?? begin(tx);
      life.followers += 1;
      return {
        attempts: life.attempts,
        get duplicate() {
          return life.duplicate;
        },
        updates: updatesOf(tx, life),
      };
    },
    close(reason) {
      for (const life of all) life.controller.abort(reason);
    },
  };
}
