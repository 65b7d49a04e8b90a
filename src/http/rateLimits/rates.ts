import { createHash } from 'node:crypto';
import { type LazySignal, onAbort, signalOf } from '../../chain/base/waiting.ts';
import type { LimitName, Limits } from '../../config/limits/limits.ts';
import type { Backlog, Full, Refused } from '../../graphql/request/caller.ts';
import type { Viewer } from '../../reads/viewer.ts';
import { createBacklogs } from './backlogs.ts';
import { type BoundedTable, createBoundedTable, type TableEntry } from './boundedTable.ts';
import type { ClientLimits, Slot } from './clientLimits.ts';
import { createPublicClients } from './publicClients.ts';
import type { SecretAttempt } from './secretAttempts.ts';
import { createTokenBucket, type TokenBucket } from './tokenBucket.ts';
import { createTopicSlots, type TopicSlots } from './topicSlots.ts';
import { createTurns, type Turns } from './turns.ts';

/** The limits of all callers. */
export interface Rates {
  /** Returns the limits of the caller with this name: the subject of a token, or an address. */
  of(subject: string): ClientLimits;
  /** Returns the limits of the subject of a token. */
  ofSubject(viewer: Viewer): ClientLimits;
  /** Returns the limits of a public client from an address. What it uses counts in total, too. */
  ofPublicClient(clientId: string, address: string): ClientLimits;
  /** Counts a token for a public client at an address. Returns a refusal if the client got too many. */
  takePublicToken(clientId: string, address: string): Refused | undefined;
  /** Counts a failed authentication from an address. Returns a refusal if the address is over `rate.failedAuthentications`. */
  failedAuthentication(address: string): Refused | undefined;
  /**
   * Counts a secret from an address before it is checked, towards the address and towards the client. `clientId` is undefined
   * if there is no such client.
   */
  attemptSecret(address: string, clientId: string | undefined): SecretAttempt;
}

/** Longest name of a caller that is stored, in characters. Of a longer subject, the digest is stored. */
const maxName = 64;

const storedName = (name: string): string =>
  name.length <= maxName ? name : `sha256 ${createHash('sha256').update(name).digest('base64')}`;

/** The limits whose slots requests wait for. */
type WaitingLimit = 'rate.counts' | 'rate.bodies';

/** Callers with the same limit of points. */
interface CallerGroup {
  readonly pointsLimit: 'rate.points' | 'publicClient.points';
  readonly table: BoundedTable<CallerState>;
}

/** The counters of one caller. */
interface CallerState {
  readonly points: TokenBucket;
  readonly broadcasts: TokenBucket;
  readonly used: Record<'rate.concurrent' | 'socket.connections' | 'subscriptions.caller' | WaitingLimit, number>;
  /** The requests that wait for a slot, by limit. Absent until the first one waits. */
  readonly waiting: Partial<Record<WaitingLimit, Set<() => void>>>;
  /** Fraction of a point of computing time that is not charged yet. */
  computing: number;
  /** The topics and the unsent events of its subscriptions. undefined until it has a subscription. */
  topics: TopicSlots | undefined;
  backlog: Backlog | undefined;
}

/** Executions of at most this many points take less than a tenth of a millisecond from memory. They need no turn of their own. */
const shortPoints = 20;

/** How much later, in ms, an execution begins than shorter ones that came at the same time: for each point, and at most. */
const delayOf = { point: 1, most: 2_000 } as const;

