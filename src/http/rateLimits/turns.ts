import { performance } from 'node:perf_hooks';

/** A request that waits for its turn. */
export interface WaitingTurn {
  /** Resolves when the turn has come; never after `leave`. */
  readonly begun: Promise<void>;
  /** Gives the turn up: the client has left. */
  leave(): void;
}

/**
 * Shares the event loop among callers. While nobody waits, a request begins at once. As soon as requests wait, one begins at a time,
 * in turns of their callers by the time that each has used, and other I/O is read in between: a request waits for one piece
 * of another caller's work, however many requests that caller has.
 */
export interface Turns {
  /** Asks for a turn of the caller with this name; undefined if it has come at once. The turn ends by itself when its synchronous work is done. */
  take(caller: string): WaitingTurn | undefined;
  /** A connection was accepted. The event loop accepts one in an iteration: while more come, nothing begins, so that they are all read first. */
  accepted(): void;
  /** Requests that wait. */
  waiting(): number;
}

/** What a caller has waiting. */
interface Queue {
  readonly requests: Set<() => void>;
  /** Time that the caller may still use in this round, ms; below 0 after a piece that took longer. */
  credit: number;
}

/** Time of one iteration of the event loop in which requests begin, ms; what comes then waits for the next one. */
const slice = 4;

/** Time that a caller gets in each round, ms, and the most that it can owe. */
const quantum = 5;
const mostDebt = 100;

/**
 * Iterations in a row in which nothing begins as connections are accepted, at most, and how long they may take together, ms: reading what came on
 * such a connection can take tens of milliseconds.
 */
const mostEmpty = 100;
const mostEmptyTime = 20;

/** Requests that begin in one iteration at most, once some wait. */
const batch = 16;

/** The event loop, as the turns see it. */
export interface EventLoop {
  /** A clock, in ms. */
  now(): number;
  /** How long the loop has waited for I/O in all, ms. */
  idle(): number;
  /** Calls back behind the I/O of an iteration, what is deferred together one after another. */
  defer(work: () => void): void;
}

const eventLoop: EventLoop = {
  now: () => performance.now(),
  idle: () => performance.nodeTiming.idleTime,
  defer: (work) => void setImmediate(work),
};

/** Makes the turns. */
export function createTurns({ now, idle, defer }: EventLoop = eventLoop): Turns {
  /** The callers that wait, the next one first. */
  const ring = new Map<string, Queue>();
  let count = 0;
  let isScheduled = false;
  /** Whether a connection was accepted in this iteration, and how many before it were left empty for that. */
  let isAccepting = false;
  let empty = 0;
  let emptySince = 0;
  /** Time used since the loop last waited for I/O, or since the last iteration in which requests began in turns, ms. */
  let used = 0;
  let idleBefore = 0;
  /** The piece of work under way: whose it is, and when it began. */
  let current: { readonly caller: string; readonly since: number } | undefined;

  /** Whether time is left for a request that begins at once. Whether the loop was idle is asked for only when it looks busy. */
  function hasTime(): boolean {
    if (used < slice) return true;
    const idleNow = idle();
    if (idleNow === idleBefore || isScheduled) return false;
    idleBefore = idleNow;
    used = 0;
    return true;
  }

  /** Ends the piece under way, if there is one: the time up to now is that of its caller. */
  function settle(): void {
    if (current === undefined) return;
    const time = now() - current.since;
    used += time;
    const queue = ring.get(current.caller);
    if (queue !== undefined) queue.credit = Math.max(-mostDebt, queue.credit - time);
    current = undefined;
  }

  /** The next request, of the first caller that has time left. A caller that has none goes to the end, with some for its next round. */
  function next(): { readonly caller: string; readonly begin: () => void } | undefined {
    for (const [caller, queue] of ring) {
      const [begin] = queue.requests;
      if (begin === undefined || queue.credit <= 0) ring.delete(caller);
      if (begin === undefined) continue;
      if (queue.credit <= 0) {
        queue.credit += quantum;
        // The loop comes to it again.
        ring.set(caller, queue);
        continue;
      }
      queue.requests.delete(begin);
      count -= 1;
      return { caller, begin };
    }
    return undefined;
  }

  function beginNext(): void {
    settle();
    if (used >= slice) return;
    const found = next();
    if (found === undefined) return;
    current = { caller: found.caller, since: now() };
    found.begin();
  }

  function endIteration(): void {
    settle();
    used = 0;
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
    take(caller) {
      settle();
      if (count === 0 && hasTime()) {
        current = { caller, since: now() };
        return undefined;
      }
      let begin: (() => void) | undefined;
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const queue = ring.get(caller) ?? { requests: new Set(), credit: quantum };
      ring.set(caller, queue);
      const request = (): void => begin?.();
      queue.requests.add(request);
      count += 1;
      schedule();
      return {
        begun,
        leave() {
          if (queue.requests.delete(request)) count -= 1;
        },
      };
    },
    accepted() {
      isAccepting = true;
    },
    waiting: () => count,
  };
}
