import { setMaxListeners } from 'node:events';

/** A duration in nanoseconds, or a time in nanoseconds since 1970. Signed, of any size. */
export type Nanoseconds = bigint;

const billion = 1_000_000_000n;

/** Converts milliseconds, which may have a fraction, to nanoseconds. */
export function fromMilliseconds(milliseconds: number): Nanoseconds {
  // A number cannot hold a Unix time in nanoseconds exactly.
  const whole = Math.floor(milliseconds);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((milliseconds - whole) * 1e6));
}

/** Converts a protobuf `Timestamp` or `Duration` to nanoseconds. An absent one is 0, as the chain reads it. */
export function fromSecondsAndNanos(value: { readonly seconds: bigint; readonly nanos: number } | undefined): Nanoseconds {
  return value === undefined ? 0n : value.seconds * billion + BigInt(value.nanos);
}

/** The inverse of {@link fromSecondsAndNanos}, for times that are not negative. */
export function toSecondsAndNanos(time: Nanoseconds): { readonly seconds: bigint; readonly nanos: number } {
  return { seconds: time / billion, nanos: Number(time % billion) };
}

const secondsPerDay = 86_400;

/** The number of days whose text is kept. */
const keptDays = 400;

const days = new Map<number, string>();

/** The date of a day, counted from 1970. Most times of an answer are of a few days. */
function dayText(day: number): string {
  const cached = days.get(day);
  if (cached !== undefined) return cached;
  const iso = new Date(day * secondsPerDay * 1000).toISOString();
  const text = iso.slice(0, iso.indexOf('T'));
  if (days.size >= keptDays) days.clear();
  days.set(day, text);
  return text;
}

const twoDigits = (value: number): string => (value < 10 ? `0${value}` : String(value));

/** A time in seconds since 1970 without its zone. */
function secondsText(seconds: number): string {
  const day = Math.floor(seconds / secondsPerDay);
  const rest = seconds - day * secondsPerDay;
  const [hours, minutes] = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60];
  return `${dayText(day)}T${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(rest % 60)}`;
}

/** Prints a time as protobuf JSON does: UTC, with 0, 3, 6 or 9 decimals. */
export function timeText(time: Nanoseconds): string {
  const nanos = ((time % billion) + billion) % billion;
  const seconds = (time - nanos) / billion;
  const whole = secondsText(Number(seconds));
  if (nanos === 0n) return `${whole}Z`;
  const decimals = nanos.toString().padStart(9, '0');
  const decimalPlaces = decimals.endsWith('000000') ? 3 : decimals.endsWith('000') ? 6 : 9;
  return `${whole}.${decimals.slice(0, decimalPlaces)}Z`;
}

/** Prints a time as the headers of blocks do: UTC, without zeros at the end. */
export function headerTimeText(time: Nanoseconds): string {
  return timeText(time).replace(/(\.\d*[1-9])0+Z$/, '$1Z');
}

/** Prints a duration in seconds with its unit: "20s", "0.5s", "-1.25s". Keeps nanoseconds, without trailing zeros. */
export function durationText(duration: Nanoseconds): string {
  const sign = duration < 0n ? '-' : '';
  const size = duration < 0n ? -duration : duration;
  const decimals = (size % billion).toString().padStart(9, '0').replace(/0+$/, '');
  return `${sign}${size / billion}${decimals === '' ? '' : `.${decimals}`}s`;
}

/** Parses RFC 3339 text in UTC with up to nine decimals, as a node prints times. Throws a RangeError for any other text. */
export function parseTime(text: string): Nanoseconds {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(text);
  const milliseconds = match === null ? Number.NaN : Date.parse(`${match[1]}Z`);
  if (Number.isNaN(milliseconds)) throw new RangeError(`not a time in UTC: ${text.slice(0, 40)}`);
  return BigInt(milliseconds) * 1_000_000n + BigInt((match?.[2] ?? '').padEnd(9, '0'));
}

/** Calls `listener` when `signal` is aborted. Returns a function that removes the listener. A signal may have any number of listeners. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => undefined;
  // Node.js warns of a leak from the eleventh listener on. All calls of an operation share its signal, so more are expected.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** A signal that is created on first access, because most work ends before anything listens to it. */
export interface LazySignal {
  /** Whether the signal is aborted, or will be when it is created. */
  readonly aborted: boolean;
  readonly signal: AbortSignal;
}

