import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/** Items of a page if `first` is absent. */
export const pageDefault = 20;

/** Bounds of a page, from the limits in force. */
export interface Bounds {
  readonly pageMax: number;
  /** The largest `offset`. The chain reads every item that an offset skips. */
  readonly offsetMax: number;
  /** Called before a list is counted. Throws OPERATION_TOO_COMPLEX if the operation counts too many. */
  readonly onCount?: () => void;
}

export const defaultBounds: Bounds = { pageMax: 100, offsetMax: 25_000 };

/** Points of a `totalCount`. The length of the list is unknown. */
export const countPoints = 50;

/** Points of a mutation, besides those of its fields. */
export const mutationPoints = 10;

/** Points of a field that sends a transaction. */
export const broadcastPoints = 20;

/** How many times as much a field costs that makes the chain read more items than it returns. */
export const scanFactor = 5;

/** Assumed number of items of a list that is always returned whole with its object. */
export const plainList = 5;

/** The tag of all answers for caches. It is what `@cacheTag` names, and the first tag of each answer. */
export const tagOfAll = 'stele';

/** The longest cursor, in characters. */
export const cursorMax = 1024;

/** The longest page key that a caller may send to the chain, in bytes. */
export const pageKeyMax = 1024;

/** Items of one upstream read when a list is read whole. */
export const scanPage = 200;

/** The most items of a list that a derived field reads whole. Above it, OPERATION_TOO_COMPLEX. */
export const scanMax = 5_000;

/** The most items of each list of the state that a search reads. Above it, the search is incomplete. */
export const searchScan = 1_000;

/** The longest text of a search, in characters. */
export const searchTextMax = 256;

/** The largest transaction that a node accepts, in bytes (docs/chain.md, "Limits of a node"). */
export const maxTxBytes = 1_048_576;

/** The longest event query that a node accepts, in bytes (docs/chain.md, "Pages and searches"). */
export const maxEventQueryBytes = 512;

/** Bounds of the health of a node. */
export interface NodeBounds {
  /** A node this far behind the best one, in blocks or in ms of block time, is not used while another node is available. */
  readonly lagBlocks: number;
  readonly lagTime: number;
  /** A node this many blocks behind is DOWN. */
  readonly downBlocks: number;
  /** Failures in a row that eject a node, or make the last node DOWN. */
  readonly failures: number;
}

export const defaultNodeBounds: NodeBounds = { lagBlocks: 3, lagTime: 15_000, downBlocks: 100, failures: 5 };

const mebibyte = 1024 * 1024;

/** The smallest budget, in bytes. The types of a chain do not fit into less. */
export const leastBudget = 64 * mebibyte;

/**
 * The default budget, in bytes: a quarter of the smallest of the available memories, at least {@link leastBudget}. Each is in bytes, and 0 if unknown:
 * the limit of the control group, which is larger than `machine` if there is none, the memory of the machine, and the limit of the heap.
 */
export function defaultBudget({
  group = process.constrainedMemory(),
  machine = totalmem(),
  heap = getHeapStatistics().heap_size_limit,
} = {}): number {
  const smallest = Math.min(...[group, machine, heap].filter((bytes) => bytes > 0));
  return Math.max(leastBudget, Number.isFinite(smallest) ? Math.floor(smallest / 4) : 0);
}
