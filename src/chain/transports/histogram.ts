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

export function createHistogram(bounds: readonly number[] = defaultBounds) {
  const bucketCounts = bounds.map(() => 0);
  let count = 0;
  let sum = 0;
  return {
    observe(seconds: number): void {
      count += 1;
      sum += seconds;
      const index = bounds.findIndex((bound) => seconds <= bound);
      if (index >= 0) bucketCounts[index] = (bucketCounts[index] ?? 0) + 1;
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
