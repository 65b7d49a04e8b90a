import { LRUCache } from 'lru-cache';
import { monotonicNow } from '../../chain/base/time.ts';
import type { Client } from '../../chain/client.ts';
import { weakMemo } from '../../reads/pin.ts';
import type { Cause } from './causes.ts';
import type { Rehearsal } from './rehearsal.ts';

/** The most rehearsals of which the last one is kept. */
const maxKept = 2_000;

/** How long a rehearsal that the node could not run is kept, in heights: it is tried again at the next block. */
const passing: readonly Cause[] = ['BUSY', 'BUDGET', 'NO_NODE', 'REFUSED', 'NOT_ACCEPTED'];

/** The last rehearsal, and the newest height that it is known to hold at. */
interface Kept {
  readonly rehearsal: Rehearsal;
  holdsAt: bigint;
}

/** The callers whose rehearsals are counted. */
const maxCallers = 10_000;

/**
 * Keeps the last rehearsal of each proposal of a chain. It is run again at a later height only if a store that it touched has changed, or if it failed: what
 * it lacked may be there now, also by time alone. Callers at one height share one run.
 */
function createKeeper({ roots, head }: Client) {
  const keptRehearsals = new LRUCache<string, Kept>({ max: maxKept });
  const running = new Map<string, Promise<Rehearsal>>();
  const spent = new LRUCache<string, { count: number; since: number }>({ max: maxCallers });
  head.onRewind(() => keptRehearsals.clear());

  /** Whether a rehearsal of an earlier height still holds. */
  function holds({ rehearsal, holdsAt }: Kept, height: bigint): boolean {
    if (rehearsal.cause === 'DID_NOT_END' || height <= holdsAt) return true;
    if (rehearsal.outcome === 'FAILS' || rehearsal.stores === undefined) return false;
    if (rehearsal.cause !== null && passing.includes(rehearsal.cause)) return false;
    const key = roots.keyAt(height, rehearsal.stores);
    return key !== undefined && key === roots.keyAt(holdsAt, rehearsal.stores);
  }

  return {
    /** The rehearsal of this name at a height: the last one if it still holds, else that of `run`. */
    async at(name: string, height: bigint, run: () => Promise<Rehearsal>): Promise<Rehearsal> {
      const last = keptRehearsals.get(name);
      if (last !== undefined && holds(last, height)) {
        if (height > last.holdsAt) last.holdsAt = height;
        return last.rehearsal;
      }
      const key = `${height} ${name}`;
      const shared = running.get(key);
      if (shared !== undefined) return shared;
      const started = run().finally(() => running.delete(key));
      running.set(key, started);
      const rehearsal = await started;
      const { height: ranAt } = rehearsal;
      if (rehearsal.cause !== 'BUDGET')
        keptRehearsals.set(name, { rehearsal, holdsAt: ranAt !== null && ranAt > height ? ranAt : height });
      // The roots of these stores are learnt from now on.
      if (rehearsal.stores !== undefined) roots.keyAt(height, rehearsal.stores);
      return rehearsal;
    },
    /** Counts a run of a caller. Returns a function that takes it back; undefined if the caller has had `most` runs in this minute. */
    spend(caller: string, most: number): (() => void) | undefined {
      const now = monotonicNow();
      const last = spent.get(caller);
      const current = last === undefined || now - last.since > 60_000 ? { count: 0, since: now } : last;
      if (current.count >= most) return undefined;
      current.count += 1;
      spent.set(caller, current);
      return () => {
        current.count -= 1;
      };
    },
  };
}

/** The rehearsals of a chain. */
export const rehearsalsOf: (client: Client) => ReturnType<typeof createKeeper> = weakMemo(createKeeper);
