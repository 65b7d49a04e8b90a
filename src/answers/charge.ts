import type { Caller, Refused } from './caller.ts';

/** A subscriber, and the caller that pays for it. */
export interface Listening {
  readonly caller: Caller;
}

/**
 * Charges points to the callers of the subscribers, evenly: a caller with k of n subscribers pays k/n. If a caller has too few points left, it pays
 * nothing and `refuse` is called for each of its subscribers. The others do not pay more.
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
    const refused = caller.takeHere((points * own.length) / listening.length);
    if (refused !== undefined) for (const listener of own) refuse(listener, refused);
  }
}
