import type { Caller, Full, Refused } from '../../answers/caller.ts';
import { type LazySignal, signalOf } from '../../chain/base/time.ts';
import type { LimitName, Limits } from '../../config/limits/limits.ts';
import { type Places, type SharedCounter, type SharedCounters, TokenBucket } from './counters.ts';

export interface TableEntry<T> {
  readonly value: T;
  /** Whether the table still returns this value for its name. If not, look it up again. */
  readonly isCurrent: boolean;
}

export type BoundedTable<T> = ReturnType<typeof createBoundedTable<T>>;

/** Number of values checked for an idle one, when a new name finds the table full. */
const maxChecks = 32;

/**
 * Creates a table of at most `max` values. A value is evicted only if `isIdle` returns that it equals a new one from `make`, so
 * that no caller gains from an eviction. If no checked value is idle, new names share one value.
 */
export function createBoundedTable<T>(options: {
  readonly max: number;
  readonly make: (name: string) => T;
  readonly isIdle: (value: T) => boolean;
}) {
  const { max, make, isIdle } = options;
  const places = new Map<string, number>();
  const entries: { readonly name: string; readonly value: T; isCurrent: boolean }[] = [];
  const shared = { value: make(''), isCurrent: false };
  let next = 0;

  /**
   * Frees the place of an idle value. Each search continues where the last one stopped, so that values in use do not block it.
   */
  function idlePlace(): number | undefined {
    for (let checks = 0; checks < Math.min(maxChecks, max); checks += 1) {
      const place = next;
      next = (next + 1) % max;
      const entry = entries[place];
      if (entry === undefined || !isIdle(entry.value)) continue;
      places.delete(entry.name);
      entry.isCurrent = false;
      return place;
    }
    return undefined;
  }

  /**
   * Returns the value of a name, with a mark that shows when the value is evicted. Creates it if absent. Returns the shared value,
   * which is never current, while the table is full of values that are in use.
   */
  function entry(name: string): TableEntry<T> {
    const existing = entries[places.get(name) ?? -1];
    if (existing !== undefined) return existing;
    const place = entries.length < max ? entries.length : idlePlace();
    if (place === undefined) return shared;
    const created = { name, value: make(name), isCurrent: true };
    entries[place] = created;
    places.set(name, place);
    return created;
  }

  return { of: (name: string): T => entry(name).value, entry };
}

/** A taken slot of a limit, which is free again once `end` was called. */
export interface Slot {
  end(): void;
}

/** A taken slot of a limit. It is a class because each request holds one, and each open stream up to three. */
class TakenSlot<L extends LimitName> implements Slot {
  /** undefined once it is free. */
  #places: Places<L> | undefined;
  readonly #limit: L;
  readonly #shared: SharedCounter | undefined;

  constructor(places: Places<L>, limit: L, shared: SharedCounter | undefined) {
    this.#places = places;
    this.#limit = limit;
    this.#shared = shared;
  }

  end(): void {
    const places = this.#places;
    if (places === undefined) return;
    this.#places = undefined;
    places.used[this.#limit] -= 1;
    this.#shared?.changed();
  }
}

/** Two slots, which are released together. */
export class BothSlots implements Slot {
  readonly #one: Slot;
  readonly #other: Slot;

  constructor(one: Slot, other: Slot) {
    this.#one = one;
    this.#other = other;
  }

  end(): void {
    this.#one.end();
    this.#other.end();
  }
}

/** What is left of limits on rates. `reset` is the time until all of it is available again, in seconds. */
export type Quotas = readonly (Pick<Refused, 'limit' | 'max' | 'remaining'> & { readonly reset: number })[];

/** The limits of one caller: those of its operations, and those of its requests and connections. */
export interface ClientLimits extends Caller {
  /** Takes a slot of `rate.concurrent`, until `end` is called. Further calls of `end` do nothing. */
  enter(): Refused | { end(): void };
  /** Takes a slot of `socket.connections`, until `end` is called. */
  connect(): Refused | { end(): void };
  /**
   * Resolves when this process knows what the caller has used at other processes, within `shared.wait`. Undefined if it does, or if nothing
   * is shared.
   */
  fresh(): Promise<void> | undefined;
  /** Counts a request that a limit refused. */
  refused(): void;
  /**
   * Waits until its next request may begin. A request without a token waits for a slot of `anonymous.concurrent`, and longer the more points its
   * address has used. Any request waits, 10 s at most, if limits refused too many before. Resolves to the slot, which the request holds until
   * `end` is called; undefined for a caller with a token. Rejects if the client disconnects first.
   */
  begin(client: LazySignal): Promise<Slot | undefined>;
  /** How long its next request waits, in ms, because limits refused too many before. At most 10 s. */
  pause(): number;
  /** What is left of the limits on its points, as `RateLimit` fields show it. */
  quota(): Quotas;
  /** The name that its turns are taken under. */
  readonly name: string;
  /**
   * Waits for a slot of `rate.bodies` to read a large body. Resolves to the function that releases the slot, which may be
   * called several times.
   */
  readingBody(): Promise<() => void>;
}

/** The limits whose slots requests wait for. */
export type WaitingLimit = 'rate.counts' | 'rate.bodies' | 'anonymous.concurrent';

/** A caller whose requests wait for slots. */
export interface WaitingCaller {
  readonly places: Places<WaitingLimit>;
  /** The requests that wait for a slot, by limit. Absent until the first one waits. */
  readonly waiting: Partial<Record<WaitingLimit, Set<() => boolean>>>;
}

/** The refusal of a caller. `wait` is in ms. */
export function refusal(limits: Limits, limit: LimitName, remaining: number, wait = 1_000): Refused {
  return { limit, max: limits[limit], retryAfter: Math.max(1, Math.ceil(wait / 1_000)), remaining };
}

/** The slots of limits on how much runs at the same time. They keep no state: the places of a caller count what is taken. */
export function createSlots(limits: Limits) {
  /** Takes a slot of a limit, of which 0 allows any number. `shared` notes the change for other processes. `max` is lower than the limit while fewer are allowed. */
  function slot<L extends LimitName>(places: Places<L>, limit: L, shared?: SharedCounter, max = limits[limit]): Refused | Slot {
    const takenSlots = places.used[limit] + (places.elsewhere[limit] ?? 0);
    if (limits[limit] !== 0 && takenSlots >= max) return refusal(limits, limit, 0);
    places.used[limit] += 1;
    shared?.changed();
    return new TakenSlot(places, limit, shared);
  }

  function trySlot(caller: WaitingCaller, limit: WaitingLimit, most?: () => number): (() => void) | undefined {
    const takenSlot = slot(caller.places, limit, undefined, most?.());
    if (!('end' in takenSlot)) return undefined;
    return () => {
      takenSlot.end();
      for (const next of caller.waiting[limit] ?? []) if (!next()) return;
    };
  }

  /**
   * Waits for a slot of a limit. Resolves to the function that releases it. Rejects when `client` aborts the wait. `most` returns how many slots
   * the caller may have, if they are fewer than the limit.
   */
  function waitForSlot(
    caller: WaitingCaller,
    limit: WaitingLimit,
    client?: AbortSignal | LazySignal,
    most?: () => number,
  ): Promise<() => void> {
    const waiting = caller.waiting[limit] ?? new Set();
    caller.waiting[limit] = waiting;
    const release = trySlot(caller, limit, most);
    if (release !== undefined) return Promise.resolve(release);
    const signal = signalOf(client);
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        waiting.delete(retry);
        reject(signal?.reason);
      };
      const retry = (): boolean => {
        const free = trySlot(caller, limit, most);
        if (free === undefined) return false;
        waiting.delete(retry);
        signal?.removeEventListener('abort', stop);
        resolve(free);
        return true;
      };
      if (signal?.aborted === true) return stop();
      signal?.addEventListener('abort', stop, { once: true });
      waiting.add(retry);
    });
  }

  return { slot, waitForSlot };
}

