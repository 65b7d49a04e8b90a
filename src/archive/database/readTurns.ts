import { onAbort } from '../../chain/base/time.ts';

interface Waiting<C> {
  begin(connection: C): Promise<unknown>;
}

interface Queue<C> {
  readonly waiting: Set<Waiting<C>>;
  isRunning: boolean;
  /** Time that its work has taken, in ms. */
  used: number;
}

/**
 * Creates the turns of callers on connections. One piece of work of a caller runs at a time. A free connection gets the work of the caller that has used
 * the least time since it began to wait, so a caller waits for one piece of the work of others, however many requests they have.
 */
export function createReadTurns<C>(connections: readonly C[]) {
  const free = [...connections];
  const queues = new Map<string, Queue<C>>();

  function next(): readonly [string, Queue<C>] | undefined {
    let best: readonly [string, Queue<C>] | undefined;
    for (const entry of queues) {
      const [, queue] = entry;
      if (!queue.isRunning && queue.waiting.size > 0 && (best === undefined || queue.used < best[1].used)) best = entry;
    }
    return best;
  }

  function beginNext(): void {
    for (;;) {
      const turn = free.length > 0 ? next() : undefined;
      if (turn === undefined) return;
      const connection = free.shift();
      const [name, queue] = turn;
      const [first] = queue.waiting;
      if (connection === undefined || first === undefined) return;
      queue.waiting.delete(first);
      queue.isRunning = true;
      const beginning = performance.now();
      void first.begin(connection).finally(() => {
        queue.isRunning = false;
        queue.used += performance.now() - beginning;
        // The one that was used last is used again, because the others may not have been started.
        free.unshift(connection);
        if (queue.waiting.size === 0) queues.delete(name);
        beginNext();
      });
    }
  }

  return {
    /**
     * Runs `work` on a connection when it is the turn of `caller`. Rejects with the signal's reason as soon as it is aborted: work that still waits then is
     * dropped, and work that has begun keeps its connection to its end.
     */
    run<T>(caller: string, work: (connection: C) => Promise<T>, signal?: AbortSignal): Promise<T> {
      if (signal?.aborted) return Promise.reject(signal.reason);
      return new Promise((resolve, reject) => {
        // A caller that comes has no advantage over those that are there.
        const leastUsed = queues.size === 0 ? 0 : Math.min(...[...queues.values()].map((queue) => queue.used));
        const queue = queues.get(caller) ?? { waiting: new Set(), isRunning: false, used: leastUsed };
        queues.set(caller, queue);
        const removeListener = onAbort(signal, () => {
          queue.waiting.delete(waiting);
          if (queue.waiting.size === 0 && !queue.isRunning) queues.delete(caller);
          reject(signal?.reason);
        });
        const waiting: Waiting<C> = {
          async begin(connection) {
            try {
              resolve(await work(connection));
            } catch (error) {
              reject(error);
            } finally {
              removeListener();
            }
          },
        };
        queue.waiting.add(waiting);
        beginNext();
      });
    },
  };
}
