import type { Caller, Refused } from '../request/caller.ts';

/** Somebody who listens, and who pays for it. */
export interface Listening {
  readonly caller: Caller;
}

/**
 * Charges points to those who listen, each of them an even share: a caller with k of n listeners pays k/n. `refuse` is called for
 * each listener of a caller who has too few points left; such a caller pays nothing, and the others pay no more for that.
 */
export function charge<L extends Listening>(
  listening: readonly L[],
  points: number,
  refuse: (listener: L, refused: Refused) => void,
): void {
  const callers = new Map<string, { readonly caller: Caller; readonly own: L[] }>();
  for (const listener of listening) {
    const { caller } = listener;
    const known = callers.get(caller.name);
    if (known === undefined) callers.set(caller.name, { caller, own: [listener] });
    else known.own.push(listener);
  }
  for (const { caller, own } of callers.values()) {
    const refused = caller.take((points * own.length) / listening.length);
    if (refused !== undefined) for (const listener of own) refuse(listener, refused);
  }
}
