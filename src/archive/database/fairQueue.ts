/** Work that waits for a database, in turns of the callers by the time that each has used (start-time fair queuing). */
export interface FairQueue<T> {
  add(caller: string, item: T): void;
  /** Drops an item that still waits. */
  remove(caller: string, item: T): void;
  /** Takes the oldest item of the caller that has used the least time, among those for which `mayRun` returns true. Undefined if there is none. */
  take(mayRun?: (caller: string) => boolean): { readonly caller: string; readonly item: T } | undefined;
  /** Notes that a caller has used the database for this time, in ms. */
  charge(caller: string, milliseconds: number): void;
  /** Removes and returns everything that waits. */
  clear(): readonly T[];
}

interface Waiting<T> {
  /** Time that the caller has used, in ms of the clock of the queue. */
  used: number;
  readonly items: Set<T>;
}

/**
 * Makes an empty queue. A caller that comes back after a rest begins with the clock, which is the time of the caller that was taken last: a rest gives no
 * lead over the others. While nobody waits, nothing is remembered.
 */
export function createFairQueue<T>(): FairQueue<T> {
  const callers = new Map<string, Waiting<T>>();
  let clock = 0;

  return {
    add(caller, item) {
      const known = callers.get(caller);
      if (known === undefined) callers.set(caller, { used: clock, items: new Set([item]) });
      else {
        known.used = Math.max(known.used, clock);
        known.items.add(item);
      }
    },
    remove(caller, item) {
      callers.get(caller)?.items.delete(item);
    },
    take(mayRun = () => true) {
      let found: { readonly caller: string; readonly waiting: Waiting<T>; readonly item: T } | undefined;
      let isEmpty = true;
      for (const [caller, waiting] of callers) {
        const [item] = waiting.items;
        if (item === undefined) {
          if (waiting.used <= clock) callers.delete(caller);
          continue;
        }
        isEmpty = false;
        if (mayRun(caller) && (found === undefined || waiting.used < found.waiting.used)) found = { caller, waiting, item };
      }
      if (isEmpty) callers.clear();
      if (found === undefined) return undefined;
      const { caller, waiting, item } = found;
      waiting.items.delete(item);
      clock = Math.max(clock, waiting.used);
      return { caller, item };
    },
    charge(caller, milliseconds) {
      const known = callers.get(caller);
      if (known !== undefined) known.used += milliseconds;
    },
    clear() {
      const items = [...callers.values()].flatMap((waiting) => [...waiting.items]);
      callers.clear();
      return items;
    },
  };
}
