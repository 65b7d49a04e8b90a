import { equalBytes, type PartialTree } from '../../../packages/verify/src/index.ts';
import { computed, type Plan, plans, type StoreReads } from '../../../packages/verify/src/plans/index.ts';
import { bufferBytes, createSeenNames, type MemoryBudget, objectBytes, textBytes } from '../memory/memoryBudget.ts';
import { accountPrefix } from '../proofs/proofs.ts';
import { createProvenStores, type ProvenHeight } from '../proofs/provenStores.ts';
import type { FollowedReads, FollowedReadsStats, LearntBlock, NamedRead } from '../roots/followedReads.ts';
import type { StateRoots } from '../roots/stateRoots.ts';
import type { SharedReads } from '../state/stateEntries.ts';
import type { Transport } from '../transports/transport.ts';

import { changedRanges, type KeyRange, rangeOf } from './keyRanges.ts';
import { createReadDemand } from './readDemand.ts';

/** A response that is followed from block to block. */
interface KeptRead {
  readonly name: string;
  /** What its entry in memory is kept by. */
  readonly roots: string;
  /** The height that it was read at. It is valid from there up to the newest block, or it is not followed. */
  readonly from: bigint;
  /** The stores of its method. */
  readonly stores: readonly string[];
  readonly ranges: readonly HeldRange[];
}

/** A range with the reads that depend on it. */
interface HeldRange extends KeyRange {
  readonly name: string;
  readonly reads: Set<KeptRead>;
}

/** A response that was just read. */
interface NewRead {
  readonly name: string;
  readonly plan: Plan;
  readonly request: Uint8Array;
  readonly response: Uint8Array;
  readonly height: bigint;
  readonly stores: readonly string[];
}

/** The most reads that are followed. */
const maxReads = 50_000;

/** The most reads that wait for their ranges to be proven. A read that finds no place waits for its next execution. */
const maxWaiting = 20_000;

/** The most proofs that a walk of one store may need. More of them, ten at once, take too long for a block. */
const maxProofs = 200;

/** How many reads are proven at once. */
const atOnce = 8;

/** Memory of a read that is followed, without its name. A range that several reads share counts for each. */
function sizeOfRead({ roots, ranges }: KeptRead): number {
  let bytes = objectBytes + textBytes(roots);
  // A range, its set of reads, and its ends, which are in its name again.
  for (const { name } of ranges) bytes += objectBytes + bufferBytes + 2 * textBytes(name);
  return bytes;
}

/**
 * Follows responses from block to block by the ranges of keys that they were computed from. When the root of a store changes, the tree of the store is walked down where hashes
 * differ, until each range is known to be unchanged, or may have changed. A response is followed from its second execution on, or from its first one after `followFirst`, if its method has a plan, and if the plan
 * computes the same bytes from proven keys.
 */
