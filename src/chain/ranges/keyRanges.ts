import { afterPrefix } from '../../../packages/verify/src/index.ts';
import type { Row, StoreRead } from '../../../packages/verify/src/plans/index.ts';
import type { TreeChanges } from '../../../packages/verify/src/treeChanges.ts';

/** The keys of a store from `start` to before `end`, as binary strings, whose order is that of the bytes. */
export interface KeyRange {
  readonly store: string;
  readonly start: string;
  /** Undefined: to the last key. */
  readonly end: string | undefined;
}

/** Bytes as a binary string. */
export const binary = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** The keys that the answer to a read of a store depends on. Of a read with a most number of rows, these end with the last row. */
export function rangeOf(read: StoreRead, answer: Uint8Array | null | readonly Row[]): KeyRange {
  const { store } = read;
  if ('key' in read) {
    const start = binary(read.key);
    return { store, start, end: `${start}\0` };
  }
  const { from = read.prefix, most } = read.bounds;
  const [prefix, first] = [binary(read.prefix), binary(from)];
  const start = first < prefix ? prefix : first;
  const rows = Array.isArray(answer) ? answer : [];
  const last = most !== undefined && rows.length >= most ? rows.at(-1)?.[0] : undefined;
  const next = afterPrefix(read.prefix);
  return { store, start, end: last === undefined ? next && binary(next) : `${binary(last)}\0` };
}

/** What is known of a range at a new root. `UNKNOWN`: a proof of the key tells more. */
export type RangeState =
  | { readonly kind: 'UNCHANGED' }
  | { readonly kind: 'CHANGED' }
  | { readonly kind: 'UNKNOWN'; readonly key: string; readonly gap: number };

/** Changes of a store, with keys as binary strings. */
export interface BinaryChanges {
  readonly keys: readonly string[];
  readonly gaps: readonly {
    readonly after: string | undefined;
    readonly before: string | undefined;
    readonly isOpen: boolean;
  }[];
}

export const binaryChanges = ({ keys, gaps }: TreeChanges): BinaryChanges => ({
  keys: keys.map(binary),
  gaps: gaps.map(({ after, before, isOpen }) => ({ after: after && binary(after), before: before && binary(before), isOpen })),
});

const unchanged: RangeState = { kind: 'UNCHANGED' };
const changed: RangeState = { kind: 'CHANGED' };

/**
 * Compares a range with what changed. It is unchanged if no change and no gap reaches into it. A gap over one of its ends can be made smaller by a proof at that end. A gap between its
 * ends counts as a change.
 */
export function stateOf({ start, end }: KeyRange, { keys, gaps }: BinaryChanges): RangeState {
  for (const key of keys) if (start <= key && (end === undefined || key < end)) return changed;
  let unknown: RangeState = unchanged;
  for (const [gap, { after, before, isOpen }] of gaps.entries()) {
    const isAside =
      (before !== undefined && before <= start) || (end !== undefined && after !== undefined && end <= `${after}\0`);
    if (isAside) continue;
    if (!isOpen) return changed;
    if (after === undefined || after < start) unknown = { kind: 'UNKNOWN', key: start, gap };
    else if (end !== undefined && (before === undefined || end <= before)) unknown = { kind: 'UNKNOWN', key: end, gap };
    else return changed;
  }
  return unknown;
}
