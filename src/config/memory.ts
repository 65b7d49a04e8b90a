import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const mebibyte = 1024 * 1024;

/** The least budget: with less the types of a chain do not fit. */
export const leastBudget = 64 * mebibyte;

/** The memory that there is, in bytes: 0 where the system does not tell. */
export interface AvailableMemory {
  /** The limit of the control group of this process; above `machine` where there is none. */
  readonly group: number;
  readonly machine: number;
  /** The limit of V8's heap. */
  readonly heap: number;
}

function availableMemory(): AvailableMemory {
  return { group: process.constrainedMemory(), machine: totalmem(), heap: getHeapStatistics().heap_size_limit };
}

/** The budget where none is set: a quarter of the smallest of these, at least {@link leastBudget}. */
export function defaultBudget({ group, machine, heap }: AvailableMemory = availableMemory()): number {
  const smallest = Math.min(...[group, machine, heap].filter((bytes) => bytes > 0));
  return Math.max(leastBudget, Number.isFinite(smallest) ? Math.floor(smallest / 4) : 0);
}
