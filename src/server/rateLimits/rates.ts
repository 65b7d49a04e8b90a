import { createHash } from 'node:crypto';
import type { Backlog, Full, Refused } from '../../answers/caller.ts';
import { type LazySignal, onAbort, pause, signalOf } from '../../chain/base/time.ts';
import type { LimitName, Limits } from '../../config/limits/limits.ts';
import { type Awaitable, andThen } from '../../reads/pin.ts';
import type { Session, Viewer } from '../../reads/viewer.ts';
import { createBacklogs } from './backlogs.ts';
import {
  BothSlots,
  type BoundedTable,
  type ClientLimits,
  createBoundedTable,
  createEventCounts,
  createSlots,
  createTopicSlots,
  type Quotas,
  refusal,
  type Slot,
  type TableEntry,
  type TopicSlots,
  type WaitingCaller,
  type WaitingLimit,
} from './clientLimits.ts';
import {
  type Lack,
  noSharedCounters,
  type Places,
  type SharedCounter,
  type SharedCounters,
  TokenBucket,
  takeAll,
} from './counters.ts';
import { createTurns, type Turns } from './turns.ts';

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
    if (wait > 0.001) return refusal(limits, limit, 0, wait);
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

/** The limits of all callers. */
export type Rates = ReturnType<typeof createRates>;

/** Longest name of a caller that is stored, in characters. Of a longer subject, the digest is stored. */
const maxName = 64;

const storedName = (name: string): string =>
  name.length <= maxName ? name : `sha256 ${createHash('sha256').update(name).digest('base64')}`;

/** The limits of several callers in total: of a client for all subjects of its tokens, of a public client for all addresses, or of all addresses without a token. */
const totalLimits = {
  client: { points: 'client.points', broadcasts: 'client.broadcasts', streams: 'client.streams' },
  total: { points: 'publicClient.totalPoints', broadcasts: undefined, streams: 'publicClient.totalStreams' },
  anonymous: { points: 'anonymous.totalPoints', broadcasts: undefined, streams: 'anonymous.totalStreams' },
} as const;

type TotalLimits = (typeof totalLimits)[keyof typeof totalLimits];

/** The points and broadcasts of a caller, or of several in total. */
interface Quota {
  /** The limits that a refusal names. */
  readonly limit: { readonly points: LimitName; readonly broadcasts: LimitName | undefined };
  readonly points: TokenBucket;
  readonly broadcasts: TokenBucket;
  /** What other processes know of it. undefined if nothing is shared. */
  readonly shared: SharedCounter | undefined;
}

interface Total extends Quota {
  readonly limit: TotalLimits;
  readonly places: Places<TotalLimits['streams']>;
}

interface CallerState extends Quota, WaitingCaller {
  readonly places: Places<'rate.concurrent' | 'socket.connections' | 'subscriptions.caller' | WaitingLimit>;
  /** The caller of this name, if it was asked for by its name alone. */
  caller: ClientLimits | undefined;
  /** Fraction of a point of computing time that is not charged yet. */
  computing: number;
  /** The refusals that it still gets at once. undefined until it is refused. */
  refusals: TokenBucket | undefined;
  /** The topics and the unsent events of its subscriptions. undefined until it has a subscription. */
  topics: TopicSlots | undefined;
  backlog: Backlog | undefined;
}

/** Executions of at most this many points take less than a tenth of a millisecond from memory. They need no turn of their own. */
const shortPoints = 20;

/**
 * Refusals that a caller gets at once, and in each minute. Over it, its requests wait, in ms at most `longest`: a refusal takes time as well, and a flood sends its next request when it
 * has the last response.
 */
const refusalsOf = { burst: 600, perMinute: 600, longest: 10_000 } as const;

/**
 * How the requests of an address without a token are slowed down. Fewer run at the same time, the more of its points are used: once `share` of them
 * is, the part `least` of `anonymous.concurrent`. From there on, each waits, in ms `pause` for all points: a flood of short queries is slowed to what
 * the address gains, before it has spent what it has.
 */
const slowing = { share: 1 / 12, least: 1 / 5, pause: 200 } as const;

