/**
 * Sends the transactions of an account one after another, in the order of their arrival. Over several connections the second
 * could overtake the first.
 */
export interface AccountQueue {
  /**
   * Runs the work after earlier work for the same account has ended. Slow work blocks the next only for a moment, because any
   * client can name any account.
   */
  take<T>(account: string, work: () => Promise<T>): Promise<T>;
}

/** Longest time in ms that work blocks the next of its account. */
const longestHold = 500;

/** Creates an empty queue. It holds an account only while work for it is pending. */
export function createAccountQueue(): AccountQueue {
  const last = new Map<string, Promise<void>>();

  return {
    async take(account, work) {
      const before = last.get(account);
      let end = (): void => undefined;
      const turn = new Promise<void>((resolve) => {
        end = resolve;
      });
      last.set(account, turn);
      let timer: NodeJS.Timeout | undefined;
      try {
        if (before !== undefined) await before;
        timer = setTimeout(end, longestHold);
        return await work();
      } finally {
        clearTimeout(timer);
        end();
        if (last.get(account) === turn) last.delete(account);
      }
    },
  };
}
