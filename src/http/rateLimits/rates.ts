import { createHash } from 'node:crypto';
import type { LimitName, Limits } from '../../config/limits/limits.ts';
import type { Backlog, Caller, Refused } from '../../graphql/request/caller.ts';
import { createBacklogs } from './backlogs.ts';
import { createBoundedTable } from './boundedTable.ts';
import type { SecretAttempt } from './secretAttempts.ts';
import { createTokenBucket, type TokenBucket } from './tokenBucket.ts';
import { createTopicSlots, type TopicSlots } from './topicSlots.ts';

/** A caller as the server meets it: what its operations take, and what its connections do. */
export interface ClientLimits extends Caller {
  /** One request more under way, until `end` is called, which it may be several times. */
  enter(): Refused | { end(): void };
  /** One WebSocket more, until `end` is called. */
  connect(): Refused | { end(): void };
  /** By which it takes its turns. */
  readonly name: string;
  /** Waits for one of the few places to read a large body; resolves to the function that gives it back, which may be called several times. */
  readingBody(): Promise<() => void>;
}

/** What each caller may do in how much time. */
export interface Rates {
  /** The caller with this name: the subject of a token, or an address. */
  of(subject: string): ClientLimits;
  /** Counts a failed authentication from an address; what refuses it when there were too many. */
  failedAuthentication(address: string): Refused | undefined;
  /** Counts a secret that came from an address before it is checked, towards the address and towards its client; undefined where there is no such client. */
  attemptSecret(address: string, clientId: string | undefined): SecretAttempt;
}

/** Longest name that a caller is kept by, in characters. A longer one, of a token's subject, is kept by its digest. */
const longestName = 64;

const keptName = (name: string): string =>
  name.length <= longestName ? name : `sha256 ${createHash('sha256').update(name).digest('base64')}`;

/** The limits that others wait at until one is done. */
type Place = 'rate.counts' | 'rate.bodies';

/** What one caller has left and has under way. */
interface CallerState {
  readonly points: TokenBucket;
  readonly broadcasts: TokenBucket;
  readonly used: Record<'rate.concurrent' | 'socket.connections' | 'subscriptions.caller' | Place, number>;
  /** Who waits for a place; undefined while nobody ever did. */
  readonly waiting: Partial<Record<Place, Set<() => void>>>;
  /** Points of computing that are not whole yet. */
  computing: number;
  /** What it listens to, and what waits for it; undefined while it never had a stream. */
  topics: TopicSlots | undefined;
  backlog: Backlog | undefined;
}

