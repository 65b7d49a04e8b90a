import type { Refused } from '../../answers/caller.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { type BoundedTable, createBoundedTable } from './boundedTable.ts';
import type { ClientLimits } from './clientLimits.ts';
import type { SharedCounter, SharedCounters } from './sharedCounters.ts';
import type { Slots } from './slots.ts';
import { createTokenBucket, type TokenBucket } from './tokenBucket.ts';
import { createTotals } from './totals.ts';

/** The limits of public clients in total, besides those of each address. */
export interface PublicClients {
  /** Returns the limits of a public client from an address, whose own limits are `own`. What it uses counts in total, too. */
  caller(clientId: string, own: ClientLimits): ClientLimits;
  /**
   * Counts a token that is about to be issued to a client at an address. Returns a refusal if the client is over
   * `publicClient.tokens` or `publicClient.totalTokens`.
   */
  takeToken(clientId: string, address: string): Refused | undefined;
}

/** The tokens that one public client gets. */
interface Tokens {
  readonly tokens: TokenBucket;
  readonly shared: SharedCounter;
}

/** Creates the limits of public clients. `now` is a monotonic clock in ms. */
export function createPublicClients(options: {
  readonly limits: Limits;
  readonly now: () => number;
  readonly refused: Slots['refused'];
  readonly slot: Slots['slot'];
  /** Makes the limits hold over several processes. */
  readonly sharing: SharedCounters;
}): PublicClients {
  const { limits, now, refused, sharing } = options;
  const names = { points: 'publicClient.totalPoints', streams: 'publicClient.totalStreams' } as const;
  const totals = createTotals({ ...options, names, prefix: 'total' });

  const createTokens = (limit: 'publicClient.totalTokens' | 'publicClient.tokens', prefix: string): BoundedTable<Tokens> =>
    createBoundedTable<Tokens>({
      max: limits['rate.callers'],
      make(name) {
        const tokens = createTokenBucket(limits[limit], limits[limit], now);
        const places = { used: {}, elsewhere: {} };
        return { tokens, shared: sharing.of({ name: `${prefix} ${name}`, buckets: [tokens], places, max: {} }) };
      },
      isIdle: ({ tokens }) => tokens.isFull(),
    });
  const tokensOf = createTokens('publicClient.tokens', 'tokens');
  const totalTokens = createTokens('publicClient.totalTokens', 'total tokens');

  return {
    caller: totals.caller,
    takeToken(clientId, address) {
      const { tokens, shared } = tokensOf.of(`${clientId} ${address}`);
      const wait = tokens.take(1);
      shared.changed();
      if (wait > 0) return refused('publicClient.tokens', tokens.level(), wait);
      const total = totalTokens.of(clientId);
      const waitInTotal = total.tokens.take(1);
      total.shared.changed();
      if (waitInTotal === 0) return undefined;
      tokens.giveBack(1);
      return refused('publicClient.totalTokens', total.tokens.level(), waitInTotal);
    },
  };
}
