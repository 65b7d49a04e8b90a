/**
 * A value that is known now, or a promise of it. Functions that return one work without promises as long as everything that they
 * read is in memory.
 */
export type Awaitable<T> = T | Promise<T>;

/** Applies `f` to a value: at once if it is known, else when the promise resolves. What `f` throws rejects the result. */
export function andThen<T, R>(value: Awaitable<T>, f: (value: T) => Awaitable<R>): Awaitable<R> {
  if (value instanceof Promise) return value.then(f);
  try {
    return f(value);
  } catch (error) {
    return Promise.reject(error);
  }
}

/**
 * Applies `f` to two values: at once if both are known, else when both promises resolve. What `f` throws rejects the result.
 */
export function both<A, B, R>(one: Awaitable<A>, other: Awaitable<B>, f: (one: A, other: B) => Awaitable<R>): Awaitable<R> {
  if (one instanceof Promise || other instanceof Promise) {
    return Promise.all([one, other]).then(([first, second]) => f(first, second));
  }
  return attempt(() => f(one, other));
}

/** The values: at once if all are known, else when all promises resolve. */
export function all<T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> {
  return areKnown(values) ? values : Promise.all(values);
}

function areKnown<T>(values: readonly Awaitable<T>[]): values is readonly T[] {
  return !values.some((value) => value instanceof Promise);
}

/** The value of `f`. What it throws rejects the promise, so that a caller handles all errors in one place. */
export function attempt<T>(f: () => Awaitable<T>): Awaitable<T> {
  try {
    return f();
  } catch (error) {
    return Promise.reject(error);
  }
}
