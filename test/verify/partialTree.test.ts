import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bytesOf, keyOf } from '../../packages/devnet/src/app/state/bytes.ts';
import { type CommittedState, createStore } from '../../packages/devnet/src/app/state/store.ts';
import {
  compareBytes,
  createPartialTree,
  decodePartialTree,
  emptyRoot,
  type PartialTree,
  ProofError,
  readStoreRoot,
  type TreeRead,
} from '../../packages/verify/src/index.ts';
import { fc, rounds, runsAll } from '../support/atRandom.ts';

/** A row of the stores of the development chain: the key as a binary string. */
type TextRow = readonly [key: string, value: string];

const store = 'group';

/** The state of the development chain with these rows, written in their order in several blocks. */
function stateOf(rows: readonly TextRow[]): CommittedState {
  const versions = createStore([store, 'bank']);
  for (const [index, row] of [undefined, ...rows].entries()) {
    const branch = versions.branch();
    if (row !== undefined) branch.set(store, row[0], bytesOf(row[1]));
    versions.commit(BigInt(index), branch);
  }
  return versions.at(versions.latestHeight)!;
}

const proofOf = (state: CommittedState, key: string): Uint8Array => state.prove(store, key)[0]!.data;

const rootOf = (state: CommittedState): Uint8Array => readStoreRoot(state.prove(store, 'x')[1]!.data, store).root;

function treeOf(state: CommittedState, keys: readonly string[]): PartialTree {
  const tree = createPartialTree(rootOf(state));
  for (const key of keys) tree.insert(proofOf(state, key));
  return tree;
}

const textOf = (value: Uint8Array | null | undefined) => value && keyOf(value);

/** The rows of a range as text, and whether they are complete. */
function textRows(tree: PartialTree, prefix: string, bounds: { readonly from?: string; readonly most?: number } = {}) {
  const { from, ...most } = bounds;
  const { rows, isComplete } = tree.range(bytesOf(prefix), { ...most, ...(from !== undefined && { from: bytesOf(from) }) });
  return { rows: rows.map(([key, value]): TextRow => [keyOf(key), keyOf(value)]), isComplete };
}

function refusalOf(run: () => unknown): string {
  try {
    run();
    return 'ACCEPTED';
  } catch (error) {
    if (error instanceof ProofError) return error.code;
    throw error;
  }
}

// Few bytes, so that keys share prefixes and end with `ff` and `00`.
const anyKey = fc
  .array(fc.constantFrom(0, 1, 2, 254, 255), { minLength: 1, maxLength: 4 })
  .map((bytes) => String.fromCharCode(...bytes));
const anyRow = fc.tuple(anyKey, fc.constantFrom('', 'v', 'a value that is longer than a hash of SHA-256 is'));
const anyPrefix = fc.oneof(anyKey, fc.constant(''));

/** What a tree with the proofs of these keys must know: the rows that are in a proof, by the definition of a proof of absence. */
function modelOf(rows: readonly TextRow[], proofs: readonly string[]) {
  const sorted = [...new Map(rows)].sort(([left], [right]) => (left < right ? -1 : 1));
  const shown = new Set<number>();
  const places = (key: string) => {
    const right = sorted.findIndex(([each]) => each >= key);
    if (right >= 0 && sorted[right]![0] === key) return [right];
    return right < 0 ? [sorted.length - 1] : [right - 1, right];
  };
  for (const proof of proofs) for (const place of places(proof)) shown.add(place);
  const isShown = (place: number) => place < 0 || place >= sorted.length || shown.has(place);
  return {
    sorted,
    get(key: string): string | null | undefined {
      if (!places(key).every(isShown)) return undefined;
      return new Map(rows).get(key) ?? null;
    },
    range(prefix: string, { from = prefix, most = Number.POSITIVE_INFINITY }) {
      const start = from < prefix ? prefix : from;
      const shownRows: TextRow[] = [];
      if (most === 0) return { rows: shownRows, isComplete: true };
      const first = sorted.findIndex(([key]) => key >= start);
      let place = first < 0 ? sorted.length : first;
      if (sorted[place]?.[0] !== start && !isShown(place - 1)) return { rows: shownRows, isComplete: false };
      for (; shownRows.length < most; place += 1) {
        const row = sorted[place];
        if (!isShown(place)) return { rows: shownRows, isComplete: false };
        if (!row?.[0].startsWith(prefix)) break;
        shownRows.push(row);
      }
      return { rows: shownRows, isComplete: true };
    },
  };
}