/** Makes the rates. `now` is a clock in ms that never goes back. */
export function createRates(limits: Limits, now: () => number = () => performance.now()): Rates {
  const all = { 'subscriptions.process': 0 };
  const createBacklog = createBacklogs(limits);

  const refused = (limit: LimitName, remaining: number, wait = 1_000): Refused => ({
    limit,
    max: limits[limit],
    retryAfter: Math.max(1, Math.ceil(wait / 1_000)),
    remaining,
  });

  /** Takes one of as many as a limit allows; 0 allows any number. */
  function slot<L extends LimitName>(used: Record<L, number>, limit: L): Refused | { end(): void } {
    const max = limits[limit];
    if (max !== 0 && used[limit] >= max) return refused(limit, 0);
    used[limit] += 1;
    let ended = false;
    return {
      end() {
        if (!ended) used[limit] -= 1;
        ended = true;
      },
    };
  }

  const callers = createBoundedTable<CallerState>({
    max: limits['rate.callers'],
    make: () => ({
      points: createTokenBucket(limits['rate.burst'], limits['rate.points'], now),
      broadcasts: createTokenBucket(limits['rate.broadcasts'], limits['rate.broadcasts'], now),
      used: {
        'rate.concurrent': 0,
        'socket.connections': 0,
        'subscriptions.caller': 0,
        'rate.counts': 0,
        'rate.bodies': 0,
      },
      waiting: {},
      computing: 0,
      topics: undefined,
      backlog: undefined,
    }),
    isIdle: ({ points, broadcasts, used }) =>
      Object.values(used).every((count) => count === 0) && points.isFull() && broadcasts.isFull(),
  });

  const failures = createBoundedTable<TokenBucket>({
    max: limits['rate.callers'],
    make: () => createTokenBucket(limits['rate.failedAuthentications'], limits['rate.failedAuthentications'], now),
    isIdle: (bucket) => bucket.isFull(),
  });

  /** Counts one failure; what refuses it when there were too many. */
  function fail(bucket: TokenBucket): Refused | undefined {
    const wait = bucket.take(1);
    return wait > 0 ? refused('rate.failedAuthentications', bucket.level(), wait) : undefined;
  }

  function tryPlace({ used, waiting }: CallerState, limit: Place): (() => void) | undefined {
    const place = slot(used, limit);
    if (!('end' in place)) return undefined;
    return () => {
      place.end();
      const [next] = waiting[limit] ?? [];
      next?.();
    };
  }

  /** Waits for a place, of which the limit gives so many at once. Rejects when `signal` ends the wait. */
  function placeOf(caller: CallerState, limit: Place, signal?: AbortSignal): Promise<() => void> {
    const waiting = caller.waiting[limit] ?? new Set();
    caller.waiting[limit] = waiting;
    const place = tryPlace(caller, limit);
    if (place !== undefined) return Promise.resolve(place);
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        waiting.delete(look);
        reject(signal?.reason);
      };
      const look = (): void => {
        const free = tryPlace(caller, limit);
        if (free === undefined) return;
        waiting.delete(look);
        signal?.removeEventListener('abort', stop);
        resolve(free);
      };
      if (signal?.aborted === true) return stop();
      signal?.addEventListener('abort', stop, { once: true });
      waiting.add(look);
    });
  }

  return {
    of(subject) {
      const name = keptName(subject);
      // Asked for each time: a caller that was idle meanwhile may have been forgotten, and made again.
      const state = (): CallerState => callers.of(name);
      return {
        name,
        take(wanted, sent = 0) {
          const { points, broadcasts } = state();
          const pause = sent > 0 ? broadcasts.take(sent) : 0;
          if (pause > 0) return refused('rate.broadcasts', broadcasts.level(), pause);
          const wait = points.take(wanted);
          return wait > 0 ? refused('rate.points', points.level(), wait) : undefined;
        },
        remaining: () => state().points.level(),
        enter: () => slot(state().used, 'rate.concurrent'),
        connect: () => slot(state().used, 'socket.connections'),
        openStream() {
          const own = slot(state().used, 'subscriptions.caller');
          // Only the end of one of the caller's own subscriptions makes room.
          if (!('end' in own)) return { limit: own.limit, max: own.max };
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
        listen(topic, points) {
          const own = state();
          own.topics ??= createTopicSlots(limits);
          return own.topics.listen(topic, points);
        },
        get backlog() {
          const own = state();
          own.backlog ??= createBacklog();
          return own.backlog;
        },
        counting: (signal) => placeOf(state(), 'rate.counts', signal),
        readingBody: () => placeOf(state(), 'rate.bodies'),
        charge: (used) => state().points.charge(used),
        spend(milliseconds) {
          const own = state();
          own.computing += milliseconds * limits['rate.computing'];
          const whole = Math.floor(own.computing);
          own.computing -= whole;
          own.points.charge(whole);
          return whole;
        },
      };
    },
    failedAuthentication: (address) => fail(failures.of(address)),
    attemptSecret(address, clientId) {
      const ofAddress = failures.of(address);
      const byAddress = fail(ofAddress);
      if (byAddress !== undefined) return { refused: { ...byAddress, by: 'address' }, succeed: () => undefined };
      const ofClient = failures.of(keptName(clientId === undefined ? 'no client' : `client ${clientId}`));
      const byClient = fail(ofClient);
      return {
        refused: byClient && { ...byClient, by: 'client' },
        succeed() {
          ofAddress.giveBack(1);
          if (byClient === undefined) ofClient.giveBack(1);
        },
      };
    },
  };
}
