import type { Refused } from '../../answers/caller.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { createBoundedTable } from './boundedTable.ts';
import type { Slots } from './clientLimits.ts';
import type { SharedCounter, SharedCounters } from './sharedCounters.ts';
import { createTokenBucket, type TokenBucket } from './tokenBucket.ts';

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

/**
 * A refusal of a secret, unless the secret is correct. `by` is the limit that is exceeded: that of the sender's address, or
 * that of the client.
 */
export interface RefusedSecret extends Refused {
  readonly by: 'address' | 'client';
}

/** A secret that is about to be checked. It is already counted as wrong. */
export interface SecretAttempt {
  /** The refusal; undefined within the limits. */
  readonly refused: RefusedSecret | undefined;
  /** Takes the count back, because the secret was correct. */
  succeed(): void;
}

/** Counts a secret before it is checked. `clientId` is undefined if there is no such client. */
export type CountAttempt = (clientId: string | undefined) => SecretAttempt;

/** Counts failed authentications, by address and by client. */
interface FailedAuthentications {
  /** Resolves when this process knows the failures of an address at the others. Undefined if it does. */
  fresh(address: string): Promise<void> | undefined;
  /** Counts a failure from an address. Returns a refusal if the address is over `rate.failedAuthentications`. */
  fail(address: string): Refused | undefined;
  /**
   * Counts a secret from an address before it is checked, towards the address and towards the client. `client` is the name of the client in the table;
   * clients that do not exist share one.
   */
  attemptSecret(address: string, client: string): SecretAttempt;
}

/** Failed authentications of one address, or for one client. */
interface Failures {
  readonly bucket: TokenBucket;
  readonly shared: SharedCounter;
}

/** Creates the counts. `now` is a monotonic clock in ms. */
export function createFailedAuthentications(options: {
  readonly limits: Limits;
  readonly now: () => number;
  readonly refused: Slots['refused'];
  /** Makes the limit hold over several processes. */
  readonly sharing: SharedCounters;
}): FailedAuthentications {
  const { limits, now, refused, sharing } = options;

  const failures = createBoundedTable<Failures>({
    max: limits['rate.callers'],
    make(name) {
      const bucket = createTokenBucket(limits['rate.failedAuthentications'], limits['rate.failedAuthentications'], now);
      const places = { used: {}, elsewhere: {} };
      return { bucket, shared: sharing.of({ name: `failures ${name}`, buckets: [bucket], places, max: {}, isExact: true }) };
    },
    isIdle: ({ bucket }) => bucket.isFull(),
  });

  /** Counts one failure. Returns a refusal if there were too many. */
  function fail({ bucket, shared }: Failures): Refused | undefined {
    const wait = bucket.take(1);
    shared.changed();
    return wait > 0 ? refused('rate.failedAuthentications', bucket.level(), wait) : undefined;
  }

  function giveBack({ bucket, shared }: Failures): void {
    bucket.giveBack(1);
    shared.changed();
  }

  return {
    fresh: (address) => failures.of(address).shared.fresh(),
    fail: (address) => fail(failures.of(address)),
    attemptSecret(address, client) {
      const ofAddress = failures.of(address);
      const byAddress = fail(ofAddress);
      if (byAddress !== undefined) return { refused: { ...byAddress, by: 'address' }, succeed: () => undefined };
      const ofClient = failures.of(client);
      const byClient = fail(ofClient);
      return {
        refused: byClient && { ...byClient, by: 'client' },
        succeed() {
          giveBack(ofAddress);
          if (byClient === undefined) giveBack(ofClient);
        },
      };
    },
  };
}