export function signalOf(signal: AbortSignal | LazySignal): AbortSignal;
export function signalOf(signal: AbortSignal | LazySignal | undefined): AbortSignal | undefined;
export function signalOf(signal: AbortSignal | LazySignal | undefined): AbortSignal | undefined {
  return signal === undefined || signal instanceof AbortSignal ? signal : signal.signal;
}

/** Unix time in milliseconds that never goes backwards: the system clock at process start plus the monotonic clock since then. */
export function monotonicNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Resolves after `milliseconds`. Rejects with the signal's reason as soon as the signal is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      removeListener();
      resolve();
    }, milliseconds);
    const removeListener = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal?.reason);
    });
  });
}

/**
 * The waits between tries, in ms, by the number of failures in a row. The wait after the first failure is `first`; each further failure doubles
 * it, up to `max`. `jitter` is the part of a wait that is random, so that clients do not try again together: 0 by default, 1 for all of it.
 */
export function backoff(options: {
  readonly first: number;
  readonly max?: number;
  readonly jitter?: number;
}): (failures: number) => number {
  const { first, max = Number.POSITIVE_INFINITY, jitter = 0 } = options;
  return (failures) => Math.min(first * 2 ** (failures - 1), max) * (1 - jitter + jitter * Math.random());
}

/** Settles as `promise` does, or rejects with the signal's reason as soon as the signal is aborted. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const removeListener = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(removeListener);
  });
}

/** How many times were measured, by their size in seconds. */
export interface HistogramView {
  /** Upper bounds, ascending. Larger values count in no bucket. */
  readonly bounds: readonly number[];
  /** For each bound, the number of values up to it. */
  readonly counts: readonly number[];
  readonly count: number;
  readonly sum: number;
}

export type Histogram = ReturnType<typeof createHistogram>;

/** In seconds: from the fastest response from memory to the longest operation. */
const defaultBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** Creates an empty histogram of times. `bounds` are in seconds, ascending. */
export function createHistogram(bounds: readonly number[] = defaultBounds) {
  const bucketCounts = bounds.map(() => 0);
  let count = 0;
  let sum = 0;
  return {
    observe(seconds: number): void {
      count += 1;
      sum += seconds;
      let index = 0;
      while (seconds > (bounds[index] ?? Number.POSITIVE_INFINITY)) index += 1;
      if (index < bucketCounts.length) bucketCounts[index] = (bucketCounts[index] ?? 0) + 1;
    },
    view(): HistogramView {
      let below = 0;
      const counts = bucketCounts.map((each) => {
        below += each;
        return below;
      });
      return { bounds, counts, count, sum };
    },
  };
}

export type TimeSlicer = ReturnType<typeof createTimeSlicer>;

/** Served entries are removed from the queue this many at a time. */
const compactFrom = 1_024;

/**
 * Spreads many small pieces of work over iterations of the event loop, so that I/O is handled in between. In one iteration, pieces start until
 * `slice` ms have passed. The rest run in later iterations, after the I/O that is pending.
 */
export function createTimeSlicer(slice = 4) {
  let resolvers: (() => void)[] = [];
  let nextIndex = 0;
  /** When the slice of this iteration began; undefined before its first piece. */
  let beganAt: number | undefined;
  let isRunning = false;

  function renew(): void {
    beganAt = undefined;
    if (!isRunning && nextIndex < resolvers.length) run();
  }

  function run(): void {
    isRunning = false;
    if (beganAt === undefined) {
      beganAt = performance.now();
      setImmediate(renew);
    }
    if (nextIndex >= compactFrom || nextIndex === resolvers.length) {
      resolvers = resolvers.slice(nextIndex);
      nextIndex = 0;
    }
    const resolve = resolvers[nextIndex];
    if (resolve === undefined) return;
    if (performance.now() - beganAt >= slice) return;
    nextIndex += 1;
    isRunning = true;
    resolve();
    // process.nextTick called from a microtask runs after all microtasks: the caller's piece is done by then.
    void Promise.resolve(run).then(process.nextTick);
  }

  return {
    /** Resolves when the caller may run its piece. Callers run in the order of their calls. */
    next(): Promise<void> {
      const turn = new Promise<void>((resolve) => resolvers.push(resolve));
      if (!isRunning && resolvers.length - nextIndex === 1) {
        isRunning = true;
        void Promise.resolve(run).then(process.nextTick);
      }
      return turn;
    },
  };
}
