import type { Caller, Refused } from '../graphql/caller.ts';
import type { LimitName, Limits } from '../graphql/limits.ts';
import { createTokenBucket, type TokenBucket } from './tokenBucket.ts';

/** A caller as the server meets it: what its operations take, and what its connections do. */
export interface Visitor extends Caller {
  /** One request more under way, until `end` is called, which it may be several times. */
  enter(): Refused | { end(): void };
  /** One WebSocket more, until `end` is called. */
  connect(): Refused | { end(): void };
}

/** What each caller may do in how much time. */
export interface Rates {
  /** The caller with this name: the subject of a token, or an address. */
  of(subject: string): Visitor;
  /** Counts a failed authentication from an address; what refuses it when there were too many. */
  failedAuthentication(address: string): Refused | undefined;
}

/** Callers that are remembered; beyond them, those that do nothing are forgotten, the longest quiet first. */
const remembered = 10_000;

/** How many are looked at for each one that comes. */
const lookedAt = 8;

const noop = { end: () => undefined };

/** Keeps what is asked for last at the end; forgets from the beginning what `isQuiet`. */
function createMemory<T>(make: () => T, isQuiet: (value: T) => boolean): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const value = known.get(key) ?? make();
    known.delete(key);
    known.set(key, value);
    if (known.size > remembered) {
      let looked = 0;
      for (const [other, quiet] of known) {
        if (isQuiet(quiet)) known.delete(other);
        looked += 1;
        if (looked === lookedAt) break;
      }
    }
    return value;
  };
}

/** Makes the rates. `now` is a clock in ms that never goes back. */
export function createRates(limits: Limits, now: () => number = () => performance.now()): Rates {
  const all = { 'subscriptions.process': 0 };

  const refused = (limit: LimitName, remaining: number, wait = 1_000): Refused => ({
    limit,
    max: limits[limit],
    retryAfter: Math.max(1, Math.ceil(wait / 1_000)),
    remaining,
  });

  /** Takes one of as many as a limit allows; 0 allows any number. */
  function slot<L extends LimitName>(used: Record<L, number>, limit: L): Refused | { end(): void } {
    const max = limits[limit];
    if (max === 0) return noop;
    if (used[limit] >= max) return refused(limit, 0);
    used[limit] += 1;
    let ended = false;
    return {
      end() {
        if (!ended) used[limit] -= 1;
        ended = true;
      },
    };
  }

  function createVisitor(): Visitor & { isQuiet(): boolean } {
    const points = createTokenBucket(limits['rate.burst'], limits['rate.points'], now);
    const broadcasts = createTokenBucket(limits['rate.broadcasts'], limits['rate.broadcasts'], now);
    const used = { 'rate.concurrent': 0, 'socket.connections': 0, 'subscriptions.caller': 0, 'rate.counts': 0 };
    const waiting = new Set<() => void>();

    function tryCounting(): (() => void) | undefined {
      const turn = slot(used, 'rate.counts');
      if (!('end' in turn)) return undefined;
      return () => {
        turn.end();
        const [next] = waiting;
        next?.();
      };
    }

    return {
      take(wanted, sent = 0) {
        const pause = sent > 0 ? broadcasts.take(sent) : 0;
        if (pause > 0) return refused('rate.broadcasts', broadcasts.level(), pause);
        const wait = points.take(wanted);
        return wait > 0 ? refused('rate.points', points.level(), wait) : undefined;
      },
      remaining: () => points.level(),
      enter: () => slot(used, 'rate.concurrent'),
      connect: () => slot(used, 'socket.connections'),
      openStream() {
        const own = slot(used, 'subscriptions.caller');
        if (!('end' in own)) return own;
        const shared = slot(all, 'subscriptions.process');
        if (!('end' in shared)) {
          own.end();
          return shared;
        }
        return {
          end() {
            own.end();
            shared.end();
          },
        };
      },
      counting(signal) {
        const turn = tryCounting();
        if (turn !== undefined) return Promise.resolve(turn);
        return new Promise((resolve, reject) => {
          const stop = (): void => {
            waiting.delete(look);
            reject(signal?.reason);
          };
          const look = (): void => {
            const free = tryCounting();
            if (free === undefined) return;
            waiting.delete(look);
            signal?.removeEventListener('abort', stop);
            resolve(free);
          };
          if (signal?.aborted === true) return stop();
          signal?.addEventListener('abort', stop, { once: true });
          waiting.add(look);
        });
      },
      isQuiet: () => Object.values(used).every((count) => count === 0),
    };
  }

  const visitor = createMemory(createVisitor, (known) => known.isQuiet());
  const failures = createMemory<TokenBucket>(
    () => createTokenBucket(limits['rate.failedAuthentications'], limits['rate.failedAuthentications'], now),
    () => true,
  );

  return {
    of: visitor,
    failedAuthentication(address) {
      const bucket = failures(address);
      const wait = bucket.take(1);
      return wait > 0 ? refused('rate.failedAuthentications', bucket.level(), wait) : undefined;
    },
  };
}
