import { performance } from 'node:perf_hooks';

export interface WaitingTurn {
  /** Resolves when the turn begins. Never resolves after `cancel`. */
  readonly begun: Promise<void>;
  /** Gives up the turn, because the client has disconnected. */
  cancel(): void;
}

/**
 * Shares the event loop among callers (deficit round robin). While no request waits, a request begins at once. Once requests
 * wait, they begin one at a time, in turns of their callers by the time that each has used, and the event loop handles I/O in
 * between. A request then waits for one piece of another caller's work, however many requests that caller has.
 */
export type Turns = ReturnType<typeof createTurns>;

/** Requests of a caller begin in ascending order of `rank`, equal ones in the order of their arrival. */
interface Waiting {
  readonly rank: number;
  readonly begin: () => void;
}

interface Queue {
  /** In the order in which they begin. */
  readonly requests: Waiting[];
  /** Time that the caller may still use in this round, ms. Negative after work that took longer. */
  credit: number;
}

/** Time in one iteration of the event loop after which no further request begins, ms. */
const slice = 4;

/** Time that a caller gets in each round, and the most that it can owe, ms. */
const quantum = 5;
const mostDebt = 100;

/**
 * The most iterations in a row in which no turn begins because connections are accepted, and the most time that they may take
 * together, ms. Reading such a connection can take tens of milliseconds.
 */
const mostEmpty = 100;
const mostEmptyTime = 20;

/** The most requests that begin in one iteration once some wait. */
const batch = 16;

/** Where a new request belongs among the waiting ones. Most belong at the end or near it. */
function placeOf({ rank }: Waiting, requests: readonly Waiting[]): number {
  let [low, high] = [0, requests.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((requests[middle]?.rank ?? rank) <= rank) low = middle + 1;
    else high = middle;
  }
  return low;
}

const eventLoop = {
  /** Returns the time of a monotonic clock, in ms. */
  now: performance.now.bind(performance),
  /** Returns how long the loop has waited for I/O since the start, in ms. */
  idle: (): number => performance.nodeTiming.idleTime,
  /** Calls `work` after the I/O of the current iteration, in the order of the calls. */
  defer: (work: () => void): void => void setImmediate(work),
};

/** Creates {@link Turns}. */
export function createTurns({ now, idle, defer } = eventLoop) {
  /** The callers with waiting requests, the next one first. */
  const ring = new Map<string, Queue>();
  let count = 0;
  let isScheduled = false;
  /**
   * Whether a connection was accepted in this iteration, and in how many iterations before it no turn began for that reason.
   */
  let isAccepting = false;
  let empty = 0;
  let emptySince = 0;
  /** Time used since the loop last waited for I/O, or since the last iteration in which requests began in turns, ms. */
  let usedTime = 0;
  let idleBefore = 0;
  /** The running work: its caller and its start. */
  let current: { readonly caller: string; readonly since: number } | undefined;

  /** Ends the running work, if any, and charges its time to its caller. */
  function settle(at = now()): void {
    if (current === undefined) return;
    const time = at - current.since;
    usedTime += time;
    const queue = ring.get(current.caller);
    if (queue !== undefined) queue.credit = Math.max(-mostDebt, queue.credit - time);
    current = undefined;
  }

  /**
   * Returns the next request of the first caller that has credit. A caller without credit moves to the end with credit for its
   * next round.
   */
  function next(): { readonly caller: string; readonly begin: () => void } | undefined {
    for (const [caller, queue] of ring) {
      const [first] = queue.requests;
      if (first === undefined || queue.credit <= 0) ring.delete(caller);
      if (first === undefined) continue;
      if (queue.credit <= 0) {
        queue.credit += quantum;
        // The loop visits this caller again.
        ring.set(caller, queue);
        continue;
      }
      queue.requests.shift();
      count -= 1;
      return { caller, begin: first.begin };
    }
    return undefined;
  }

  function beginNext(): void {
    settle();
    if (usedTime >= slice) return;
    const turn = next();
    if (turn === undefined) return;
    current = { caller: turn.caller, since: now() };
    turn.begin();
  }

  function endIteration(): void {
    settle();
    usedTime = 0;
    isScheduled = false;
    const isEmpty = isAccepting && empty < mostEmpty && (empty === 0 || now() - emptySince < mostEmptyTime);
    if (isEmpty && empty === 0) emptySince = now();
    empty = isEmpty ? empty + 1 : 0;
    isAccepting = false;
    if (count > 0) schedule();
    else ring.clear();
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    if (empty === 0) for (let index = Math.min(batch, count); index > 0; index -= 1) defer(beginNext);
    defer(endIteration);
  }

  return {
    /**
     * Requests a turn for the caller with this name. undefined if the turn begins at once. A turn ends when its synchronous work
     * is done. The requests of a caller begin in their order. One with a `delay` in ms is placed as if it had come that much
     * later: short work overtakes long work but cannot starve it.
     */
    take(caller: string, delay = 0): WaitingTurn | undefined {
      const time = now();
      settle(time);
      // The idle time of the loop is read only if the time slice is used up.
      if (count === 0 && usedTime >= slice && !isScheduled) {
        const idleNow = idle();
        if (idleNow !== idleBefore) usedTime = 0;
        idleBefore = idleNow;
      }
      if (count === 0 && usedTime < slice) {
        current = { caller, since: time };
        return undefined;
      }
      let begin: (() => void) | undefined;
      const turnBegins = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const queue = ring.get(caller) ?? { requests: [], credit: quantum };
      ring.set(caller, queue);
      const request = { rank: time + delay, begin: () => begin?.() };
      queue.requests.splice(placeOf(request, queue.requests), 0, request);
      count += 1;
      schedule();
      return {
        begun: turnBegins,
        cancel() {
          const place = queue.requests.indexOf(request);
          if (place < 0) return;
          queue.requests.splice(place, 1);
          count -= 1;
        },
      };
    },
    /**
     * Notes that a connection was accepted. The event loop accepts one connection in an iteration. While more arrive, no turn
     * begins, so that all are read first.
     */
    accepted(): void {
      isAccepting = true;
    },
    /** The number of waiting requests. */
    waiting: (): number => count,
  };
}
