import type { HistogramView } from '../../chain/transports/histogram.ts';

/** Labels of a sample. Each label has a small fixed set of values: callers cannot create new ones. */
export type Labels = Readonly<Record<string, string>>;

/** The current samples of a metric. */
export type Samples<T = number> = readonly { readonly labels?: Labels; readonly value: T }[];

/**
 * Adds a metric: its name, its help text, the names of its labels separated by spaces, and the function that returns its
 * samples.
 */
export type Add<T = number> = (name: string, help: string, labels: string, read: () => Samples<T>) => void;

/** The functions that add metrics of each kind. */
export interface Kinds {
  readonly counter: Add;
  readonly gauge: Add;
  readonly histogram: Add<HistogramView>;
}