export function createKeptReads(options: {
  readonly transport: Transport;
  readonly memory: MemoryBudget;
  readonly roots: () => Pick<StateRoots, 'keyAt' | 'rootOf' | 'proofOf'>;
  /** Proofs that other processes have read. Default: none. */
  readonly shared?: SharedReads | undefined;
}): FollowedReads {
  const { transport, memory, roots, shared } = options;
  const stores = createProvenStores({
    ...{ transport, memory, shared, trees: 'ranges' },
    // Another node is asked. The app hash may be the wrong part: the next header has not confirmed it yet.
    onRefuted: () => undefined,
    rootOf: ({ height, appHash }, store) => roots().rootOf(height, store, appHash),
    proofOfRoot: ({ height, appHash }, store) => roots().proofOf(height, store, appHash),
  });
  const reads = memory.cache<KeptRead>('state', 'followed', sizeOfRead, unlink);
  /** The ranges of each store by their names. */
  const ranges = new Map<string, Map<string, HeldRange>>();
  const seenNames = createSeenNames();
  const demand = createReadDemand();
  /** Whether a response is followed from its first execution on. */
  let followsFirst = false;
  const waiting = new Map<string, NewRead>();
  let running = 0;
  /** The newest block that everything was compared with. */
  let newest: LearntBlock | undefined;
  let walking = Promise.resolve();
  let isWalking = false;
  /** Incremented when everything is dropped. */
  let generation = 0;
  let prefix: string | undefined;
  const counts = { walks: 0, compared: 0, changed: 0 };

  /** Removes a read from its ranges. */
  function unlink(read: KeptRead): void {
    for (const range of read.ranges) {
      range.reads.delete(read);
      if (range.reads.size > 0) continue;
      const ofStore = ranges.get(range.store);
      ofStore?.delete(range.name);
      if (ofStore?.size === 0) ranges.delete(range.store);
    }
  }

  function drop(read: KeptRead): void {
    reads.delete(read.name);
    unlink(read);
  }

  function dropRange({ reads: dependants }: HeldRange): void {
    for (const read of [...dependants]) drop(read);
  }

  function clear(): void {
    generation += 1;
    reads.clear();
    ranges.clear();
    waiting.clear();
    stores.clear();
    newest = undefined;
  }

  /** Whether the stores have the same roots at two heights and at all between. */
  function areSame(names: readonly string[], from: bigint, to: bigint): boolean {
    const key = roots().keyAt(from, names);
    if (key === undefined) return false;
    for (let height = from + 1n; height <= to; height += 1n) if (roots().keyAt(height, names) !== key) return false;
    return true;
  }

  function hold({ name, height: from, stores }: NewRead, keyRoots: string, list: readonly KeyRange[]): void {
    const ownRanges = list.map((range) => {
      const ofStore = ranges.get(range.store) ?? new Map<string, HeldRange>();
      ranges.set(range.store, ofStore);
      const rangeName = `${range.start.length} ${range.start}${range.end ?? ''}`;
      const knownRange = ofStore.get(rangeName) ?? { ...range, name: rangeName, reads: new Set<KeptRead>() };
      ofStore.set(rangeName, knownRange);
      return knownRange;
    });
    const read: KeptRead = { name, roots: keyRoots, from, stores, ranges: ownRanges };
    for (const range of ownRanges) range.reads.add(read);
    reads.set(name, read);
    // It may be too large to be stored.
    if (reads.peek(name) !== read) unlink(read);
  }

  /** Proves the ranges of a response, and follows it. Rejects if they cannot be proven. */
  async function follow(newRead: NewRead): Promise<void> {
    const { name, plan, request, response, height, stores: names } = newRead;
    const block = newest;
    if (block === undefined || height > block.height || !areSame(names, height, block.height)) return;
    const provenReads = stores.at(block);
    prefix ??= await accountPrefix(provenReads);
    if (prefix === undefined) return;
    const list = new Map<string, KeyRange>();
    const note = (range: KeyRange): void =>
      void list.set(`${range.store} ${range.start.length} ${range.start}${range.end ?? ''}`, range);
    const notedReads: StoreReads = {
      async get(store, key) {
        const value = await provenReads.get(store, key);
        note(rangeOf({ store, key }, value));
        return value;
      },
      async range(store, keys, bounds) {
        const rows = [...(await provenReads.range(store, keys, bounds))];
        note(rangeOf({ store, prefix: keys, bounds }, rows));
        return rows;
      },
    };
    const context = {
      prefix,
      get time(): bigint {
        throw new Error('The answer depends on the time of the block.');
      },
    };
    const answer = await computed(plan.answer(request, context), notedReads);
    if (!('value' in answer) || !equalBytes(answer.value, response)) return;
    const key = roots().keyAt(height, names);
    // A block that came in the meantime has not compared these ranges.
    if (isWalking || newest !== block || key === undefined || reads.counts().entries >= maxReads) return;
    const earlier = reads.peek(name);
    if (earlier !== undefined) drop(earlier);
    hold(newRead, key, [...list.values()]);
  }

  function work(): void {
    for (const [name, read] of waiting) {
      if (running >= atOnce) return;
      waiting.delete(name);
      running += 1;
      void follow(read)
        .catch(() => undefined)
        .finally(() => {
          running -= 1;
          work();
        });
    }
  }

  /** How many calls a walk of a store may save. Undefined if its reads are better made again. */
  const savingOf = (store: string): number | undefined => (followsFirst ? maxProofs : demand.saving(store));

  /** Compares the ranges of a store with its tree after a block. Those that may have changed are dropped with their reads. */
  async function compare(store: string, earlier: PartialTree, at: ProvenHeight, saving: number): Promise<void> {
    const later = stores.carryTree(at, store, earlier);
    if (later === undefined) return;
    const ownRanges = [...(ranges.get(store)?.values() ?? [])];
    let proofs = 0;
    const prove = (key: Uint8Array): Promise<void> => {
      proofs += 1;
      return stores.prove(at, store, key);
    };
    const most = Math.min(maxProofs, Math.ceil(saving));
    const changedOnes = await changedRanges(ownRanges, { earlier, later, prove, most });
    demand.walked(store, proofs);
    counts.compared += ownRanges.length;
    counts.changed += changedOnes.length;
    for (const range of changedOnes) dropRange(range);
  }

  /** Compares everything that is followed with the state after the next block. */
  async function step(before: LearntBlock, block: LearntBlock): Promise<void> {
    await Promise.all(
      [...demand.stores()].map(async (store) => {
        const [root, newRoot] = [before, block].map(({ height, appHash }) => roots().rootOf(height, store, appHash));
        if (root !== undefined && root === newRoot) return;
        demand.changed(store, block.height);
        const ownRanges = [...(ranges.get(store)?.values() ?? [])];
        if (ownRanges.length === 0) return;
        const saving = savingOf(store);
        try {
          const tree = root === undefined ? undefined : stores.treeAt(before, store);
          if (newRoot === undefined || tree === undefined || saving === undefined)
            for (const range of ownRanges) dropRange(range);
          else await compare(store, tree, block, saving);
        } catch {
          // No node returned a valid proof.
          for (const range of ownRanges) dropRange(range);
        }
      }),
    );
  }

  async function walk(block: LearntBlock): Promise<void> {
    const before = newest;
    if (before === undefined || block.height !== before.height + 1n || block.application !== before.application) {
      clear();
      newest = block;
      return;
    }
    const started = generation;
    counts.walks += 1;
    // What is proven meanwhile was not compared.
    isWalking = true;
    await step(before, block);
    isWalking = false;
    if (started !== generation) return;
    newest = block;
    work();
  }

  function areSameReads(list: readonly NamedRead[], from: bigint, to: bigint): boolean {
    if (newest === undefined || reads.counts().entries === 0 || from > to || to > newest.height) return false;
    for (const { name, stores: names } of list) {
      const read = reads.get(name, false);
      if (read !== undefined && read.from <= from) continue;
      const key = roots().keyAt(from, names);
      if (key === undefined || roots().keyAt(to, names) !== key) return false;
    }
    return true;
  }

  return {
    walk(block) {
      walking = walking.then(() => walk(block)).catch(clear);
      return walking;
    },
    note(read) {
      const plan = plans.get(read.path);
      if (plan === undefined) return;
      const { name, request, response, height, stores: names } = read;
      const isWorthFollowing = demand.note(read, true);
      const isRepeated = seenNames.note(name);
      if (!(followsFirst || (isWorthFollowing && isRepeated)) || waiting.size >= maxWaiting) return;
      waiting.set(name, { name, plan, request, response, height, stores: names });
      work();
    },
    followFirst() {
      followsFirst = true;
    },
    rootsAt(name, height) {
      const read = reads.get(name, false);
      if (read === undefined || newest === undefined || height < read.from || newest.height < height) return undefined;
      demand.note(read, false);
      return read.roots;
    },
    areSame(list, from, to) {
      const isSame = areSameReads(list, from, to);
      demand.noteAnswer(list, from, to, isSame);
      return isSame;
    },
    clear,
    stats: (): FollowedReadsStats => {
      let count = 0;
      for (const ofStore of ranges.values()) count += ofStore.size;
      return {
        reads: reads.counts().entries,
        pending: waiting.size + running,
        ranges: count,
        proofs: stores.stats().proofs + stores.stats().hints,
        ...counts,
      };
    },
  };
}
