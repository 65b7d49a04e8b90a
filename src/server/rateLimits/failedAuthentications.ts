import type { Refused } from '../../answers/caller.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { createBoundedTable } from './boundedTable.ts';
import type { SecretAttempt } from './secretAttempts.ts';
import type { SharedCounter, SharedCounters } from './sharedCounters.ts';
import type { Slots } from './slots.ts';
import { createTokenBucket, type TokenBucket } from './tokenBucket.ts';

/** Counts failed authentications, by address and by client. */
export interface FailedAuthentications {
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
