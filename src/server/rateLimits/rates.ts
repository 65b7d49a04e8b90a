import { createHash } from 'node:crypto';
import type { Backlog, Full, Refused } from '../../answers/caller.ts';
import { type LazySignal, onAbort, signalOf } from '../../chain/base/waiting.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { type Awaitable, andThen } from '../../reads/loader.ts';
import type { Session, Viewer } from '../../reads/viewer.ts';
import { createFailedAuthentications, type SecretAttempt } from './addressLimits.ts';
import { createBacklogs } from './backlogs.ts';
import { type BoundedTable, createBoundedTable, type TableEntry } from './boundedTable.ts';
import {
  type ClientLimits,
  createSlots,
  createTopicSlots,
  type Slot,
  type TopicSlots,
  type WaitingCaller,
  type WaitingLimit,
} from './clientLimits.ts';
import { type Lack, noSharedCounters, type Places, type SharedCounter, type SharedCounters } from './sharedCounters.ts';
import { createTokenBucket, type TokenBucket } from './tokenBucket.ts';
import { createPublicClients, createTotals } from './totals.ts';
import { createTurns, type Turns } from './turns.ts';

/** The limits of all callers. */
export interface Rates {
  /** Returns the limits of the caller with this name: the subject of a token, or an address. */
  of(subject: string): ClientLimits;
  /** Returns the limits of the subject of a token. What it uses counts towards the limits of its client, too. */
  ofSubject(viewer: Viewer): ClientLimits;
  /** Returns the limits of a public client from an address. What it uses counts in total, too. */
  ofPublicClient(clientId: string, address: string): ClientLimits;
  /** Counts a token for a public client at an address. Returns a refusal if the client got too many. */
  takePublicToken(clientId: string, address: string): Refused | undefined;
  /**
   * Resolves when this process knows the failed authentications of an address at the others, within `shared.wait`. Undefined if it does, or
   * if nothing is shared.
   */
  freshFailures(address: string): Promise<void> | undefined;
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

/** Callers with the same limit of points. */
interface CallerGroup {
  readonly pointsLimit: 'rate.points' | 'publicClient.points';
  readonly table: BoundedTable<CallerState>;
}

/** The limits of one client, for all subjects of its tokens. */
const clientNames = { points: 'client.points', broadcasts: 'client.broadcasts', streams: 'client.streams' } as const;

/** The counters of one caller. */
interface CallerState extends WaitingCaller {
  readonly points: TokenBucket;
  readonly broadcasts: TokenBucket;
  readonly places: Places<'rate.concurrent' | 'socket.connections' | 'subscriptions.caller' | WaitingLimit>;
  /** What other processes know of it. */
  readonly shared: SharedCounter;
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

/**
 * Creates the limits of all callers. `now` is a monotonic clock in ms. `turns` shares the event loop among their executions. `sharing` makes
 * the limits hold over several processes.
 */
export function createRates(
  limits: Limits,
  now: () => number = () => performance.now(),
  turns: Turns = createTurns(),
  sharing: SharedCounters = noSharedCounters,
): Rates {
  const all: Places<'subscriptions.process'> = { used: { 'subscriptions.process': 0 }, elsewhere: {} };
  const createBacklog = createBacklogs(limits);
  const { refused, isFull, slot, waitForSlot } = createSlots(limits);
  const failures = createFailedAuthentications({ limits, now, refused, sharing });

  function createState(name: string, pointsLimit: CallerGroup['pointsLimit']): CallerState {
    const points = createTokenBucket(limits['rate.burst'], limits[pointsLimit], now);
    const broadcasts = createTokenBucket(limits['rate.broadcasts'], limits['rate.broadcasts'], now);
    const places: CallerState['places'] = {
      used: { 'rate.concurrent': 0, 'socket.connections': 0, 'subscriptions.caller': 0, 'rate.counts': 0, 'rate.bodies': 0 },
      elsewhere: {},
    };
    const max = {
      'rate.concurrent': limits['rate.concurrent'],
      'socket.connections': limits['socket.connections'],
      'subscriptions.caller': limits['subscriptions.caller'],
    };
    const shared = sharing.of({ name, buckets: [points, broadcasts], places, max });
    return { points, broadcasts, places, shared, waiting: {}, computing: 0, topics: undefined, backlog: undefined };
  }

  const createGroup = (pointsLimit: CallerGroup['pointsLimit']): CallerGroup => ({
    pointsLimit,
    table: createBoundedTable<CallerState>({
      max: limits['rate.callers'],
      make: (name) => createState(name, pointsLimit),
      isIdle: ({ points, broadcasts, places: { used } }) =>
        Object.values(used).every((count) => count === 0) && points.isFull() && broadcasts.isFull(),
    }),
  });
  const callers = createGroup('rate.points');
  // They have a table of their own, because anybody can be one of them.
  const publicCallers = createGroup('publicClient.points');
  const publicClients = createPublicClients({ limits, now, refused, slot, sharing });

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

    fresh(): Promise<void> | undefined {
      return this.#state().shared.fresh();
    }

    take(wanted: number, sent = 0): Awaitable<Refused | undefined> {
      const state = this.#state();
      const takes = [
        { bucket: state.broadcasts, amount: sent, isExact: true },
        { bucket: state.points, amount: wanted },
      ];
      return andThen(state.shared.take(takes), (lack) => this.#refusal(state, lack));
    }

    takeHere(wanted: number): Refused | undefined {
      const state = this.#state();
      return this.#refusal(state, state.shared.takeHere([{ bucket: state.points, amount: wanted }]));
    }

    #refusal({ broadcasts }: CallerState, lack: Lack | undefined): Refused | undefined {
      if (lack === undefined) return undefined;
      const limit = lack.bucket === broadcasts ? 'rate.broadcasts' : this.#group.pointsLimit;
      return refused(limit, lack.bucket.level(), lack.milliseconds);
    }

    remaining(): number {
      return this.#state().points.level();
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
      const { places, shared } = this.#state();
      const own = 'subscriptions.caller';
      // Only the end of one of the caller's own subscriptions frees a slot.
      if (isFull(places, own)) return { limit: own, max: limits[own] };
      const inProcess = slot(all, 'subscriptions.process');
      if (!('end' in inProcess)) return inProcess;
      const ofCaller = slot(places, own, shared);
      return {
        end() {
          inProcess.end();
          if ('end' in ofCaller) ofCaller.end();
        },
      };
    }

    listen(topic: string, points: number): Full | Slot {
      const own = this.#state();
      own.topics ??= createTopicSlots(limits);
      return own.topics.listen(topic, points);
    }

    weigh(topic: string, points: number): Full | undefined {
      return this.#state().topics?.weigh(topic, points);
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
      const { points, shared } = this.#state();
      points.charge(used);
      shared.changed();
    }

    spend(milliseconds: number): number {
      const own = this.#state();
      own.computing += milliseconds * limits['rate.computing'];
      const whole = Math.floor(own.computing);
      own.computing -= whole;
      own.points.charge(whole);
      if (whole > 0) own.shared.changed();
      return whole;
    }
  }

