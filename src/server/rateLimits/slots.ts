import type { Refused } from '../../answers/caller.ts';
import type { LimitName, Limits } from '../../config/limits/limits.ts';
import type { Slot } from './clientLimits.ts';
import type { Places, SharedCounter } from './sharedCounters.ts';

/** The limits whose slots requests wait for. */
export type WaitingLimit = 'rate.counts' | 'rate.bodies';

/** A caller whose requests wait for slots. */
export interface WaitingCaller {
  readonly places: Places<WaitingLimit>;
  /** The requests that wait for a slot, by limit. Absent until the first one waits. */
  readonly waiting: Partial<Record<WaitingLimit, Set<() => void>>>;
}

/** Slots of limits on how much runs at the same time. */
export interface Slots {
  /** Creates a refusal. `wait` is in ms, 1,000 by default. */
  refused(limit: LimitName, remaining: number, wait?: number): Refused;
  /** Whether all slots of a limit are taken. 0 allows any number. */
  isFull<L extends LimitName>(places: Places<L>, limit: L): boolean;
  /** Takes a slot of a limit. `shared` notes the change for other processes. */
  slot<L extends LimitName>(places: Places<L>, limit: L, shared?: SharedCounter): Refused | Slot;
  /** Waits for a slot of a limit. Resolves to the function that releases it. Rejects when `signal` aborts the wait. */
  waitForSlot(caller: WaitingCaller, limit: WaitingLimit, signal?: AbortSignal): Promise<() => void>;
}

/** Creates the slots of these limits. They keep no state: the places of a caller count what is taken. */
export function createSlots(limits: Limits): Slots {
  const refused = (limit: LimitName, remaining: number, wait = 1_000): Refused => ({
    limit,
    max: limits[limit],
    retryAfter: Math.max(1, Math.ceil(wait / 1_000)),
    remaining,
  });

  const isFull = <L extends LimitName>({ used, elsewhere }: Places<L>, limit: L): boolean =>
    limits[limit] !== 0 && used[limit] + (elsewhere[limit] ?? 0) >= limits[limit];

  function slot<L extends LimitName>(places: Places<L>, limit: L, shared?: SharedCounter): Refused | Slot {
    if (isFull(places, limit)) return refused(limit, 0);
    places.used[limit] += 1;
    shared?.changed();
    let ended = false;
    return {
      end() {
        if (ended) return;
        ended = true;
        places.used[limit] -= 1;
        shared?.changed();
      },
    };
  }

  function trySlot({ places, waiting }: WaitingCaller, limit: WaitingLimit): (() => void) | undefined {
    const taken = slot(places, limit);
    if (!('end' in taken)) return undefined;
    return () => {
      taken.end();
      const [next] = waiting[limit] ?? [];
      next?.();
    };
  }

  function waitForSlot(caller: WaitingCaller, limit: WaitingLimit, signal?: AbortSignal): Promise<() => void> {
    const waiting = caller.waiting[limit] ?? new Set();
    caller.waiting[limit] = waiting;
    const release = trySlot(caller, limit);
    if (release !== undefined) return Promise.resolve(release);
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        waiting.delete(retry);
        reject(signal?.reason);
      };
      const retry = (): void => {
        const free = trySlot(caller, limit);
        if (free === undefined) return;
        waiting.delete(retry);
        signal?.removeEventListener('abort', stop);
        resolve(free);
      };
      if (signal?.aborted === true) return stop();
      signal?.addEventListener('abort', stop, { once: true });
      waiting.add(retry);
    });
  }

  return { refused, isFull, slot, waitForSlot };
}
