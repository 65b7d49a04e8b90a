import type { Limits } from '../../config/limits/limits.ts';
import type { Refused } from '../../graphql/request/caller.ts';

/** The connections of each address, within `http.connectionsPerAddress`. */
export interface ConnectionSlots {
  /** One connection more from an address, until `end` is called, which may be called several times. */
  take(address: string): Refused | { end(): void };
}

/** Makes the places. Only addresses with open connections are kept. */
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
