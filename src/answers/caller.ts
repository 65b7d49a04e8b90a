import type { ExecutionResult, GraphQLError } from 'graphql';
import type { LazySignal } from '../chain/base/time.ts';
import type { Span } from '../chain/tracing/tracer.ts';
import { type LimitName, type Limits, limitEntry } from '../config/limits/limits.ts';
import { RequestError } from '../reads/errors.ts';
import type { Awaitable } from '../reads/pin.ts';

/** What logs and metrics report about a request. Parts of the server fill it in; it is read when the request is over. */
export interface RequestRecord {
  /** The request id. */
  readonly id: string;
  /** The span of the request. undefined if it is not recorded. */
  readonly span: Span | undefined;
  /** The name of the operation; undefined if it has none. */
  operation: string | undefined;
  /** The code of the first error; undefined if there was none. */
  code: string | undefined;
  /** The kind of stream that answers the request; undefined for a single response. */
  stream: 'graphql-sse' | 'graphql-multipart' | undefined;
  /** Points charged for its bytes and its operation; undefined if nothing was charged. */
  cost: number | undefined;
  /** The part of these points that was charged for bytes, beyond the first point. */
  bytes: number;
  /** Points charged for computing time. */
  computing: number;
}

/** The longest operation name that is logged. */
const nameMax = 128;

export function createRequestRecord(id: string, span?: Span): RequestRecord {
  return { id, span, operation: undefined, code: undefined, stream: undefined, cost: undefined, bytes: 0, computing: 0 };
}

/** Records the name of the operation, cut at 128 characters. Text that is not a GraphQL name is not recorded. */
export function noteOperation(record: RequestRecord, name: string | null | undefined): void {
  const cut = name?.slice(0, nameMax);
  if (cut !== undefined && /^[_A-Za-z][_0-9A-Za-z]*$/.test(cut)) record.operation = cut;
}

/** Records the code of the first error, of a result or of an ended stream. */
export function noteErrors(record: RequestRecord, errors: ExecutionResult['errors'] | readonly GraphQLError[]): void {
  const [first] = errors ?? [];
  if (first === undefined) return;
  const { code } = first.extensions;
  record.code ??= typeof code === 'string' ? code : 'INTERNAL_SERVER_ERROR';
}

/** Why a caller is rejected for now: the limit, and when to retry. */
export interface Refused {
  readonly limit: LimitName;
  readonly max: number;
  /** Whole seconds, at least 1. */
  readonly retryAfter: number;
  /** The remaining amount, in the same unit. */
  readonly remaining: number;
}

/** Why a caller is rejected until it ends one of its own streams or requests: the limit. Waiting does not help. */
export interface Full {
  readonly limit: LimitName;
  readonly max: number;
}

/** The bytes that wait for one caller because it reads slowly, on all its connections. */
export interface Backlog {
  /**
   * Creates the account of one stream or connection. Over the limits, `shed` of the account with the largest queue is called and must empty the
   * queue. If nothing is queued, `destroy` of the account with the most unsent bytes is called and must close the connection.
   */
  open(ends: { shed(): void; destroy(): void }): BacklogPlace;
}

/** The bytes that wait for one stream or connection. An item in several accounts of a caller is one allocation and counts once. */
export interface BacklogPlace {
  /** Adds an item to the queue. */
  queue(item: object, bytes: number): void;
  /** Removes an item from the queue. */
  unqueue(item: object, bytes: number): void;
  /** Counts an item as unsent until the returned function is called. It may be called several times. */
  send(item: object, bytes: number): () => void;
}

/** A caller and its limits. */
export interface Caller {
  /** An id that all streams of one caller share. */
  readonly name: string;
  /**
   * Takes points and broadcasts of an operation. Returns undefined on success, else why the caller is rejected. It is a promise while other processes
   * are asked, for `shared.wait` at most.
   */
  take(points: number, broadcasts?: number): Awaitable<Refused | undefined>;
  /** Takes points like {@link take}, by what this process knows. For the events of streams. */
  takeHere(points: number): Refused | undefined;
  /** Charges points for finished work. */
  charge(points: number): void;
  /** Charges for computing time (`rate.computing`). Returns the charged points, a whole number. */
  spend(milliseconds: number): number;
  /** The remaining points. */
  remaining(): number;
  /** Counts a subscription until `end` is called. `end` may be called several times. */
  openStream(): Refused | Full | { end(): void };
  /**
   * Counts a topic whose event costs `points` until `end` is called. `end` may be called several times. A topic counts once for each caller,
   * however often the caller subscribes to it and whether or not other callers share it.
   */
  listen(topic: string, points: number): Full | { end(): void };
  /** Sets the points of a topic that the caller listens to. Returns the limit if its topics have too many points with it. */
  weigh(topic: string, points: number): Full | undefined;
  readonly backlog: Backlog;
  /**
   * Waits until the event loop has time for an execution of this many points. undefined if it has time now. Short executions pass long ones.
   * Rejects with the reason of `signal` if it is aborted first.
   */
  turn(points: number, signal: AbortSignal | LazySignal): Promise<void> | undefined;
  /** Waits for a turn to count lists (`rate.counts`). Resolves to the function that ends the turn. Rejects if `signal` is aborted first. */
  counting(signal: AbortSignal | undefined): Promise<() => void>;
}

