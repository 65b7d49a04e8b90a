/** What a subscription gives: an iterator whose `return` ends a `next` that still waits. */
export type Stream<T> = AsyncIterableIterator<T>;

const over = { done: true, value: undefined } as const;

/**
 * Every item that `map` makes of each item of `source`, in order. Unlike an async generator it hears its own end at once: `return`
 * goes straight to the source, also while that waits for its next item, and a `next` under way then resolves as done.
 */
export function flatMapStream<S, T>(source: AsyncIterableIterator<S>, map: (item: S) => readonly T[]): Stream<T> {
  let ready: T[] = [];
  let ended = false;
  let turn: Promise<unknown> = Promise.resolve();

  async function step(): Promise<IteratorResult<T>> {
    for (;;) {
      if (ended) return over;
      const [item] = ready.splice(0, 1);
      if (item !== undefined) return { done: false, value: item };
      const next = await source.next();
      if (next.done) {
        ended = true;
        return over;
      }
      ready = [...map(next.value)];
    }
  }

  return {
    next() {
      const result = turn.then(step);
      turn = result.catch(() => undefined);
      return result;
    },
    async return() {
      ended = true;
      ready = [];
      await source.return?.();
      return over;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** `first`, when it gives something, and nothing else; else the first item of `rest`. `rest` is ended either way. */
export function firstOf<T>(first: Promise<T | undefined>, rest: Stream<T>): Stream<T> {
  let given = false;
  first.catch(() => undefined);
  return {
    async next() {
      if (given) {
        await rest.return?.();
        return over;
      }
      given = true;
      const value = await first.catch(async (error: unknown) => {
        await rest.return?.();
        throw error;
      });
      return value === undefined ? rest.next() : { done: false, value };
    },
    async return() {
      given = true;
      await rest.return?.();
      return over;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
