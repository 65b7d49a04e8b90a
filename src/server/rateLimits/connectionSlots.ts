import type { Refused } from '../../answers/caller.ts';
import type { Limits } from '../../config/limits/limits.ts';

/** Counts the connections of each address, up to `http.connectionsPerAddress`. */
export interface ConnectionSlots {
  /** Takes a slot for a connection from an address. Returns an error if there is none. */
  take(address: string): Refused | undefined;
  /** Frees a slot of an address. Must be called once for each slot that was taken. */
  release(address: string): void;
}

/** Creates the counters, all zero. Only addresses with open connections are stored. */
export function createConnectionSlots(limits: Limits): ConnectionSlots {
  const limit = 'http.connectionsPerAddress';
  const max = limits[limit];
  const taken = new Map<string, number>();
  return {
    take(address) {
      const count = taken.get(address) ?? 0;
      if (max > 0 && count >= max) return { limit, max, retryAfter: 1, remaining: 0 };
      taken.set(address, count + 1);
      return undefined;
    },
    release(address) {
      const left = (taken.get(address) ?? 1) - 1;
      if (left === 0) taken.delete(address);
      else taken.set(address, left);
    },
  };
}