/** A listener of a topic. */
class TopicSlot implements Slot {
  readonly #name: string;
  /** undefined once it is free. */
  #leave: ((name: string) => void) | undefined;

  constructor(name: string, leave: (name: string) => void) {
    this.#name = name;
    this.#leave = leave;
  }

  end(): void {
    this.#leave?.(this.#name);
    this.#leave = undefined;
  }
}

/** Counts the topics that one caller listens to, up to `subscriptions.distinct` topics and `subscriptions.points` points. */
export type TopicSlots = Pick<Caller, 'listen' | 'weigh'>;

/** Topics without subscriptions are not stored. */
export function createTopicSlots(limits: Limits): TopicSlots {
  const topics = new Map<string, { listeners: number; points: number }>();
  let sum = 0;

  const tooHeavy = (points: number): Full | undefined => {
    const max = limits['subscriptions.points'];
    return max > 0 && points > max ? { limit: 'subscriptions.points', max } : undefined;
  };

  function leave(name: string): void {
    const topic = topics.get(name);
    if (topic === undefined) return;
    topic.listeners -= 1;
    if (topic.listeners > 0) return;
    topics.delete(name);
    sum -= topic.points;
  }

  return {
    listen(name, points) {
      const topic = topics.get(name) ?? { listeners: 0, points };
      if (topic.listeners === 0) {
        const distinct = limits['subscriptions.distinct'];
        if (distinct > 0 && topics.size >= distinct) return { limit: 'subscriptions.distinct', max: distinct };
        const full = tooHeavy(sum + points);
        if (full !== undefined) return full;
        sum += points;
        topics.set(name, topic);
      }
      topic.listeners += 1;
      return new TopicSlot(name, leave);
    },
    weigh(name, points) {
      const topic = topics.get(name);
      if (topic === undefined) return undefined;
      sum += points - topic.points;
      topic.points = points;
      return tooHeavy(sum);
    },
  };
}

/**
 * Creates the counts of events of one kind by name, of which a limit allows a number in each minute. `prefix` distinguishes them
 * from those of other limits in the shared store.
 */
export function createEventCounts(
  limit: 'rate.failedAuthentications' | 'publicClient.tokens' | 'publicClient.totalTokens',
  prefix: string,
  options: {
    readonly limits: Limits;
    readonly now: () => number;
    readonly sharing: SharedCounters;
    /** Whether each process asks for what the others have counted. */
    readonly isExact?: boolean;
  },
) {
  const { limits, now, sharing, isExact = false } = options;
  const table = createBoundedTable({
    max: limits['rate.callers'],
    make(name) {
      const bucket = new TokenBucket(limits[limit], limits[limit], now);
      const places = { used: {}, elsewhere: {} };
      const shared = sharing.of({ name: `${prefix} ${name}`, buckets: [bucket], places, max: {}, isExact });
      return {
        bucket,
        /** Counts one. Returns a refusal if there were too many. */
        take(): Refused | undefined {
          const wait = bucket.take(1);
          shared?.changed();
          return wait > 0 ? refusal(limits, limit, bucket.level(), wait) : undefined;
        },
        giveBack(): void {
          bucket.giveBack(1);
          shared?.changed();
        },
        /** Resolves when this process knows what the others have counted. Undefined if it does. */
        fresh: (): Promise<void> | undefined => shared?.fresh(),
      };
    },
    isIdle: ({ bucket }) => bucket.isFull(),
  });
  return table.of;
}
