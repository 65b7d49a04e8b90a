import type { Refused } from '../../answers/caller.ts';
import type { Limits } from '../../config/limits/limits.ts';

/** Counts a request without a token from an address. Returns a refusal if the address is over `rate.public`. */
export type PublicRate = (address: string) => Refused | undefined;

/** The most addresses that are stored, about 10 MB. Beyond that, the address that was idle for longest is evicted. */
const maxAddresses = 50_000;

/**
 * Creates the counter of `rate.public`. For each address it stores one number: the time, in ms, at which the address has its
 * full burst again. After that time, the address equals a new one. `now` is a monotonic clock in ms.
 */
export function createPublicRate(limits: Limits, now: () => number = () => performance.now()): PublicRate {
  const limit = 'rate.public';
  const max = limits[limit];
  const cost = 60_000 / max;
  const fullAt = new Map<string, number>();

  return (address) => {
    if (max === 0) return undefined;
    const time = now();
    const begin = Math.max(fullAt.get(address) ?? 0, time);
    const wait = begin + cost - time - 60_000;
    // Rounding must not refuse the last request of a burst.
    if (wait > 0.001) return { limit, max, retryAfter: Math.max(1, Math.ceil(wait / 1_000)), remaining: 0 };
    fullAt.delete(address);
    fullAt.set(address, begin + cost);
    for (const [other, end] of fullAt) {
      if (end > time && fullAt.size <= maxAddresses) break;
      fullAt.delete(other);
    }
    return undefined;
  };
}