/** Creates the limits of all callers. `now` is a monotonic clock in ms. `turns` shares the event loop among their executions. */
export function createRates(limits: Limits, now: () => number = () => performance.now(), turns: Turns = createTurns()): Rates {
  const all = { 'subscriptions.process': 0 };
  const createBacklog = createBacklogs(limits);

  const refused = (limit: LimitName, remaining: number, wait = 1_000): Refused => ({
    limit,
    max: limits[limit],
    retryAfter: Math.max(1, Math.ceil(wait / 1_000)),
    remaining,
  });

  /** Whether all slots of a limit are taken. 0 allows any number. */
  const isFull = <L extends LimitName>(used: Readonly<Record<L, number>>, limit: L): boolean =>
    limits[limit] !== 0 && used[limit] >= limits[limit];

  /** Takes a slot of a limit. */
  function slot<L extends LimitName>(used: Record<L, number>, limit: L): Refused | Slot {
    if (isFull(used, limit)) return refused(limit, 0);
    used[limit] += 1;
    let ended = false;
    return {
      end() {
        if (!ended) used[limit] -= 1;
        ended = true;
      },
    };
  }

  const createGroup = (pointsLimit: CallerGroup['pointsLimit']): CallerGroup => ({
    pointsLimit,
    table: createBoundedTable<CallerState>({
      max: limits['rate.callers'],
      make: () => ({
        points: createTokenBucket(limits['rate.burst'], limits[pointsLimit], now),
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
    }),
  });
  const callers = createGroup('rate.points');
  // They have a table of their own, because anybody can be one of them.
  const publicCallers = createGroup('publicClient.points');
  const publicClients = createPublicClients({ limits, now, refused, slot });

  const failures = createBoundedTable<TokenBucket>({
    max: limits['rate.callers'],
    make: () => createTokenBucket(limits['rate.failedAuthentications'], limits['rate.failedAuthentications'], now),
    isIdle: (bucket) => bucket.isFull(),
  });

  /** Counts one failure. Returns a refusal if there were too many. */
  function fail(bucket: TokenBucket): Refused | undefined {
    const wait = bucket.take(1);
    return wait > 0 ? refused('rate.failedAuthentications', bucket.level(), wait) : undefined;
  }

  function trySlot({ used, waiting }: CallerState, limit: WaitingLimit): (() => void) | undefined {
    const taken = slot(used, limit);
    if (!('end' in taken)) return undefined;
    return () => {
      taken.end();
      const [next] = waiting[limit] ?? [];
      next?.();
    };
  }

  /** Waits for a slot of a limit. Resolves to the function that releases it. Rejects when `signal` aborts the wait. */
  function waitForSlot(caller: CallerState, limit: WaitingLimit, signal?: AbortSignal): Promise<() => void> {
    const waiting = caller.waiting[limit] ?? new Set();
    caller.waiting[limit] = waiting;
    const release = trySlot(caller, limit);
    if (release !== undefined) return Promise.resolve(release);
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        waiting.delete(retry);
        reject(signal?.reason);
      };
      const retry = (): void => {
        const free = trySlot(caller, limit);
        if (free === undefined) return;
        waiting.delete(retry);
        signal?.removeEventListener('abort', stop);
        resolve(free);
      };
      if (signal?.aborted === true) return stop();
      signal?.addEventListener('abort', stop, { once: true });
      waiting.add(retry);
    });
  }

  /** It is a class because every connection has one: a function for each method would take more than a kilobyte. */
  class NamedCaller implements ClientLimits {
    readonly name: string;
    readonly #group: CallerGroup;
    #entry: TableEntry<CallerState>;

    constructor(name: string, group: CallerGroup) {
      this.name = name;
      this.#group = group;
      this.#entry = group.table.entry(name);
    }

    /** An idle caller may have been evicted and created again. */
    #state(): CallerState {
      if (!this.#entry.isCurrent) this.#entry = this.#group.table.entry(this.name);
      return this.#entry.value;
    }

    take(wanted: number, sent = 0): Refused | undefined {
      const { points, broadcasts } = this.#state();
      const pause = sent > 0 ? broadcasts.take(sent) : 0;
      if (pause > 0) return refused('rate.broadcasts', broadcasts.level(), pause);
      const wait = points.take(wanted);
      return wait > 0 ? refused(this.#group.pointsLimit, points.level(), wait) : undefined;
    }

    remaining(): number {
      return this.#state().points.level();
    }

    enter(): Refused | Slot {
      return slot(this.#state().used, 'rate.concurrent');
    }

    connect(): Refused | Slot {
      return slot(this.#state().used, 'socket.connections');
    }

    openStream(): Refused | Full | Slot {
      const { used } = this.#state();
      const own = 'subscriptions.caller';
      const shared = 'subscriptions.process';
      // Only the end of one of the caller's own subscriptions frees a slot.
      if (isFull(used, own)) return { limit: own, max: limits[own] };
      if (isFull(all, shared)) return refused(shared, 0);
      used[own] += 1;
      all[shared] += 1;
      let ended = false;
      return {
        end() {
          if (ended) return;
          ended = true;
          used[own] -= 1;
          all[shared] -= 1;
        },
      };
    }

    listen(topic: string, points: number): Full | Slot {
      const own = this.#state();
      own.topics ??= createTopicSlots(limits);
      return own.topics.listen(topic, points);
    }

    get backlog(): Backlog {
      const own = this.#state();
      own.backlog ??= createBacklog();
      return own.backlog;
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

    charge(used: number): void {
      this.#state().points.charge(used);
    }

    spend(milliseconds: number): number {
      const own = this.#state();
      own.computing += milliseconds * limits['rate.computing'];
      const whole = Math.floor(own.computing);
      own.computing -= whole;
      own.points.charge(whole);
      return whole;
    }
  }

  const of = (name: string): ClientLimits => new NamedCaller(storedName(name), callers);
  /** The callers of the tokens in use, which are verified once. */
  const known = new WeakMap<Viewer, ClientLimits>();

  return {
    of,
    ofSubject(viewer) {
      let caller = known.get(viewer);
      if (caller === undefined) {
        caller = of(`subject ${viewer.subject}`);
        known.set(viewer, caller);
      }
      return caller;
    },
    ofPublicClient(clientId, address) {
      const own = new NamedCaller(storedName(`public ${clientId} ${address}`), publicCallers);
      return publicClients.caller(storedName(clientId), own);
    },
    takePublicToken: (clientId, address) => publicClients.takeToken(storedName(clientId), address),
    failedAuthentication: (address) => fail(failures.of(address)),
    attemptSecret(address, clientId) {
      const ofAddress = failures.of(address);
      const byAddress = fail(ofAddress);
      if (byAddress !== undefined) return { refused: { ...byAddress, by: 'address' }, succeed: () => undefined };
      const ofClient = failures.of(storedName(clientId === undefined ? 'no client' : `client ${clientId}`));
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
