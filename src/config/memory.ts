import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const mebibyte = 1024 * 1024;

/** The smallest budget, in bytes. The types of a chain do not fit into less. */
export const leastBudget = 64 * mebibyte;

/** The available memory, in bytes. 0 if the system does not report it. */
export interface AvailableMemory {
  /** The limit of the process's control group. Larger than `machine` if there is no limit. */
  readonly group: number;
  readonly machine: number;
  /** The heap limit of V8. */
  readonly heap: number;
}

function availableMemory(): AvailableMemory {
  return { group: process.constrainedMemory(), machine: totalmem(), heap: getHeapStatistics().heap_size_limit };
}

/** The default budget, in bytes: a quarter of the smallest of these, at least {@link leastBudget}. */
export function defaultBudget({ group, machine, heap }: AvailableMemory = availableMemory()): number {
  const smallest = Math.min(...[group, machine, heap].filter((bytes) => bytes > 0));
  return Math.max(leastBudget, Number.isFinite(smallest) ? Math.floor(smallest / 4) : 0);
}
