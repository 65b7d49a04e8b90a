import type { Backlog, Full, Refused } from '../../answers/caller.ts';
import type { LazySignal } from '../../chain/base/waiting.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { type Awaitable, andThen } from '../../reads/loader.ts';
import { type BoundedTable, createBoundedTable } from './boundedTable.ts';
import type { ClientLimits, Slot, Slots } from './clientLimits.ts';
import type { Lack, Places, SharedCounter, SharedCounters, Take } from './sharedCounters.ts';
import { createTokenBucket, type TokenBucket } from './tokenBucket.ts';

/** The names of the limits of a kind of total. */
interface TotalNames {
  readonly points: 'publicClient.totalPoints' | 'client.points';
  /** Absent if broadcasts are limited for each caller only. */
  readonly broadcasts?: 'client.broadcasts';
  readonly streams: 'publicClient.totalStreams' | 'client.streams';
}

/** Limits of several callers in total. */
interface Totals {
  /** Returns the limits of one caller, which are `own` and those of the total `name`. What it uses counts towards both. */
  caller(name: string, own: ClientLimits): ClientLimits;
}

/** What several callers use together. */
interface Total {
  readonly points: TokenBucket;
  readonly broadcasts: TokenBucket;
  readonly places: Places<TotalNames['streams']>;
  readonly shared: SharedCounter;
}

/** Creates the totals of one kind. `now` is a monotonic clock in ms, `prefix` distinguishes them from those of other kinds in the shared store. */
export function createTotals(options: {
  readonly names: TotalNames;
  readonly prefix: string;
  readonly limits: Limits;
  readonly now: () => number;
  readonly refused: Slots['refused'];
  readonly slot: Slots['slot'];
  /** Makes the limits hold over several processes. */
  readonly sharing: SharedCounters;
}): Totals {
  const { names, prefix, limits, now, refused, slot, sharing } = options;
  const bucket = (perMinute: number): TokenBucket => createTokenBucket(perMinute, perMinute, now);

  const totals = createBoundedTable<Total>({
    max: limits['rate.callers'],
    make(name) {
      const points = bucket(limits[names.points]);
      const broadcasts = bucket(names.broadcasts === undefined ? 0 : limits[names.broadcasts]);
      const places: Total['places'] = { used: { 'publicClient.totalStreams': 0, 'client.streams': 0 }, elsewhere: {} };
      const max = { [names.streams]: limits[names.streams] };
      const shared = sharing.of({ name: `${prefix} ${name}`, buckets: [points, broadcasts], places, max });
      return { points, broadcasts, places, shared };
    },
    isIdle: ({ points, broadcasts, places: { used } }) =>
      Object.values(used).every((count) => count === 0) && points.isFull() && broadcasts.isFull(),
  });

  const takesOf = ({ points, broadcasts }: Total, wanted: number, sent: number): readonly Take[] => [
    { bucket: broadcasts, amount: sent, isExact: true },
    { bucket: points, amount: wanted },
  ];

  function refusalOf({ broadcasts }: Total, { bucket, milliseconds }: Lack): Refused {
    const limit = bucket === broadcasts ? (names.broadcasts ?? names.points) : names.points;
    return refused(limit, bucket.level(), milliseconds);
  }

  /** Gives back what was taken from the total if the caller's own limits refuse. */
  function settled({ shared }: Total, takes: readonly Take[], byOwn: Refused | undefined): Refused | undefined {
    if (byOwn === undefined) return undefined;
    for (const { bucket: taken, amount } of takes) taken.giveBack(amount);
    shared.changed();
    return byOwn;
  }

  /** It is a class because every connection has one. */
  class TotalCaller implements ClientLimits {
    readonly #name: string;
    readonly #own: ClientLimits;

    constructor(name: string, own: ClientLimits) {
      this.#name = name;
      this.#own = own;
    }

    #total(): Total {
      return totals.of(this.#name);
    }

    get name(): string {
      return this.#own.name;
    }

    get backlog(): Backlog {
      return this.#own.backlog;
    }

    fresh(): Promise<void> | undefined {
      const [total, own] = [this.#total().shared.fresh(), this.#own.fresh()];
      return total === undefined || own === undefined ? (total ?? own) : Promise.all([total, own]).then(() => undefined);
    }

    take(wanted: number, sent = 0): Awaitable<Refused | undefined> {
      const total = this.#total();
      const takes = takesOf(total, wanted, sent);
      return andThen(total.shared.take(takes), (lack) =>
        lack === undefined
          ? andThen(this.#own.take(wanted, sent), (byOwn) => settled(total, takes, byOwn))
          : refusalOf(total, lack),
      );
    }

    takeHere(wanted: number): Refused | undefined {
      const total = this.#total();
      const takes = takesOf(total, wanted, 0);
      const lack = total.shared.takeHere(takes);
      return lack === undefined ? settled(total, takes, this.#own.takeHere(wanted)) : refusalOf(total, lack);
    }

    remaining(): number {
      return Math.min(this.#own.remaining(), this.#total().points.level());
    }

    charge(used: number): void {
      const { points, shared } = this.#total();
      points.charge(used);
      shared.changed();
      this.#own.charge(used);
    }

    spend(milliseconds: number): number {
      const points = this.#own.spend(milliseconds);
      const total = this.#total();
      total.points.charge(points);
      if (points > 0) total.shared.changed();
      return points;
    }

    openStream(): Refused | Full | Slot {
      const { places, shared } = this.#total();
      const inTotal = slot(places, names.streams, shared);
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

    weigh(topic: string, points: number): Full | undefined {
      return this.#own.weigh(topic, points);
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

  return { caller: (name, own) => new TotalCaller(name, own) };
}

/** The limits of public clients in total, besides those of each address. */
interface PublicClients {
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
