import type { LimitName, Limits } from '../../config/limits/limits.ts';
import { RequestError } from '../../reads/errors.ts';
import type { RequestRecord } from './requestRecord.ts';

/** What refuses a caller for now: the limit that is passed, and when it may be tried again. */
export interface Refused {
  readonly limit: LimitName;
  readonly max: number;
  /** Whole seconds, at least 1. */
  readonly retryAfter: number;
  /** What is left, of the same unit. */
  readonly remaining: number;
}

/** What refuses a caller until it ends something of its own: the limit that is reached. Waiting does not help. */
export interface Full {
  readonly limit: LimitName;
  readonly max: number;
}

/** The bytes that wait for one caller's slow readers, on all its connections. */
export interface Backlog {
  /**
   * A place for one stream or connection. Over the limits `shed` is called on the place with the largest queue, which it must
   * empty; where nothing is queued, `destroy` is called on the one with the most unsent bytes, whose connection it must close.
   */
  open(ends: { shed(): void; destroy(): void }): BacklogPlace;
}

/** What waits for one stream or connection. An item that several places of a caller hold is one allocation, and is counted once. */
export interface BacklogPlace {
  /** The item waits until its socket has room. */
  queue(item: object, bytes: number): void;
  /** The item leaves the queue. */
  unqueue(item: object, bytes: number): void;
  /** The socket holds the item until the function that it returns is called, which it may be several times. */
  send(item: object, bytes: number): () => void;
}

/** Whoever asks, as far as the limits per caller go. */
export interface Caller {
  /** The same for all streams of one caller. */
  readonly name: string;
  /** Takes points, and broadcasts that an operation holds; undefined when they were there. */
  take(points: number, broadcasts?: number): Refused | undefined;
  /** Charges points for what was done already. */
  charge(points: number): void;
  /** Charges for time that was computed already (`rate.computing`); the points that it was, whole ones. */
  spend(milliseconds: number): number;
  /** Points that are left now. */
  remaining(): number;
  /** One subscription more, until `end` is called, which it may be several times. */
  openStream(): Refused | Full | { end(): void };
  /**
   * Listens to a topic whose event costs `points`, until `end` is called, which it may be several times. A topic counts once for
   * each caller who listens to it, however often, and whether or not other callers share it.
   */
  listen(topic: string, points: number): Full | { end(): void };
  readonly backlog: Backlog;
  /** Waits for one of the few turns to count lists; resolves to the function that ends the turn. Rejects when `signal` ends first. */
  counting(signal: AbortSignal | undefined): Promise<() => void>;
}

/** RATE_LIMITED, with the limit and when to ask again. */
export function rateLimited({ limit, max, retryAfter }: Refused): RequestError {
  const message = `The limit ${limit} of ${max} is reached; ask again in ${retryAfter} s.`;
  return new RequestError('RATE_LIMITED', message, { limit, max, retryAfter });
}

/** RATE_LIMITED, with the limit; there is no time after which it is worth asking again. */
export function limitFull({ limit, max }: Full): RequestError {
  const message = `The limit ${limit} of ${max} is reached; end another subscription first.`;
  return new RequestError('RATE_LIMITED', message, { limit, max });
}

/** Headers of a refusal, as RFC 9110 and the drafts of RateLimit fields have them. */
export function rateHeaders({ max, remaining, retryAfter }: Refused): Record<string, string> {
  return {
    'retry-after': String(retryAfter),
    'ratelimit-limit': String(max),
    'ratelimit-remaining': String(Math.max(0, Math.floor(remaining))),
    'ratelimit-reset': String(retryAfter),
  };
}

/** What an operation has cost up to now, as `extensions.cost` shows it. */
export function shownCost({ cost = 0, computing }: RequestRecord, caller: Caller, limits: Limits): Record<string, number> {
  const remaining = Math.max(0, Math.floor(caller.remaining()));
  return { requested: cost, computing, max: limits['graphql.cost'], remaining };
}

/** The points of a request of this many bytes (`rate.bytes`): the first is that which every request costs. */
export function pointsOf(bytes: number, limits: Limits): number {
  const each = limits['rate.bytes'];
  return each === 0 ? 1 : Math.max(1, Math.ceil(bytes / each));
}

/** Does synchronous work for a request, and charges its caller for the time. */
export function timed<T>({ caller, record }: { readonly caller: Caller; readonly record: RequestRecord }, work: () => T): T {
  const begun = performance.now();
  try {
    return work();
  } finally {
    record.computing += caller.spend(performance.now() - begun);
  }
}
