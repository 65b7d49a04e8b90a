import type { RangeBounds, Row } from '../rows.ts';

export type { RangeBounds, Row } from '../rows.ts';

/** A read of one key, whose answer is its value, or null if the store does not have it. */
export interface KeyRead {
  readonly store: string;
  readonly key: Uint8Array;
}

/** A read of all keys with a prefix, or of a part of them, whose answer is their rows in key order. */
export interface RangeRead {
  readonly store: string;
  readonly prefix: Uint8Array;
  readonly bounds: RangeBounds;
}

export type StoreRead = KeyRead | RangeRead;
/** The answer of a read: a value, or null; the rows of a range. */
export type ReadAnswer = Uint8Array | null | readonly Row[];

/**
 * A computation that reads stores step by step. Each step yields the reads that it needs at once, and gets their answers in the same order. It has
 * no other source, so whoever drives it decides what is read from where, and whether it is proven.
 */
export type Reading<T> = Generator<readonly StoreRead[], T, readonly ReadAnswer[]>;

/** Reads some keys at once. */
export function* getAll(store: string, keys: readonly Uint8Array[]): Reading<readonly (Uint8Array | null)[]> {
  if (keys.length === 0) return [];
  const answers = yield keys.map((key) => ({ store, key }));
  return keys.map((_, at) => {
    const answer = answers[at];
    if (answer === null || answer instanceof Uint8Array) return answer;
    throw new TypeError('a read of a key was answered with rows');
  });
}

/** Reads one key. */
export function* get(store: string, key: Uint8Array): Reading<Uint8Array | null> {
  const [value = null] = yield* getAll(store, [key]);
  return value;
}

/** Reads keys that other rows name. Throws if the store does not have one of them. */
export function* getRows(store: string, keys: readonly Uint8Array[]): Reading<readonly Uint8Array[]> {
  const values = yield* getAll(store, keys);
  return values.map((value) => {
    if (value === null) throw new Error(`the store ${store} names a row that it does not have`);
    return value;
  });
}

/** Reads the rows with a prefix: all of them, unless bounds say that a part is enough. */
export function* range(store: string, prefix: Uint8Array, bounds: RangeBounds = {}): Reading<readonly Row[]> {
  const [rows] = yield [{ store, prefix, bounds }];
  if (rows === undefined || rows === null || rows instanceof Uint8Array)
    throw new TypeError('a read of a range was answered with a value');
  return rows;
}

/** The contents of stores at one height. A read of what is not proven throws. */
export interface StoreReads {
  get(store: string, key: Uint8Array): Uint8Array | null | Promise<Uint8Array | null>;
  range(store: string, prefix: Uint8Array, bounds: RangeBounds): Iterable<Row> | Promise<Iterable<Row>>;
}

/** The same, where all of them is at hand. */
export interface HeldReads {
  get(store: string, key: Uint8Array): Uint8Array | null;
  range(store: string, prefix: Uint8Array, bounds: RangeBounds): Iterable<Row>;
}

/** Drives a computation. The reads of one step are made at once. */
export async function computed<T>(reading: Reading<T>, reads: StoreReads): Promise<T> {
  let step = reading.next();
  while (!step.done) {
    const answers = await Promise.all(
      step.value.map(async (read) =>
        'key' in read ? await reads.get(read.store, read.key) : [...(await reads.range(read.store, read.prefix, read.bounds))],
      ),
    );
    step = reading.next(answers);
  }
  return step.value;
}

/** Drives a computation without waiting. */
export function computedNow<T>(reading: Reading<T>, reads: HeldReads): T {
  let step = reading.next();
  while (!step.done) {
    const answers = step.value.map((read) =>
      'key' in read ? reads.get(read.store, read.key) : [...reads.range(read.store, read.prefix, read.bounds)],
    );
    step = reading.next(answers);
  }
  return step.value;
}
