import { bytesOf, textOf } from '../../../packages/verify/src/bytes.ts';
import { afterPrefix, type PartialTree } from '../../../packages/verify/src/index.ts';
import type { Row, StoreRead } from '../../../packages/verify/src/plans/index.ts';
import { changedKeys, type TreeChanges } from '../../../packages/verify/src/treeChanges.ts';

/** The keys of a store from `start` to before `end`, as texts with a character for each byte, whose order is that of the bytes. */
export interface KeyRange {
  readonly store: string;
  readonly start: string;
  /** Undefined: to the last key. */
  readonly end: string | undefined;
}

/** The keys that the answer to a read of a store depends on. Of a read with a most number of rows, these end with the last row. */
export function rangeOf(read: StoreRead, answer: Uint8Array | null | readonly Row[]): KeyRange {
  const { store } = read;
  if ('key' in read) {
    const start = textOf(read.key);
    return { store, start, end: `${start}\0` };
  }
  const { from = read.prefix, most } = read.bounds;
  const [prefix, first] = [textOf(read.prefix), textOf(from)];
  const start = first < prefix ? prefix : first;
  const rows = Array.isArray(answer) ? answer : [];
  const last = most !== undefined && rows.length >= most ? rows.at(-1)?.[0] : undefined;
  const next = afterPrefix(read.prefix);
  return { store, start, end: last === undefined ? next && textOf(next) : `${textOf(last)}\0` };
}

/** What is known of a range at a new root. `UNKNOWN`: a proof of the key tells more. */
type RangeState =
  | { readonly kind: 'UNCHANGED' }
  | { readonly kind: 'CHANGED' }
  | { readonly kind: 'UNKNOWN'; readonly key: string; readonly gap: number };

const unchanged: RangeState = { kind: 'UNCHANGED' };
const changed: RangeState = { kind: 'CHANGED' };

/**
 * Compares a range with what changed. It is unchanged if no change and no gap reaches into it. A gap over one of its ends can be made smaller by a proof at that end, and one
 * between them by a proof of its first key.
 */
function stateOf({ start, end }: KeyRange, { keys, gaps }: TreeChanges): RangeState {
  for (const key of keys) if (start <= key && (end === undefined || key < end)) return changed;
  let unknown: RangeState = unchanged;
  for (const [gap, { after, before, first, last, isOpen }] of gaps.entries()) {
    const begin = first ?? (after === undefined ? undefined : `${after}\0`);
    const isAfter = end !== undefined && begin !== undefined && end <= begin;
    const isBefore = last === undefined ? before !== undefined && before <= start : last < start;
    if (isAfter || isBefore) continue;
    if (!isOpen) return changed;
    if (after === undefined || after < start) unknown = { kind: 'UNKNOWN', key: start, gap };
    else if (end !== undefined && (before === undefined || end <= before)) unknown = { kind: 'UNKNOWN', key: end, gap };
    else unknown = { kind: 'UNKNOWN', key: first ?? `${after}\0`, gap };
  }
  return unknown;
}

/** How many proofs are requested at once, if as many parts of the tree are unknown: one batch. */
const proofsAtOnce = 10;

/**
 * Compares ranges of a store at an earlier root with a later one, and resolves with those that may have changed. The later tree is walked down where hashes differ: `prove` adds the
 * proof of a key to it, and is called for one key in each part that is unknown and that a range ends in. A range that cannot be decided counts as changed.
 */
export async function changedRanges<T extends KeyRange>(
  ranges: readonly T[],
  {
    earlier,
    later,
    prove,
    most,
  }: {
    readonly earlier: PartialTree;
    readonly later: PartialTree;
    readonly prove: (key: Uint8Array) => Promise<void>;
    /** The most proofs. Where more are needed, reading is cheaper. */
    readonly most: number;
  },
): Promise<readonly T[]> {
  const changedOnes: T[] = [];
  const askedKeys = new Set<string>();
  for (let open = ranges; open.length > 0; ) {
    const changes = changedKeys(earlier, later);
    const unknown: T[] = [];
    /** The first key for each part of the tree that is unknown, so that processes that share proofs ask for the same. */
    const keys = new Map<number, string>();
    for (const range of open) {
      const state = stateOf(range, changes);
      if (state.kind === 'UNCHANGED') continue;
      if (state.kind === 'CHANGED' || askedKeys.has(state.key) || askedKeys.size >= most) {
        changedOnes.push(range);
        continue;
      }
      unknown.push(range);
      const first = keys.get(state.gap);
      if (first === undefined || state.key < first) keys.set(state.gap, state.key);
    }
    open = unknown;
    const nextKeys = [...keys.values()].sort().slice(0, proofsAtOnce);
    for (const key of nextKeys) askedKeys.add(key);
    await Promise.all(nextKeys.map((key) => prove(bytesOf(key))));
  }
  return changedOnes;
}
