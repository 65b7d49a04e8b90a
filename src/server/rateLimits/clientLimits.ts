import type { Caller, Full, Refused } from '../../answers/caller.ts';
import type { LimitName, Limits } from '../../config/limits/limits.ts';
import type { Places, SharedCounter } from './sharedCounters.ts';

/** A taken slot of a limit, which is free again once `end` was called. */
export interface Slot {
  end(): void;
}

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
  /** The name that its turns are taken under. */
  readonly name: string;
  /**
   * Waits for a slot of `rate.bodies` to read a large body. Resolves to the function that releases the slot, which may be
   * called several times.
   */
  readingBody(): Promise<() => void>;
}

/** The limits whose slots requests wait for. */
export type WaitingLimit = 'rate.counts' | 'rate.bodies';

/** A caller whose requests wait for slots. */
export interface WaitingCaller {
  readonly places: Places<WaitingLimit>;
  /** The requests that wait for a slot, by limit. Absent until the first one waits. */
  readonly waiting: Partial<Record<WaitingLimit, Set<() => void>>>;
}

/** Slots of limits on how much runs at the same time. */
export interface Slots {
  /** Creates a refusal. `wait` is in ms, 1,000 by default. */
  refused(limit: LimitName, remaining: number, wait?: number): Refused;
  /** Whether all slots of a limit are taken. 0 allows any number. */
  isFull<L extends LimitName>(places: Places<L>, limit: L): boolean;
  /** Takes a slot of a limit. `shared` notes the change for other processes. */
  slot<L extends LimitName>(places: Places<L>, limit: L, shared?: SharedCounter): Refused | Slot;
  /** Waits for a slot of a limit. Resolves to the function that releases it. Rejects when `signal` aborts the wait. */
  waitForSlot(caller: WaitingCaller, limit: WaitingLimit, signal?: AbortSignal): Promise<() => void>;
}

/** Creates the slots of these limits. They keep no state: the places of a caller count what is taken. */
export function createSlots(limits: Limits): Slots {
  const refused = (limit: LimitName, remaining: number, wait = 1_000): Refused => ({
    limit,
    max: limits[limit],
    retryAfter: Math.max(1, Math.ceil(wait / 1_000)),
    remaining,
  });

  const isFull = <L extends LimitName>({ used, elsewhere }: Places<L>, limit: L): boolean =>
    limits[limit] !== 0 && used[limit] + (elsewhere[limit] ?? 0) >= limits[limit];

  function slot<L extends LimitName>(places: Places<L>, limit: L, shared?: SharedCounter): Refused | Slot {
    if (isFull(places, limit)) return refused(limit, 0);
    places.used[limit] += 1;
    shared?.changed();
    let ended = false;
    return {
      end() {
        if (ended) return;
        ended = true;
        places.used[limit] -= 1;
        shared?.changed();
      },
    };
  }

  function trySlot({ places, waiting }: WaitingCaller, limit: WaitingLimit): (() => void) | undefined {
    const taken = slot(places, limit);
    if (!('end' in taken)) return undefined;
    return () => {
      taken.end();
      const [next] = waiting[limit] ?? [];
      next?.();
    };
  }

  function waitForSlot(caller: WaitingCaller, limit: WaitingLimit, signal?: AbortSignal): Promise<() => void> {
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

  return { refused, isFull, slot, waitForSlot };
}

/** Counts the topics that one caller listens to, up to `subscriptions.distinct` topics and `subscriptions.points` points. */
export type TopicSlots = Pick<Caller, 'listen' | 'weigh'>;

/** Creates the counter, empty. Topics without subscriptions are not stored. */
export function createTopicSlots(limits: Limits): TopicSlots {
  const topics = new Map<string, { listeners: number; points: number }>();
  let sum = 0;

  const tooHeavy = (points: number): Full | undefined => {
    const max = limits['subscriptions.points'];
    return max > 0 && points > max ? { limit: 'subscriptions.points', max } : undefined;
  };

  function release(topic: string): void {
    const known = topics.get(topic);
    if (known === undefined) return;
    known.listeners -= 1;
    if (known.listeners > 0) return;
    topics.delete(topic);
    sum -= known.points;
  }

  return {
    listen(topic, points) {
      const known = topics.get(topic);
      if (known === undefined) {
        const distinct = limits['subscriptions.distinct'];
        if (distinct > 0 && topics.size >= distinct) return { limit: 'subscriptions.distinct', max: distinct };
        const full = tooHeavy(sum + points);
        if (full !== undefined) return full;
        sum += points;
        topics.set(topic, { listeners: 1, points });
      } else known.listeners += 1;
      let ended = false;
      return {
        end() {
          if (!ended) release(topic);
          ended = true;
        },
      };
    },
    weigh(topic, points) {
      const known = topics.get(topic);
      if (known === undefined) return undefined;
      sum += points - known.points;
      known.points = points;
      return tooHeavy(sum);
    },
  };
}
