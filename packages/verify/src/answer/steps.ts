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
  const values: T[] = [];
  let open: { readonly one: Steps<T>; readonly index: number; readonly reads: readonly StoreRead[] }[] = [];
  const note = (one: Steps<T>, index: number, step: IteratorResult<readonly StoreRead[], T>): void => {
    if (step.done) values[index] = step.value;
    else open.push({ one, index, reads: step.value });
  };
  for (const [index, one] of all.entries()) note(one, index, one.next());
  while (open.length > 0) {
    const before = open;
    const answers = yield before.flatMap(({ reads }) => reads);
    open = [];
    let from = 0;
    for (const { one, index, reads } of before) {
      const to = from + reads.length;
      note(one, index, one.next(answers.slice(from, to)));
      from = to;
    }
  }
  return values;
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
