import type { HeldReads, ReadAnswer, StoreRead, StoreReads } from '../plans/reads.ts';

/** A read that failed. It stands in the place of its answer, so that the field that needs it can be named. */
export class FailedRead {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** A computation that reads stores step by step, and hears of each read that fails. */
export type Steps<T> = Generator<readonly StoreRead[], T, readonly (ReadAnswer | FailedRead)[]>;

/** Runs computations side by side: the reads of their steps are one step. */
export function* together<T>(all: readonly Steps<T>[]): Steps<readonly T[]> {
  let steps = all.map((one) => one.next());
  for (;;) {
    const reads = steps.flatMap((step) => (step.done ? [] : step.value));
    if (steps.every(({ done }) => done)) return steps.flatMap((step) => (step.done ? [step.value] : []));
    const answers = yield reads;
    let from = 0;
    steps = steps.map((step, index) => {
      if (step.done) return step;
      const part = answers.slice(from, from + step.value.length);
      from += step.value.length;
      return all[index]?.next(part) ?? step;
    });
  }
}

/** Drives a computation. The reads of one step are made at once. */
export async function run<T>(steps: Steps<T>, reads: StoreReads): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    const answers = step.value.map(async (read) => {
      try {
        return 'key' in read
          ? await reads.get(read.store, read.key)
          : [...(await reads.range(read.store, read.prefix, read.bounds))];
      } catch (error) {
        return new FailedRead(error);
      }
    });
    step = steps.next(await Promise.all(answers));
  }
  return step.value;
}

/** Drives a computation without waiting. */
export function runNow<T>(steps: Steps<T>, reads: HeldReads): T {
  let step = steps.next();
  while (!step.done) {
    const answers = step.value.map((read) => {
      try {
        return 'key' in read ? reads.get(read.store, read.key) : [...reads.range(read.store, read.prefix, read.bounds)];
      } catch (error) {
        return new FailedRead(error);
      }
    });
    step = steps.next(answers);
  }
  return step.value;
}