/** How much later, in ms, an execution begins than shorter ones that came at the same time: for each point, and at most. */
const delayOf = { point: 1, most: 2_000 } as const;

/**
 * Creates the limits of all callers. `now` is a monotonic clock in ms. `turns` shares the event loop among their executions. `sharing` makes
 * the limits hold over several processes.
 */
export function createRates(
  limits: Limits,
  now: () => number = () => performance.now(),
  turns: Turns = createTurns(),
  sharing: SharedCounters = noSharedCounters,
) {
  const all: Places<'subscriptions.process'> = { used: { 'subscriptions.process': 0 }, elsewhere: {} };
  const createBacklog = createBacklogs(limits);
  const { slot, waitForSlot } = createSlots(limits);
  const failuresOf = createEventCounts('rate.failedAuthentications', 'failures', { limits, now, sharing, isExact: true });
  const tokensOf = createEventCounts('publicClient.tokens', 'tokens', { limits, now, sharing });
  const totalTokensOf = createEventCounts('publicClient.totalTokens', 'total tokens', { limits, now, sharing });

  const isIdle = ({ points, broadcasts, places: { used } }: Quota & { readonly places: Places<never> }): boolean =>
    Object.values(used).every((count) => count === 0) && points.isFull() && broadcasts.isFull();
  const max = limits['rate.callers'];

  function createCallers(
    pointsLimit: 'rate.points' | 'publicClient.points' | 'anonymous.points',
    burst: number = limits['rate.burst'],
  ): BoundedTable<CallerState> {
    const limit = { points: pointsLimit, broadcasts: 'rate.broadcasts' } as const;
    const maxPlaces = {
      'rate.concurrent': limits['rate.concurrent'],
      'socket.connections': limits['socket.connections'],
      'subscriptions.caller': limits['subscriptions.caller'],
    };
    return createBoundedTable<CallerState>({
      max,
      make(name) {
        const points = new TokenBucket(burst, limits[pointsLimit], now);
        const broadcasts = new TokenBucket(limits['rate.broadcasts'], limits['rate.broadcasts'], now);
        const places: CallerState['places'] = {
          used: {
            'rate.concurrent': 0,
            'socket.connections': 0,
            'subscriptions.caller': 0,
            'rate.counts': 0,
            'rate.bodies': 0,
            'anonymous.concurrent': 0,
          },
          elsewhere: {},
        };
        const shared = sharing.of({ name, buckets: [points, broadcasts], places, max: maxPlaces });
        const [caller, refusals, topics, backlog] = [undefined, undefined, undefined, undefined];
        return { limit, points, broadcasts, places, shared, waiting: {}, caller, computing: 0, refusals, topics, backlog };
      },
      isIdle: (state) => isIdle(state) && state.refusals?.isFull() !== false,
    });
  }
  const callers = createCallers('rate.points');
  // They have a table of their own, because anybody can be one of them.
  const publicCallers = createCallers('publicClient.points');
  const anonymousCallers = createCallers('anonymous.points', limits['anonymous.points']);

  function createTotals(kind: keyof typeof totalLimits): BoundedTable<Total> {
    const limit = totalLimits[kind];
    const bucket = (perMinute: number): TokenBucket => new TokenBucket(perMinute, perMinute, now);
    return createBoundedTable<Total>({
      max,
      make(name) {
        const points = bucket(limits[limit.points]);
        const broadcasts = bucket(limit.broadcasts === undefined ? 0 : limits[limit.broadcasts]);
        const usedSlots = { 'publicClient.totalStreams': 0, 'client.streams': 0, 'anonymous.totalStreams': 0 };
        const places: Total['places'] = { used: usedSlots, elsewhere: {} };
        const maxPlaces = { [limit.streams]: limits[limit.streams] };
        const shared = sharing.of({ name: `${kind} ${name}`, buckets: [points, broadcasts], places, max: maxPlaces });
        return { limit, points, broadcasts, places, shared };
      },
      isIdle,
    });
  }
  const clientTotals = createTotals('client');
  const publicTotals = createTotals('total');
  const anonymousTotals = createTotals('anonymous');

  function refusalOf({ limit, broadcasts }: Quota, { bucket, milliseconds }: Lack): Refused {
    const name = bucket === broadcasts ? (limit.broadcasts ?? limit.points) : limit.points;
    return refusal(limits, name, bucket.level(), milliseconds);
  }

  function takeFrom(quota: Quota, points: number, broadcasts: number): Awaitable<Refused | undefined> {
    const ofPoints = { bucket: quota.points, amount: points };
    const takes = broadcasts === 0 ? [ofPoints] : [{ bucket: quota.broadcasts, amount: broadcasts, isExact: true }, ofPoints];
    const taking = quota.shared === undefined ? takeAll(takes) : quota.shared.take(takes);
    return taking && andThen(taking, (lack) => lack && refusalOf(quota, lack));
  }

  /** Takes points in this process, without waiting for others. */
  function takeHereFrom(quota: Quota, points: number): Refused | undefined {
    const takes = [{ bucket: quota.points, amount: points }];
    const lack = quota.shared === undefined ? takeAll(takes) : quota.shared.takeHere(takes);
    return lack && refusalOf(quota, lack);
  }

  /** Gives back what was taken from a total if the caller's own limits refuse. */
  function settled(total: Total, points: number, broadcasts: number, byOwn: Refused | undefined): Refused | undefined {
    if (byOwn === undefined) return undefined;
    total.points.giveBack(points);
    total.broadcasts.giveBack(broadcasts);
    total.shared?.changed();
    return byOwn;
  }

  /** It is a class because every connection has one: a function for each method would take more than a kilobyte. */
  class NamedCaller implements ClientLimits {
    readonly name: string;
    readonly #table: BoundedTable<CallerState>;
    readonly #totals: BoundedTable<Total> | undefined;
    readonly #totalName: string;
    #entry: TableEntry<CallerState>;

    /** What the caller uses counts towards the total `totalName` as well, if `totals` are given. */
    constructor(name: string, table: BoundedTable<CallerState>, totals?: BoundedTable<Total>, totalName = '') {
      this.name = name;
      this.#table = table;
      this.#totals = totals;
      this.#totalName = totalName;
      this.#entry = table.entry(name);
    }

    /** An idle caller may have been evicted and created again. */
    #state(): CallerState {
      if (!this.#entry.isCurrent) this.#entry = this.#table.entry(this.name);
      return this.#entry.value;
    }

    fresh(): Promise<void> | undefined {
      const ofCaller = this.#state().shared?.fresh();
      const inTotal = this.#totals?.of(this.#totalName).shared?.fresh();
      return inTotal === undefined || ofCaller === undefined
        ? (inTotal ?? ofCaller)
        : Promise.all([inTotal, ofCaller]).then(() => undefined);
    }

    take(wantedPoints: number, sentBroadcasts = 0): Awaitable<Refused | undefined> {
      const total = this.#totals?.of(this.#totalName);
      if (total === undefined) return takeFrom(this.#state(), wantedPoints, sentBroadcasts);
      return andThen(takeFrom(total, wantedPoints, sentBroadcasts), (inTotal) =>
        inTotal === undefined
          ? andThen(takeFrom(this.#state(), wantedPoints, sentBroadcasts), (byOwn) =>
              settled(total, wantedPoints, sentBroadcasts, byOwn),
            )
          : inTotal,
      );
    }

    takeHere(wantedPoints: number): Refused | undefined {
      const total = this.#totals?.of(this.#totalName);
      const inTotal = total && takeHereFrom(total, wantedPoints);
      if (inTotal !== undefined) return inTotal;
      const byOwn = takeHereFrom(this.#state(), wantedPoints);
      return total === undefined ? byOwn : settled(total, wantedPoints, 0, byOwn);
    }

    remaining(): number {
      const level = this.#state().points.level();
      return this.#totals === undefined ? level : Math.min(level, this.#totals.of(this.#totalName).points.level());
    }

    quota(): Quotas {
      const state = this.#state();
      const total = this.#totals?.of(this.#totalName);
      return [state, ...(total === undefined ? [] : [total])].flatMap(({ limit, points }) =>
        points.isLimited()
          ? [
              {
                limit: limit.points,
                max: limits[limit.points],
                remaining: points.level(),
                reset: points.wait(points.size) / 1_000,
              },
            ]
          : [],
      );
    }

    refused(): void {
      const state = this.#state();
      state.refusals ??= new TokenBucket(refusalsOf.burst, refusalsOf.perMinute, now);
      state.refusals.charge(1);
    }

    pause(): number {
      return Math.min(refusalsOf.longest, this.#state().refusals?.wait(1) ?? 0);
    }

    async begin(client: LazySignal): Promise<Slot | undefined> {
      const state = this.#state();
      if (state.limit.points !== 'anonymous.points') {
        await pause(this.pause(), client.signal);
        return undefined;
      }
      const { points } = state;
      // A limit of 0 points is none.
      const usedShare = (): number => (points.size === 0 ? 0 : 1 - points.level() / points.size);
      const most = (): number =>
        Math.ceil(limits['anonymous.concurrent'] * Math.max(slowing.least, 1 - usedShare() / slowing.share));
      const end = await waitForSlot(state, 'anonymous.concurrent', client, most);
      const share = usedShare();
      const milliseconds = Math.max(this.pause(), share > slowing.share ? share * slowing.pause : 0);
      try {
        if (milliseconds > 0) await pause(milliseconds, client.signal);
      } catch (error) {
        end();
        throw error;
      }
      return { end };
    }

    enter(): Refused | Slot {
      const { places, shared } = this.#state();
      return slot(places, 'rate.concurrent', shared);
    }

    connect(): Refused | Slot {
      const { places, shared } = this.#state();
      return slot(places, 'socket.connections', shared);
    }

    openStream(): Refused | Full | Slot {
      const total = this.#totals?.of(this.#totalName);
      const inTotal = total === undefined ? undefined : slot(total.places, total.limit.streams, total.shared);
      if (inTotal !== undefined && !('end' in inTotal)) return inTotal;
      const stream = this.#openOwnStream();
      if (!('end' in stream)) {
        inTotal?.end();
        return stream;
      }
      return inTotal === undefined ? stream : new BothSlots(stream, inTotal);
    }

    #openOwnStream(): Refused | Full | Slot {
      const { places, shared } = this.#state();
      const limit = 'subscriptions.caller';
      const ofCaller = slot(places, limit, shared);
      // Only the end of one of the caller's own subscriptions frees a slot.
      if (!('end' in ofCaller)) return { limit, max: limits[limit] };
      const inProcess = slot(all, 'subscriptions.process');
      if (!('end' in inProcess)) {
        ofCaller.end();
        return inProcess;
      }
      return new BothSlots(inProcess, ofCaller);
    }

    listen(topic: string, points: number): Full | Slot {
      const state = this.#state();
      state.topics ??= createTopicSlots(limits);
      return state.topics.listen(topic, points);
    }

    weigh(topic: string, points: number): Full | undefined {
      return this.#state().topics?.weigh(topic, points);
    }

    get backlog(): Backlog {
      const state = this.#state();
      state.backlog ??= createBacklog();
      return state.backlog;
    }

    turn(points: number, caller: AbortSignal | LazySignal): Promise<void> | undefined {
      if (points <= shortPoints) return undefined;
      const turn = turns.take(this.name, Math.min(points * delayOf.point, delayOf.most));
      if (turn === undefined) return undefined;
      const signal = signalOf(caller);
      return new Promise((resolve, reject) => {
        const stop = onAbort(signal, () => {
          turn.cancel();
          reject(signal.reason);
        });
        void turn.begun.then(() => {
          stop();
          resolve();
        });
      });
    }

    counting(signal: AbortSignal | undefined): Promise<() => void> {
      return waitForSlot(this.#state(), 'rate.counts', signal);
    }

    readingBody(): Promise<() => void> {
      return waitForSlot(this.#state(), 'rate.bodies');
    }

    charge(usedPoints: number): void {
      for (const quota of [this.#totals?.of(this.#totalName), this.#state()]) {
        quota?.points.charge(usedPoints);
        quota?.shared?.changed();
      }
    }

    spend(milliseconds: number): number {
      const state = this.#state();
      state.computing += milliseconds * limits['rate.computing'];
      const whole = Math.floor(state.computing);
      state.computing -= whole;
      if (whole > 0) this.charge(whole);
      return whole;
    }
  }

  const hasClientLimits = Object.values(totalLimits.client).some((name) => limits[name] > 0);
  /** The callers of the tokens in use, which are verified once. */
  const callersOfViewers = new WeakMap<Viewer, ClientLimits>();

  return {
    /** Returns the limits of the caller with this name: the subject of a token, or an address. */
    of(name: string): ClientLimits {
      const entryName = storedName(name);
      const { value, isCurrent } = callers.entry(entryName);
      // While the table is full, several callers share one state.
      if (!isCurrent) return new NamedCaller(entryName, callers);
      value.caller ??= new NamedCaller(entryName, callers);
      return value.caller;
    },
    /** Returns the limits of the subject of a token. What it uses counts towards the limits of its client, too. */
    ofSubject(viewer: Viewer): ClientLimits {
      let caller = callersOfViewers.get(viewer);
      if (caller === undefined) {
        const totals = hasClientLimits ? clientTotals : undefined;
        caller = new NamedCaller(storedName(`subject ${viewer.subject}`), callers, totals, storedName(viewer.clientId));
        callersOfViewers.set(viewer, caller);
      }
      return caller;
    },
    /** Returns the limits of a public client from an address. What it uses counts in total, too. */
    ofPublicClient: (clientId: string, address: string): ClientLimits =>
      new NamedCaller(storedName(`public ${clientId} ${address}`), publicCallers, publicTotals, storedName(clientId)),
    /** Returns the limits of an address whose requests have no token. What it uses counts in total, too. */
    ofAnonymous: (address: string): ClientLimits =>
      new NamedCaller(`anonymous ${address}`, anonymousCallers, anonymousTotals, 'anonymous'),
    /** Counts a token for a public client at an address. Returns a refusal if the client got too many. */
    takePublicToken(clientId: string, address: string): Refused | undefined {
      const tokens = tokensOf(`${storedName(clientId)} ${address}`);
      const tokenRefusal = tokens.take();
      if (tokenRefusal !== undefined) return tokenRefusal;
      const refusedInTotal = totalTokensOf(storedName(clientId)).take();
      if (refusedInTotal !== undefined) tokens.giveBack();
      return refusedInTotal;
    },
    /**
     * Resolves when this process knows the failed authentications of an address at the others, within `shared.wait`. Undefined if
     * it does, or if nothing is shared.
     */
    freshFailures: (address: string): Promise<void> | undefined => failuresOf(address).fresh(),
    /** Counts a failed authentication from an address. Returns a refusal if the address is over `rate.failedAuthentications`. */
    failedAuthentication: (address: string): Refused | undefined => failuresOf(address).take(),
    /**
     * Counts a secret from an address before it is checked, towards the address and towards the client. `clientId` is undefined
     * if there is no such client.
     */
    attemptSecret(address: string, clientId: string | undefined): SecretAttempt {
      const ofAddress = failuresOf(address);
      const byAddress = ofAddress.take();
      if (byAddress !== undefined) return { refused: { ...byAddress, by: 'address' }, succeed: () => undefined };
      const ofClient = failuresOf(storedName(clientId === undefined ? 'no client' : `client ${clientId}`));
      const byClient = ofClient.take();
      return {
        refused: byClient && { ...byClient, by: 'client' },
        succeed() {
          ofAddress.giveBack();
          if (byClient === undefined) ofClient.giveBack();
        },
      };
    },
  };
}

/**
 * Returns the limits that a request from an address counts towards: those of the subject of its token, or of the address if the
 * subject is empty. Anyone can get a token of a public client. Its limits therefore apply per address, and in total, as those without a token do.
 */
export function callerOf(rates: Rates, address: string, { viewer }: Session): ClientLimits {
  if (viewer.isAnonymous === true) return rates.ofAnonymous(address);
  if (viewer.isPublic === true) return rates.ofPublicClient(viewer.clientId, address);
  return viewer.subject === '' ? rates.of(address) : rates.ofSubject(viewer);
}
