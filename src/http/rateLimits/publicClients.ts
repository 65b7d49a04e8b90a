import type { LazySignal } from '../../chain/base/waiting.ts';
import type { Limits } from '../../config/limits/limits.ts';
import type { Backlog, Full, Refused } from '../../graphql/request/caller.ts';
import { createBoundedTable } from './boundedTable.ts';
import type { ClientLimits, Slot } from './clientLimits.ts';
import type { Places, SharedCounter, SharedCounters } from './sharedCounters.ts';
import type { Slots } from './slots.ts';
import { createTokenBucket, type TokenBucket } from './tokenBucket.ts';

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

/** What one public client uses from all addresses. */
interface Total {
  readonly points: TokenBucket;
  readonly tokens: TokenBucket;
  readonly places: Places<'publicClient.totalStreams'>;
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
  const { limits, now, refused, slot, sharing } = options;
  type BucketLimit = 'publicClient.totalPoints' | 'publicClient.totalTokens' | 'publicClient.tokens';
  const bucket = (limit: BucketLimit): TokenBucket => createTokenBucket(limits[limit], limits[limit], now);

  const totals = createBoundedTable<Total>({
    max: limits['rate.callers'],
    make(name) {
      const points = bucket('publicClient.totalPoints');
      const tokens = bucket('publicClient.totalTokens');
      const places: Total['places'] = { used: { 'publicClient.totalStreams': 0 }, elsewhere: {} };
      const max = { 'publicClient.totalStreams': limits['publicClient.totalStreams'] };
      const shared = sharing.of({ name: `total ${name}`, buckets: [points, tokens], places, max });
      return { points, tokens, places, shared };
    },
    isIdle: ({ points, tokens, places: { used } }) =>
      used['publicClient.totalStreams'] === 0 && points.isFull() && tokens.isFull(),
  });

  const tokensOf = createBoundedTable<{ readonly tokens: TokenBucket; readonly shared: SharedCounter }>({
    max: limits['rate.callers'],
    make(name) {
      const tokens = bucket('publicClient.tokens');
      const places = { used: {}, elsewhere: {} };
      return { tokens, shared: sharing.of({ name: `tokens ${name}`, buckets: [tokens], places, max: {} }) };
    },
    isIdle: ({ tokens }) => tokens.isFull(),
  });

  /** It is a class because every connection of a page has one. */
  class PublicCaller implements ClientLimits {
    readonly #clientId: string;
    readonly #own: ClientLimits;

    constructor(clientId: string, own: ClientLimits) {
      this.#clientId = clientId;
      this.#own = own;
    }

    get name(): string {
      return this.#own.name;
    }

    get backlog(): Backlog {
      return this.#own.backlog;
    }

    fresh(): Promise<void> | undefined {
      const [total, own] = [totals.of(this.#clientId).shared.fresh(), this.#own.fresh()];
      return total === undefined || own === undefined ? (total ?? own) : Promise.all([total, own]).then(() => undefined);
    }

    take(wanted: number, sent?: number): Refused | undefined {
      const { points, shared } = totals.of(this.#clientId);
      const wait = points.take(wanted);
      if (wait > 0) return refused('publicClient.totalPoints', points.level(), wait);
      const byAddress = this.#own.take(wanted, sent);
      if (byAddress !== undefined) points.giveBack(wanted);
      shared.changed();
      return byAddress;
    }

    remaining(): number {
      return Math.min(this.#own.remaining(), totals.of(this.#clientId).points.level());
    }

    charge(used: number): void {
      const { points, shared } = totals.of(this.#clientId);
      points.charge(used);
      shared.changed();
      this.#own.charge(used);
    }

    spend(milliseconds: number): number {
      const points = this.#own.spend(milliseconds);
      const total = totals.of(this.#clientId);
      total.points.charge(points);
      if (points > 0) total.shared.changed();
      return points;
    }

    openStream(): Refused | Full | Slot {
      const { places, shared } = totals.of(this.#clientId);
      const inTotal = slot(places, 'publicClient.totalStreams', shared);
      if (!('end' in inTotal)) return inTotal;
      const own = this.#own.openStream();
      if (!('end' in own)) {
        inTotal.end();
        return own;
      }
      return {
        end() {
          own.end();
          inTotal.end();
        },
      };
    }

    enter(): Refused | Slot {
      return this.#own.enter();
    }

    connect(): Refused | Slot {
      return this.#own.connect();
    }

    listen(topic: string, points: number): Full | Slot {
      return this.#own.listen(topic, points);
    }

    turn(points: number, signal: AbortSignal | LazySignal): Promise<void> | undefined {
      return this.#own.turn(points, signal);
    }

    counting(signal: AbortSignal | undefined): Promise<() => void> {
      return this.#own.counting(signal);
    }

    readingBody(): Promise<() => void> {
      return this.#own.readingBody();
    }
  }

  return {
    caller: (clientId, own) => new PublicCaller(clientId, own),
    takeToken(clientId, address) {
      const { tokens, shared } = tokensOf.of(`${clientId} ${address}`);
      const wait = tokens.take(1);
      shared.changed();
      if (wait > 0) return refused('publicClient.tokens', tokens.level(), wait);
      const total = totals.of(clientId);
      const waitInTotal = total.tokens.take(1);
      total.shared.changed();
      if (waitInTotal === 0) return undefined;
      tokens.giveBack(1);
      return refused('publicClient.totalTokens', total.tokens.level(), waitInTotal);
    },
  };
}
