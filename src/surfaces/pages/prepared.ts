/**
 * Creates a value once for each key, and caches that of the last key. Concurrent callers share one attempt. A failed attempt is
 * not cached: the next call tries again.
 */
export function createPrepared<K, T>(make: (key: K) => Promise<T>): (key: K) => Promise<T> {
  let last: { readonly key: K; readonly value: Promise<T> } | undefined;
  return (key) => {
    if (last !== undefined && last.key === key) return last.value;
    const attempt = { key, value: make(key) };
    last = attempt;
    attempt.value.catch(() => {
      if (last === attempt) last = undefined;
    });
    return attempt.value;
  };
}