  const clients = createTotals({ limits, now, refused, slot, sharing, names: clientNames, prefix: 'client' });
  const hasClientLimits = Object.values(clientNames).some((name) => limits[name] > 0);

  const of = (name: string): ClientLimits => new NamedCaller(storedName(name), callers);
  /** The callers of the tokens in use, which are verified once. */
  const known = new WeakMap<Viewer, ClientLimits>();

  return {
    of,
    ofSubject(viewer) {
      let caller = known.get(viewer);
      if (caller === undefined) {
        const own = of(`subject ${viewer.subject}`);
        caller = hasClientLimits ? clients.caller(storedName(viewer.clientId), own) : own;
        known.set(viewer, caller);
      }
      return caller;
    },
    ofPublicClient(clientId, address) {
      const own = new NamedCaller(storedName(`public ${clientId} ${address}`), publicCallers);
      return publicClients.caller(storedName(clientId), own);
    },
    takePublicToken: (clientId, address) => publicClients.takeToken(storedName(clientId), address),
    freshFailures: failures.fresh,
    failedAuthentication: failures.fail,
    attemptSecret: (address, clientId) =>
      failures.attemptSecret(address, storedName(clientId === undefined ? 'no client' : `client ${clientId}`)),
  };
}

/**
 * Returns the limits that a request from an address counts towards: those of the subject of its token, or of the address if the
 * subject is empty. Anybody can have a token of a public client, so such a client has limits for each address, and in total.
 */
export function callerOf(rates: Rates, address: string, { viewer }: Session): ClientLimits {
  if (viewer.isPublic === true) return rates.ofPublicClient(viewer.clientId, address);
  return viewer.subject === '' ? rates.of(address) : rates.ofSubject(viewer);
}
