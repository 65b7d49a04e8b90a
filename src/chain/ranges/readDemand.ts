import type { NamedRead } from '../roots/followedReads.ts';

/**
 * What following the reads of a store is taken to cost per change, in calls, before it was measured: about eight after a block with one transaction (docs/benchmarks.md, "Blocks").
 * What was measured long ago becomes this again.
 */
const usualCost = 8;

/** The most reads of a store that are counted between two changes. Fewer proofs are read for a walk. */
const maxReads = 500;

/** The weight of the newest value in a mean, and that of the usual cost after a change without a walk. */
const [newestWeight, usualWeight] = [1 / 4, 1 / 64];

/** What was asked of a store since its root changed, and before. */
interface StoreDemand {
  /** The height of the last change. */
  readonly since: bigint;
  /** The proofs of the walk after it. Undefined if the tree was not walked. */
  proofs: number | undefined;
  /** The reads that were used since then. */
  readonly reads: Set<string>;
  /** Those that were used before, since the change before. */
  readonly earlierReads: ReadonlySet<string>;
  /** Answers that were asked for again. */
  answers: number;
  /** Reads that were made, and answers that were executed, although ranges are followed. */
  made: number;
  /** Reads and answers per change. Undefined before the first change. */
  readonly uses: number | undefined;
  /** Proofs, reads that are made, and answers that are executed per change, if ranges are followed. */
  readonly cost: number;
}

/** Whether following the reads of a store costs less than making them again. */
const pays = ({ uses = maxReads, cost }: StoreDemand): boolean => uses >= maxReads || uses > cost;

const meanOf = (mean: number, value: number, weight: number): number => mean + weight * (value - mean);

/** The next demand of a store, whose root changes. */
function nextDemand(last: StoreDemand, since: bigint): StoreDemand {
  const { proofs, reads, answers, made, uses = reads.size + answers, cost } = last;
  return {
    since,
    proofs: undefined,
    reads: new Set(),
    earlierReads: reads,
    answers: 0,
    made: 0,
    uses: meanOf(uses, reads.size + answers, newestWeight),
    cost: proofs === undefined ? meanOf(cost, usualCost, usualWeight) : meanOf(cost, proofs + made, newestWeight),
  };
}

/**
 * Creates a measure of what is asked of each store. It decides whether reads are followed, or made again when the root of their store changes: per change, the reads and executions
 * that would be made without ranges are compared with the proofs, reads and executions that are made with them. An execution counts as one call. What is asked for rarely is made again.
 */
export function createReadDemand() {
  const stores = new Map<string, StoreDemand>();

  function demandOf(store: string): StoreDemand {
    const knownDemand = stores.get(store);
    if (knownDemand !== undefined) return knownDemand;
    const nothing = { since: 0n, proofs: undefined, answers: 0, made: 0, uses: undefined, cost: usualCost };
    const demand: StoreDemand = { ...nothing, reads: new Set(), earlierReads: new Set() };
    stores.set(store, demand);
    return demand;
  }

  return {
    /** Notes a read that was used. `isMade`: it was not in memory. Returns whether it costs less to follow it than to make it again. */
    note({ name, stores: names }: NamedRead, isMade: boolean): boolean {
      let isWorthFollowing = true;
      for (const store of names) {
        const demand = demandOf(store);
        if (!pays(demand)) isWorthFollowing = false;
        if (demand.reads.size >= maxReads || demand.reads.has(name)) continue;
        demand.reads.add(name);
        if (isMade) demand.made += 1;
      }
      return isWorthFollowing;
    },
    /** Notes that an answer from one height was asked for at a later one. `isSame`: it was valid there, otherwise it is executed. */
    noteAnswer(reads: readonly NamedRead[], from: bigint, to: bigint, isSame: boolean): void {
      if (from >= to) return;
      for (const [store, demand] of stores) {
        if (from >= demand.since || demand.since > to) continue;
        const ownReads = reads.filter((read) => read.stores.includes(store));
        // Reads that were not noted before cannot be followed.
        const canBeSame = isSame || demand.proofs !== undefined || ownReads.every(({ name }) => demand.earlierReads.has(name));
        if (ownReads.length === 0 || !canBeSame) continue;
        demand.answers += 1;
        if (!isSame) demand.made += 1;
        else for (const { name } of ownReads) if (demand.reads.size < maxReads) demand.reads.add(name);
      }
    },
    /** The stores that something was noted of. */
    stores: (): Iterable<string> => stores.keys(),
    /** Notes a change of the root of a store. */
    changed(store: string, height: bigint): void {
      stores.set(store, nextDemand(demandOf(store), height));
    },
    /** Notes the proofs of the walk after the last change. */
    walked(store: string, proofs: number): void {
      demandOf(store).proofs = proofs;
    },
    /** The reads and executions per change, if following the reads of a store costs less. Undefined if it costs more. */
    saving(store: string): number | undefined {
      const demand = demandOf(store);
      return pays(demand) ? (demand.uses ?? maxReads) : undefined;
    },
  };
}
