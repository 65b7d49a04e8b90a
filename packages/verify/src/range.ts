import { compareBytes, equalBytes, hasPrefix } from './bytes.ts';
import { ProofError } from './errors.ts';
import { areNeighbours, isLast, type Leaf, verifyAbsence, verifyExistence } from './iavl.ts';

/** A key with its value and its `ics23:iavl` proof. */
export interface RangeEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly proof: Uint8Array;
}

/** The proof of the first key after a range: that it is absent, or its value. */
export interface RangeEnd {
  /** The value; undefined if the key is absent. */
  readonly value: Uint8Array | undefined;
  readonly proof: Uint8Array;
}

/** All keys with a prefix, and the proofs that there are no others. */
export interface Range {
  readonly prefix: Uint8Array;
  /** In ascending order of the keys. */
  readonly entries: readonly RangeEntry[];
  /** The proof that the prefix itself, taken as a key, is absent. Undefined if it is a key: then it is the first entry. */
  readonly start: Uint8Array | undefined;
  /** The proof of {@link afterPrefix}. Undefined if no key can be after the prefix, and if `start` alone proves that the range is empty. */
  readonly end: RangeEnd | undefined;
}

/** The first key after all keys with a prefix; undefined if the prefix has only bytes `ff`. */
export function afterPrefix(prefix: Uint8Array): Uint8Array | undefined {
  const last = prefix.findLastIndex((byte) => byte < 255);
  if (last < 0) return undefined;
  const after = prefix.slice(0, last + 1);
  after[last] = (after[last] ?? 0) + 1;
  return after;
}

function incomplete(what: string): ProofError {
  return new ProofError('INCOMPLETE', `The range is not complete: ${what}.`);
}

/**
 * Verifies that a store has exactly these keys with a prefix, and these values: each key exists, both ends are proven, and no key is between two that follow one another. Returns
 * the root of the store, which the caller compares. Throws MALFORMED, NOT_PROVEN or INCOMPLETE.
 */
export function verifyRange({ prefix, entries, start, end }: Range): Uint8Array {
  const leaves: Leaf[] = [];
  for (const { key, value, proof } of entries) {
    if (!hasPrefix(key, prefix)) throw incomplete('a key does not have the prefix');
    const before = leaves.at(-1);
    const leaf = verifyExistence(proof, key, value);
    if (before !== undefined && compareBytes(before.key, key) >= 0) throw incomplete('the keys are not in order');
    if (before !== undefined && !areNeighbours(before, leaf)) throw incomplete('two keys are not neighbours');
    leaves.push(leaf);
  }
  const [first] = leaves;
  const last = leaves.at(-1);
  const after = afterPrefix(prefix);

  let root = first?.root;
  if (start === undefined) {
    if (first === undefined || !equalBytes(first.key, prefix)) throw incomplete('its start is not proven');
  } else {
    const gap = verifyAbsence(start, prefix);
    root ??= gap.root;
    if (!equalBytes(gap.root, root)) throw incomplete('its start has another root');
    const next = gap.right?.key;
    if (first !== undefined && (next === undefined || !equalBytes(next, first.key)))
      throw incomplete('another key is at its start');
    // The first key after the prefix has another prefix: nothing is in the range.
    if (first === undefined && next !== undefined && hasPrefix(next, prefix)) throw incomplete('it has a key');
  }
  if (root === undefined) throw incomplete('it has no proof');
  if (last === undefined) return root;
  if (end === undefined) {
    if (after !== undefined || !isLast(last)) throw incomplete('its end is not proven');
    return root;
  }
  if (after === undefined) throw incomplete('nothing can be after its end');
  if (end.value !== undefined) {
    if (!areNeighbours(last, verifyExistence(end.proof, after, end.value))) throw incomplete('another key is at its end');
    return root;
  }
  const gap = verifyAbsence(end.proof, after);
  if (!equalBytes(gap.root, root)) throw incomplete('its end has another root');
  if (gap.left === undefined || !equalBytes(gap.left.key, last.key)) throw incomplete('another key is at its end');
  return root;
}
