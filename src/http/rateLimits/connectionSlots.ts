import type { Limits } from '../../config/limits/limits.ts';
import type { Refused } from '../../graphql/request/caller.ts';

/** Counts the connections of each address, up to `http.connectionsPerAddress`. */
export interface ConnectionSlots {
  /** Takes a slot for a connection from an address, until `end` is called. Further calls of `end` do nothing. */
  take(address: string): Refused | { end(): void };
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
      let isEnded = false;
      return {
        end() {
          if (isEnded) return;
          isEnded = true;
          const left = (taken.get(address) ?? 1) - 1;
          if (left === 0) taken.delete(address);
          else taken.set(address, left);
        },
      };
    },
  };
}
