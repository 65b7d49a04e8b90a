import { RequestError } from '../modules/errors.ts';
import type { LimitName, Limits } from './limits.ts';

/** What refuses a caller for now: the limit that is passed, and when it may be tried again. */
export interface Refused {
  readonly limit: LimitName;
  readonly max: number;
  /** Whole seconds, at least 1. */
  readonly retryAfter: number;
  /** What is left, of the same unit. */
  readonly remaining: number;
}

/** Whoever asks, as far as the limits per caller go. */
export interface Caller {
  /** Takes points, and broadcasts that an operation holds; undefined when they were there. */
  take(points: number, broadcasts?: number): Refused | undefined;
  /** Points that are left now. */
  remaining(): number;
  /** One subscription more, until `end` is called, which it may be several times. */
  openStream(): Refused | { end(): void };
  /** Waits for one of the few turns to count lists; resolves to the function that ends the turn. Rejects when `signal` ends first. */
  counting(signal: AbortSignal | undefined): Promise<() => void>;
}

/** RATE_LIMITED, with the limit and when to ask again. */
export function rateLimited({ limit, max, retryAfter }: Refused): RequestError {
  const message = `The limit ${limit} of ${max} is reached; ask again in ${retryAfter} s.`;
  return new RequestError('RATE_LIMITED', message, { limit, max, retryAfter });
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

/** What an operation has cost, as `extensions.cost` tells it. */
export function shownCost(points: number, caller: Caller, limits: Limits): Record<string, number> {
  return { requested: points, max: limits['graphql.cost'], remaining: Math.max(0, Math.floor(caller.remaining())) };
}
