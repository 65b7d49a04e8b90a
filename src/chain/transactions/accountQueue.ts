/** Lets the transactions of one account go out one after another, as they came: over several connections the second may overtake the first. */
export interface AccountQueue {
  /**
   * Runs the work when that before it, of the same account, has ended. Work that takes long holds the next up for a moment only:
   * anybody can name an account.
   */
  take<T>(account: string, work: () => Promise<T>): Promise<T>;
}

/** How long work holds up the next of its account, ms. */
const longestHold = 500;

/** Makes it. An account is remembered as long as some of its work is under way. */
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