/** Code, message and facts of RATE_LIMITED, with the limit and the seconds until a retry. No error is made, because its stack is the largest cost. */
export function rateRefusal({ limit, max, retryAfter }: Refused): Pick<RequestError, 'code' | 'message' | 'facts'> {
  const message = `The limit ${limit} of ${max} is reached. Retry in ${retryAfter} s.`;
  return { code: 'RATE_LIMITED', message, facts: { limit, max, retryAfter } };
}

/** RATE_LIMITED with the limit and the seconds until a retry. */
export function rateLimited(refusal: Refused): RequestError {
  const { code, message, facts } = rateRefusal(refusal);
  return new RequestError(code, message, facts);
}

/** RATE_LIMITED with the limit, without a time to retry. */
export function limitFull({ limit, max }: Full): RequestError {
  const message = `The limit ${limit} of ${max} is reached. End another subscription first.`;
  return new RequestError('RATE_LIMITED', message, { limit, max });
}

/**
 * The fields `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11) of limits. `reset` is in seconds. The draft has no unit for points, so
 * a parameter of our own names it. Most requests cost one.
 */
export function quotaHeaders(
  quotas: readonly (Pick<Refused, 'limit' | 'max' | 'remaining'> & { readonly reset: number })[],
): Record<'ratelimit-policy' | 'ratelimit', string> {
  const policies = quotas.map(({ limit, max }) => {
    const isRate = limitEntry(limit).unit === 'PER_MINUTE';
    return `"${limit}";q=${max}${isRate ? ';w=60' : ''}${/points$/i.test(limit) ? ';stele-unit=points' : ''}`;
  });
  const left = quotas.map(
    ({ limit, remaining, reset }) => `"${limit}";r=${Math.max(0, Math.floor(remaining))};t=${Math.ceil(reset)}`,
  );
  return { 'ratelimit-policy': policies.join(', '), ratelimit: left.join(', ') };
}

/** The headers of a rejection: `Retry-After` (RFC 9110) and the RateLimit fields of the IETF draft, also as its version 6 had them. */
export function rateHeaders(refusal: Refused): Record<string, string> {
  const { max, remaining, retryAfter } = refusal;
  return {
    ...quotaHeaders([{ ...refusal, reset: retryAfter }]),
    'retry-after': String(retryAfter),
    'ratelimit-limit': String(max),
    'ratelimit-remaining': String(Math.max(0, Math.floor(remaining))),
    'ratelimit-reset': String(retryAfter),
  };
}

/** The cost of an operation so far, as `extensions.cost` shows it. */
export function shownCost({ cost = 0, computing }: RequestRecord, caller: Caller, limits: Limits): Record<string, number> {
  const remaining = Math.max(0, Math.floor(caller.remaining()));
  return { requested: cost, computing, max: limits['graphql.cost'], remaining };
}

/** The points of a request of this many bytes (`rate.bytes`), including the one point that every request costs. */
export function pointsOf(bytes: number, limits: Limits): number {
  const each = limits['rate.bytes'];
  return each === 0 ? 1 : Math.max(1, Math.ceil(bytes / each));
}

/** Runs synchronous work with these arguments, and charges the caller for the time. */
export function timed<A extends readonly unknown[], T>(
  { caller, record }: { readonly caller: Caller; readonly record: RequestRecord },
  work: (...args: A) => T,
  ...args: A
): T {
  const startedAt = performance.now();
  try {
    return work(...args);
  } finally {
    record.computing += caller.spend(performance.now() - startedAt);
  }
}

/** A subscriber, and the caller that pays for it. */
export interface Listening {
  readonly caller: Caller;
}

/**
 * Charges points to the callers of the subscribers, evenly: a caller with k of n subscribers pays k/n. If a caller has too few points left, it pays
 * nothing and `refuse` is called for each of its subscribers. The others do not pay more.
 */
export function charge<L extends Listening>(
  listening: readonly L[],
  points: number,
  refuse: (listener: L, refusal: Refused) => void,
): void {
  const callers = new Map<string, { readonly caller: Caller; readonly own: L[] }>();
  for (const listener of listening) {
    const { caller } = listener;
    const knownCaller = callers.get(caller.name);
    if (knownCaller === undefined) callers.set(caller.name, { caller, own: [listener] });
    else knownCaller.own.push(listener);
  }
  for (const { caller, own } of callers.values()) {
    const refusal = caller.takeHere((points * own.length) / listening.length);
    if (refusal !== undefined) for (const listener of own) refuse(listener, refusal);
  }
}
