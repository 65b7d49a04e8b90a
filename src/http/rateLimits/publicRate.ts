import type { Limits } from '../../config/limits/limits.ts';
import type { Refused } from '../../graphql/request/caller.ts';

/** Counts a request without a token from an address; returns what refuses it if there were too many. */
export type PublicRate = (address: string) => Refused | undefined;

/** The most addresses that are kept, about 10 MB. Beyond them the one that was quiet for longest is forgotten. */
const maxAddresses = 50_000;

/**
 * Makes the rate `rate.public`. Each address is one number: the time, ms, at which all of its requests are made up for. An address that is past it is
 * the same as a new one. `now` is a monotonic clock in ms.
 */
export function createPublicRate(limits: Limits, now: () => number = () => performance.now()): PublicRate {
  const limit = 'rate.public';
  const max = limits[limit];
  const cost = 60_000 / max;
  const madeUp = new Map<string, number>();

  return (address) => {
    if (max === 0) return undefined;
    const time = now();
    const begin = Math.max(madeUp.get(address) ?? 0, time);
    const wait = begin + cost - time - 60_000;
    // Rounding must not refuse the last request of a burst.
    if (wait > 0.001) return { limit, max, retryAfter: Math.max(1, Math.ceil(wait / 1_000)), remaining: 0 };
    madeUp.delete(address);
    madeUp.set(address, begin + cost);
    for (const [other, end] of madeUp) {
      if (end > time && madeUp.size <= maxAddresses) break;
      madeUp.delete(other);
    }
    return undefined;
  };
}
