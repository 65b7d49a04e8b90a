/** Where a stream puts its values until they are read. */
export interface Sink<T> {
  /** Adds a value. */
  push(value: T): void;
  /** Replaces the values that were not read. */
  replace(value: T): void;
  /** The number of values that were not read. */
  waiting(): number;
  /** Resolves when all values were read. */
  drained(): Promise<void>;
}

const over = { done: true, value: undefined } as const;

/**
 * Creates a stream of what `run` puts into the sink. `run` is called with the first `next`. The stream ends when it resolves, and fails when it rejects,
 * after the values before that were read. `return`, and each of the given signals, end the stream at once: they resolve a pending `next`, and abort
 * the signal of `run`.
 */
export function createStream<T>(
  run: (sink: Sink<T>, signal: AbortSignal) => Promise<void>,
  signals: readonly (AbortSignal | undefined)[],
): AsyncIterableIterator<T> {
  const controller = new AbortController();
  const values: T[] = [];
  let isBegun = false;
  let end: { readonly error?: unknown } | undefined;
  const readers: (() => void)[] = [];
  const writers: (() => void)[] = [];

  const wakeReaders = (): void => {
    for (const wake of readers.splice(0)) wake();
  };
  const sink: Sink<T> = {
    push(value) {
      values.push(value);
      wakeReaders();
    },
    replace(value) {
      values.length = 0;
      sink.push(value);
    },
    waiting: () => values.length,
    async drained() {
      while (values.length > 0 && !controller.signal.aborted) await new Promise<void>((resolve) => writers.push(resolve));
    },
  };

  function finish(ending: { readonly error?: unknown }): void {
    if (end !== undefined) return;
    end = ending;
    for (const signal of signals) signal?.removeEventListener('abort', leave);
    wakeReaders();
  }

  function leave(): void {
    values.length = 0;
    finish({});
    controller.abort();
    for (const wake of writers.splice(0)) wake();
  }

  function begin(): void {
    if (isBegun) return;
    isBegun = true;
    for (const signal of signals) signal?.addEventListener('abort', leave);
    if (signals.some((signal) => signal?.aborted)) {
      leave();
      return;
    }
    run(sink, controller.signal).then(
      () => finish({}),
      (error: unknown) => finish({ error }),
    );
  }

  return {
    async next() {
      begin();
      while (values.length === 0 && end === undefined) await new Promise<void>((resolve) => readers.push(resolve));
      const [value] = values.splice(0, 1);
      if (value !== undefined) {
        if (values.length === 0) for (const wake of writers.splice(0)) wake();
        return { done: false, value };
      }
      if (end !== undefined && 'error' in end) {
        const { error } = end;
        end = {};
        throw error;
      }
      return over;
    },
    async return() {
      isBegun = true;
      leave();
      return over;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
