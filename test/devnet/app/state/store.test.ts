import { describe, expect, it } from 'vitest';
import { createStore, type StoreView } from '../../../../packages/devnet/src/app/state/store.ts';
import { type Tree, treeDelete, treeEntries, treeGet, treeSet } from '../../../../packages/devnet/src/app/state/tree.ts';
import { fc, rounds } from '../../../support/atRandom.ts';

const value = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : new TextDecoder().decode(bytes);
const shown = (view: StoreView | undefined, prefix = '', from?: string): string[] =>
  view === undefined ? [] : [...view.entries('s', prefix, from)].map((entry) => `${entry.key}=${text(entry.value)}`);

describe('the tree', () => {
  it('has the content of a map in byte order, stays balanced, and never changes a version', () => {
    const key = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 3 });
    const step = fc.record({ key, remove: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), key, (steps, from) => {
        let tree: Tree = null;
        const map = new Map<string, Uint8Array>();
        const versions: [Tree, [string, Uint8Array][]][] = [];
        const sorted = (): [string, Uint8Array][] =>
          [...map].sort(([a], [b]) => Buffer.compare(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1')));
        for (const [index, { key: name, remove }] of steps.entries()) {
          if (remove) {
            tree = treeDelete(tree, name, index);
            map.delete(name);
          } else {
            tree = treeSet(tree, name, value(String(index)), index);
            map.set(name, value(String(index)));
          }
          if (index % 40 === 0) versions.push([tree, sorted()]);
        }
        versions.push([tree, sorted()]);
        for (const [version, entries] of versions) {
          expect([...treeEntries(version, '')].map((node) => [node.key, node.value])).toEqual(entries);
        }
        const rest = sorted().filter(([name]) => Buffer.compare(Buffer.from(name, 'latin1'), Buffer.from(from, 'latin1')) >= 0);
        expect([...treeEntries(tree, from)].map((node) => node.key)).toEqual(rest.map(([name]) => name));
        expect(treeGet(tree, from)).toEqual(map.get(from));
        if (tree !== null) expect(tree.height).toBeLessThanOrEqual(1.45 * Math.log2(map.size + 2));
      }),
      { numRuns: rounds(60) },
    );
  });
});

describe('the store', () => {
  it('keeps each height unchanged and in order, and deletes pruned heights', () => {
    const store = createStore();
    const commit = (height: bigint, ...writes: [string, string | null][]): void => {
      const branch = store.branch();
      for (const [key, to] of writes) to === null ? branch.delete('s', key) : branch.set('s', key, value(to));
      store.commit(height, branch);
    };
    commit(0n, ['b\xff', '1'], ['a', '1'], ['b', '1']);
    commit(1n, ['b\x00', '2'], ['a', null]);
    commit(2n, ['b', '3']);
    expect(shown(store.at(0n))).toEqual(['a=1', 'b=1', 'b\xff=1']);
    expect(shown(store.at(1n), 'b')).toEqual(['b=1', 'b\x00=2', 'b\xff=1']);
    expect(shown(store.at(2n), 'b', '\x00')).toEqual(['b\x00=2', 'b\xff=1']);
    expect(text(store.at(1n)?.get('s', 'b'))).toBe('1');
    expect(store.at(2n)?.get('other', 'b')).toBeUndefined();
    store.prune(2n);
    expect([store.earliestHeight, shown(store.at(1n)), shown(store.at(2n), 'a')]).toEqual([2n, [], []]);
    store.prune(99n);
    expect(shown(store.at(2n))).toHaveLength(3);
  });

  it('contains nothing of a discarded fork at any depth, and everything of a merged fork', () => {
    const store = createStore();
    const branch = store.branch();
    branch.set('s', 'a', value('1'));
    const kept = branch.fork();
    kept.set('s', 'b', value('2'));
    const dropped = kept.fork();
    dropped.set('s', 'c', value('3'));
    dropped.delete('s', 'a');
    expect(shown(dropped)).toEqual(['b=2', 'c=3']);
    expect(shown(branch)).toEqual(['a=1']);
    branch.merge(kept);
    store.commit(0n, branch);
    expect(shown(store.at(0n))).toEqual(['a=1', 'b=2']);
  });

  it('has a hash that depends on the changes and not on their order', () => {
    const hashes = (...writes: [string, string][]): string => {
      const store = createStore();
      const branch = store.branch();
      for (const [key, to] of writes) branch.set('s', key, value(to));
      return Buffer.from(store.commit(0n, branch)).toString('hex');
    };
    const one = hashes(['a', '1'], ['b', '2']);
    expect(hashes(['b', '2'], ['a', '0'], ['a', '1'])).toBe(one);
    expect(new Set([one, hashes(['a', '1'], ['b', '3']), hashes(['a', '1']), hashes(['ab', '12']), hashes()]).size).toBe(5);
  });
});