describe('a part of the tree of a store', () => {
  it.runIf(runsAll)('knows exactly what the proofs show, of any tree of the development chain', () => {
    const answers = { value: 0, absent: 0, unknown: 0, complete: 0, cut: 0 };
    fc.assert(
      fc.property(
        fc.array(anyRow, { maxLength: 24 }),
        fc.array(anyKey, { maxLength: 8 }),
        fc.array(anyKey, { minLength: 6, maxLength: 6 }),
        fc.array(fc.tuple(anyPrefix, fc.option(anyKey), fc.option(fc.nat(5))), { minLength: 6, maxLength: 6 }),
        (rows, proofs, keys, ranges) => {
          const state = stateOf(rows);
          const tree = treeOf(state, proofs);
          const model = modelOf(rows, proofs);
          for (const key of [...keys, ...model.sorted.map(([key]) => key)]) {
            const value = model.get(key);
            answers[value === undefined ? 'unknown' : value === null ? 'absent' : 'value'] += 1;
            expect(textOf(tree.get(bytesOf(key)))).toBe(value);
          }
          for (const [prefix, from, most] of ranges) {
            const bounds = { ...(from !== null && { from }), ...(most !== null && { most }) };
            const range = model.range(prefix, bounds);
            answers[range.isComplete ? 'complete' : 'cut'] += 1;
            expect(textRows(tree, prefix, bounds)).toEqual(range);
          }
        },
      ),
      { numRuns: 1000 },
    );
    // Each kind of answer was among them.
    for (const count of Object.values(answers)) expect(count).toBeGreaterThan(100);
  });

  it('encodes what some reads need, and no other read has another answer afterwards', () => {
    fc.assert(
      fc.property(
        fc.array(anyRow, { maxLength: 24 }),
        fc.array(anyKey, { maxLength: 8 }),
        fc.array(anyKey, { maxLength: 3 }),
        fc.array(fc.tuple(anyPrefix, fc.option(anyKey), fc.option(fc.nat(5))), { maxLength: 3 }),
        (rows, proofs, keys, ranges) => {
          const state = stateOf(rows);
          const tree = treeOf(state, proofs);
          const reads = [
            ...keys.map((key): TreeRead => ({ key: bytesOf(key) })),
            ...ranges.map(
              ([prefix, from, most]): TreeRead => ({
                prefix: bytesOf(prefix),
                bounds: { ...(from !== null && { from: bytesOf(from) }), ...(most !== null && { most }) },
              }),
            ),
          ];
          const answer = (of: PartialTree, read: TreeRead) =>
            'key' in read ? of.get(read.key) : of.range(read.prefix, read.bounds ?? {});
          const isProven = (read: TreeRead) =>
            'key' in read ? tree.get(read.key) !== undefined : tree.range(read.prefix, read.bounds ?? {}).isComplete;
          const provenReads = reads.filter(isProven);
          const part = decodePartialTree(tree.encode(provenReads));
          expect(part.root).toEqual(rootOf(state));
          for (const read of provenReads) expect(answer(part, read)).toEqual(answer(tree, read));
          // Encoded again, it is the same.
          expect(part.encode(provenReads)).toEqual(tree.encode(provenReads));
          for (const [key] of rows)
            expect([undefined, textOf(tree.get(bytesOf(key)))]).toContain(textOf(part.get(bytesOf(key))));
          if (provenReads.length < reads.length) expect(refusalOf(() => tree.encode(reads))).toBe('NOT_PROVEN');
          const whole = decodePartialTree(tree.encode());
          for (const read of reads) expect(answer(whole, read)).toEqual(answer(tree, read));
          expect(whole.encode()).toEqual(tree.encode());
          expect(whole.memory).toBe(tree.memory);
          // A tree that was decoded grows as others do.
          const row = rows[0];
          if (row === undefined) return;
          part.insert(proofOf(state, row[0]));
          expect(textOf(part.get(bytesOf(row[0])))).toBe(new Map(rows).get(row[0]));
        },
      ),
      { numRuns: rounds(400) },
    );
  });

  it.runIf(runsAll)('refuses the proofs of a store in which one row is left out, added, changed or swapped', () => {
    const rows = Array.from({ length: 12 }, (_, index): TextRow => [`p${String.fromCharCode(index * 3)}`, `value ${index}`]);
    const root = rootOf(stateOf(rows));
    const forgeries = rows.flatMap(([key, value], index) => {
      const [nextKey, nextValue] = rows[(index + 1) % rows.length]!;
      return [
        rows.toSpliced(index, 1),
        rows.toSpliced(index, 1, [key, `${value}!`]),
        rows.toSpliced(index, 1, [key, '']),
        [...rows, [`${key}\x00`, value] as const],
        rows.map((row): TextRow => (row[0] === key ? [key, nextValue] : row[0] === nextKey ? [nextKey, value] : row)),
      ];
    });
    for (const forgery of forgeries) {
      const state = stateOf(forgery);
      for (const key of ['o', 'p', 'q', ...rows.flatMap(([key]) => [key, `${key}\x00`])])
        expect(refusalOf(() => createPartialTree(root).insert(proofOf(state, key)))).toBe('NOT_PROVEN');
      // A forged tree has another root, however much of it is shown.
      const forged = treeOf(
        state,
        forgery.map(([key]) => key),
      );
      expect(decodePartialTree(forged.encode()).root).not.toEqual(root);
    }
    expect(forgeries).toHaveLength(60);
  });

  it.runIf(runsAll)('learns nothing else from a proof of which any byte was changed, whatever it knows already', () => {
    const rows = Array.from({ length: 20 }, (_, index): TextRow => [`key ${String(index).padStart(2, '0')}`, `value ${index}`]);
    const state = stateOf(rows);
    const truth = (...keys: readonly string[]) => treeOf(state, keys).encode();
    let refusals = 0;
    // The paths of each pair part near the top, near the leaf, or nowhere.
    for (const [first, second] of [
      ['key 00', 'key 19'],
      ['key 07', 'key 08'],
      ['key 05', 'key 05+'],
      ['key 05+', 'key 05'],
    ] as const) {
      const proof = proofOf(state, second);
      const before = truth(first);
      const after = truth(first, second);
      for (let at = 0; at < proof.length; at += 1) {
        const tree = treeOf(state, [first]);
        const refusal = refusalOf(() => tree.insert(proof.with(at, (proof[at] ?? 0) ^ 1)));
        if (refusal !== 'ACCEPTED') refusals += 1;
        // The key of a proof of absence is a statement that nothing relies on. The left half of such a proof may have been added before the right one is refused.
        expect([before, after, treeOf(state, [first, second.slice(0, 6)]).encode()], `byte ${at}: ${refusal}`).toContainEqual(
          tree.encode(),
        );
      }
    }
    expect(refusals).toBeGreaterThan(1_000);
  });

  it.runIf(runsAll)('is refused, or has another root, after a change of any byte of its encoding', () => {
    const rows = Array.from(
      { length: 20 },
      (_, index): TextRow => [`v${String.fromCharCode(index)}`, `a vote ${index}`.repeat(4)],
    );
    const tree = treeOf(stateOf([...rows, ['a', 'first'], ['z', 'last '.repeat(20)]]), ['v', ...rows.map(([key]) => key), 'w']);
    const bytes = tree.encode([{ prefix: bytesOf('v\x05'), bounds: {} }, { key: bytesOf('v\x09') }, { key: bytesOf('y') }]);
    const outcomes = new Map<string, number>();
    const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    for (const at of bytes.keys())
      for (const bit of [1, 2, 4, 8, 16, 32, 64, 128]) {
        const change = bytes.slice();
        change[at]! ^= bit;
        count(refusalOf(() => expect(compareBytes(decodePartialTree(change).root, tree.root)).not.toBe(0)));
      }
    expect([...outcomes.keys()].sort()).toEqual(['ACCEPTED', 'MALFORMED']);
    for (const at of bytes.keys()) {
      expect(refusalOf(() => decodePartialTree(bytes.subarray(0, at)))).toBe(at === 0 ? 'ACCEPTED' : 'MALFORMED');
    }
    expect(refusalOf(() => decodePartialTree(Uint8Array.of(...bytes, 0)))).toBe('MALFORMED');
  });

  it('has one more case, the store without keys', () => {
    const state = stateOf([]);
    expect(rootOf(state)).toEqual(emptyRoot);
    const tree = treeOf(state, ['a']);
    expect(tree.get(bytesOf('a'))).toBeNull();
    expect(textRows(tree, 'a')).toEqual({ rows: [], isComplete: true });
    expect(tree.encode([{ key: bytesOf('a') }])).toHaveLength(0);
    expect(decodePartialTree(new Uint8Array()).root).toEqual(emptyRoot);
    // Its proof shows nothing about a store that has keys.
    const other = stateOf([['a', 'v']]);
    expect(refusalOf(() => createPartialTree(rootOf(other)).insert(proofOf(state, 'b')))).toBe('NOT_PROVEN');
    expect(refusalOf(() => createPartialTree(emptyRoot).insert(proofOf(other, 'b')))).toBe('NOT_PROVEN');
    expect(createPartialTree(rootOf(other)).get(bytesOf('a'))).toBeUndefined();
  });

  it('proves n rows by n/2 + 1 proofs of the gaps after every other key', () => {
    const rows = Array.from({ length: 30 }, (_, index): TextRow => [`v${String.fromCharCode(index)}`, `vote ${index}`]);
    const others = Array.from({ length: 200 }, (_, index): TextRow => [`a${String.fromCharCode(index)}`, 'another table']);
    const state = stateOf([...rows, ...others, ['w', 'the next table']]);
    const gaps = ['v', ...rows.filter((_, index) => index % 2 === 1).map(([key]) => `${key}\x00`)];
    expect(gaps).toHaveLength(16);
    const tree = treeOf(state, gaps);
    expect(textRows(tree, 'v')).toEqual({ rows, isComplete: true });
    for (const gap of gaps.keys()) expect(textRows(treeOf(state, gaps.toSpliced(gap, 1)), 'v').isComplete).toBe(false);
  });

  it('has each node once: thirty votes take a fraction of the bytes of their proofs', () => {
    const random = (length: number, from: number) =>
      String.fromCharCode(
        ...Array.from({ length }, (_, index) => (from * 7919 + index * 104_729 + ((from * index) % 251)) % 256),
      );
    const rows = Array.from(
      { length: 30 },
      (_, index): TextRow => [`v\x00\x00\x00\x00\x00\x00\x00\x07\x14${random(20, index + 1)}`, random(90, index)],
    );
    const others = Array.from({ length: 2000 }, (_, index): TextRow => [`a${random(20, index + 100)}`, random(40, index)]);
    const state = stateOf([...others, ...rows]);
    const keys = ['v', ...rows.map(([key]) => key), 'w'];
    const proofs = keys.reduce((sum, key) => sum + proofOf(state, key).length, 0);
    const encoded = treeOf(state, keys).encode([{ prefix: bytesOf('v') }]);
    console.log(`30 votes: ${proofs} bytes of proofs, ${encoded.length} of the tree, ${gzipSync(encoded).length} gzipped`);
    const content = rows.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
    expect(encoded.length).toBeLessThan(2 * content);
    expect(encoded.length).toBeLessThan(proofs / 4);
  });
});
