import { describe, expect, it } from 'vitest';
import {
  createPartialTree,
  emptyRoot,
  equalBytes,
  fromHex,
  type PartialTree,
  type ProofError,
  readStoreRoot,
  toHex,
  verifyKey,
  verifyNoStore,
  verifySigned,
} from '../../packages/verify/src/index.ts';
import { recording } from '../recordings/recording.ts';
import { runsAll } from '../support/atRandom.ts';
import { bytesOf, lightBlockOf, storeRanges, trustAt } from './bundles.ts';

interface Response {
  readonly code: number;
  readonly key: string;
  readonly value: string | null;
  readonly proofOps: { readonly ops: readonly { readonly type: string; readonly key: string; readonly data: string }[] } | null;
}

const hexBytes = (hex: string): Uint8Array => fromHex(hex.toUpperCase(), hex.length / 2, 'hex');

function provenKey(store: string, { key, value, proofOps }: Response) {
  const [iavl, simple] = proofOps?.ops ?? [];
  return {
    store,
    key: bytesOf(key),
    value: value === null ? undefined : bytesOf(value),
    iavl: bytesOf(iavl?.data ?? ''),
    simple: bytesOf(simple?.data ?? ''),
  };
}

/** A range of a store, and what the node said about its start, its keys and its end. */
interface Range {
  readonly store: string;
  readonly appHash: Uint8Array;
  readonly simple: Uint8Array;
  readonly prefix: Uint8Array;
  readonly rows: readonly (readonly [Uint8Array, Uint8Array])[];
  readonly proofs: readonly Uint8Array[];
}

/** The rows of answers: the first one is that of the prefix, the last one that of the first key after it. */
function rowsOf(answers: readonly { readonly key: string; readonly value: string | null }[]): Range['rows'] {
  return answers.slice(0, -1).flatMap(({ key, value }) => (value === null ? [] : [[bytesOf(key), bytesOf(value)] as const]));
}

function treeOf({ store, simple }: Pick<Range, 'store' | 'simple'>, proofs: readonly Uint8Array[]): PartialTree {
  const tree = createPartialTree(readStoreRoot(simple, store).root);
  for (const proof of proofs) tree.insert(proof);
  return tree;
}

function refusalOf(run: () => unknown): string {
  try {
    run();
    return 'ACCEPTED';
  } catch (error) {
    return (error as ProofError).code;
  }
}

/** All ranges: those of a wasmd node, and two of a Provenance node. */
function allRanges(): readonly Range[] {
  const wasmd = storeRanges();
  const appHash = hexBytes(wasmd.commit.signed_header.header.app_hash);
  const ranges = wasmd.ranges.map(({ store, prefix, answers }) => ({
    store,
    appHash,
    simple: bytesOf(wasmd.simple[store]!),
    prefix: hexBytes(prefix),
    rows: rowsOf(answers),
    proofs: answers.map(({ iavl }) => bytesOf(iavl)),
  }));
  const votes = (['store-votes', 'store-votes-index'] as const).map((file) => {
    const { header, prefix, answers } = recording<{ header: { app_hash: string }; prefix: string; answers: Response[] }>(file);
    return {
      store: 'group',
      appHash: hexBytes(header.app_hash),
      simple: bytesOf(answers[0]!.proofOps!.ops[1]!.data),
      prefix: hexBytes(prefix),
      rows: rowsOf(answers),
      proofs: answers.map(({ proofOps }) => bytesOf(proofOps!.ops[0]!.data)),
    };
  });
  return [...ranges, ...votes];
}

describe('proofs of stores', () => {
  it('verifies the state that a node proves, down from the signatures of its validators', async () => {
    const wasmd = storeRanges();
    const block = lightBlockOf(wasmd);
    await verifySigned(block, trustAt(block));
    const answers = wasmd.ranges.flatMap(({ store, answers }) => answers.map((answer) => ({ store, ...answer })));
    expect(answers).toHaveLength(190);
    for (const { store, key, value, iavl } of answers) {
      const proven = {
        store,
        key: bytesOf(key),
        value: value === null ? undefined : bytesOf(value),
        iavl: bytesOf(iavl),
        simple: bytesOf(wasmd.simple[store]!),
      };
      verifyKey(proven, block.header.appHash);
    }
    // Strict verifiers of ICS 23 refuse empty values.
    expect(answers.filter(({ value }) => value === '')).toHaveLength(15);
  });

  it('reads complete ranges, and finds every key that is left out', () => {
    const ranges = allRanges();
    expect(ranges).toHaveLength(64);
    const counts = { keys: 0, empty: 0, known: 0, unknown: 0 };
    for (const range of ranges) {
      const { store, appHash, simple, prefix, rows, proofs } = range;
      expect(toHex(readStoreRoot(simple, store).appHash)).toBe(toHex(appHash));
      expect(treeOf(range, proofs).range(prefix)).toEqual({ rows, isComplete: true });
      expect(treeOf(range, proofs.toReversed()).range(prefix)).toEqual({ rows, isComplete: true });
      counts.keys += rows.length;
      if (rows.length === 0) counts.empty += 1;
      for (const index of proofs.keys()) {
        const part = treeOf(range, proofs.toSpliced(index, 1)).range(prefix);
        // The proof of an absent start or end has the first or the last key, too.
        counts[part.isComplete ? 'known' : 'unknown'] += 1;
        expect(part.rows).toEqual(part.isComplete ? rows : rows.slice(0, part.rows.length));
        if (!part.isComplete) expect(part.rows.length).toBeLessThanOrEqual(Math.max(0, index));
      }
    }
    expect(counts).toEqual({ keys: 136, empty: 11, known: 111, unknown: 143 });
  });

  it.runIf(runsAll)('reads a key, and the gap between two keys, only if no unknown part is there', () => {
    const range = allRanges().at(-1)!;
    const { rows, prefix } = range;
    const proofs = range.proofs.slice(-rows.length - 1, -1);
    expect([rows.length, proofs.length]).toEqual([30, 30]);
    for (const [left, [key]] of rows.entries())
      for (const right of rows.keys()) {
        const tree = treeOf(range, [proofs[left]!, proofs[right]!]);
        expect(tree.get(key)).toEqual(rows[left]![1]);
        const after = Uint8Array.of(...key, 0);
        expect(tree.get(after)).toBe(right === left + 1 ? null : undefined);
        expect(tree.range(prefix, { from: after, most: 1 })).toEqual(
          right === left + 1 ? { rows: [rows[right]], isComplete: true } : { rows: [], isComplete: false },
        );
      }
  });

  it('refuses an absence that is made up from proofs of existence', () => {
    const range = allRanges().at(-1)!;
    const { rows, simple } = range;
    const [first, second, third, fourth] = range.proofs.slice(-rows.length - 1);
    const [, [secondKey]] = rows as [unknown, [Uint8Array, Uint8Array]];
    // The proofs themselves are those of the node: `0a`, their length, their content.
    const contentOf = (proof: Uint8Array): Buffer =>
      Buffer.from(proof.subarray(proof.findIndex((byte, at) => at > 0 && byte < 128) + 1));
    const field = (tag: number, bytes: Uint8Array): Buffer => {
      const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
      return Buffer.concat([Buffer.of(tag, ...length), bytes]);
    };
    const absenceOf = (key: Uint8Array, left?: Uint8Array, right?: Uint8Array): Uint8Array =>
      new Uint8Array(
        field(
          0x12,
          Buffer.concat([
            field(0x0a, key),
            ...(left ? [field(0x12, contentOf(left))] : []),
            ...(right ? [field(0x1a, contentOf(right))] : []),
          ]),
        ),
      );
    const after = Uint8Array.of(...secondKey, 0);
    const { appHash } = readStoreRoot(simple, 'group');
    const refusal = (key: Uint8Array, left?: Uint8Array, right?: Uint8Array): string =>
      refusalOf(() => verifyKey({ store: 'group', key, value: undefined, iavl: absenceOf(key, left, right), simple }, appHash));
    expect(refusal(after, second, third)).toBe('ACCEPTED');
    for (const [key, left, right] of [
      [secondKey, first, third],
      [after, first, third],
      [after, second, fourth],
      [after, second, undefined],
      [after, undefined, third],
      [after, third, fourth],
      [after, fourth, second],
      [after, undefined, undefined],
    ] as const)
      expect(refusal(key, left, right)).toBe('NOT_PROVEN');
    // Without a neighbour, it leads to the root of the empty store alone.
    createPartialTree(emptyRoot).insert(absenceOf(after));
    expect(refusalOf(() => createPartialTree(emptyRoot).insert(second!))).toBe('NOT_PROVEN');
  });

  it('verifies the stores of Provenance, empty ones too', () => {
    const { rows } = recording<{ rows: { name: string; response: { response: Response } }[] }>('store-empty');
    const proven = rows.filter(({ response }) => response.response.code === 0);
    const appHashes = new Set<string>();
    const empty: string[] = [];
    for (const { name, response } of proven) {
      const store = name.replace('key ff of ', '');
      const key = provenKey(store, response.response);
      const { root, appHash } = readStoreRoot(key.simple, store);
      appHashes.add(toHex(appHash));
      verifyKey(key, appHash);
      if (equalBytes(root, emptyRoot)) empty.push(store);
    }
    expect(proven).toHaveLength(10);
    expect(appHashes.size).toBe(1);
    expect(empty).toEqual(['nft', 'quarantine', 'registry', 'ledger']);
    // That of an empty store proves nothing about a store that has keys.
    const [nft, trigger] = ['nft', 'trigger'].map((store) =>
      provenKey(store, proven.find(({ name }) => name.endsWith(` ${store}`))!.response.response),
    );
    expect(
      refusalOf(() => verifyKey({ ...trigger!, iavl: nft!.iavl }, readStoreRoot(trigger!.simple, 'trigger').appHash)),
    ).toBe('NOT_PROVEN');
  });

  it('verifies that there is no store of a name, by the two stores around it and by no others', () => {
    const { commit, simple } = storeRanges();
    const appHash = commit.signed_header.header.app_hash;
    const names = Object.keys(simple).sort();
    const named = (store: string) => ({ store, proof: bytesOf(simple[store]!) });
    const accepted: string[] = [];
    let refused = 0;
    for (const [index, left] of names.entries())
      for (const right of names.slice(index + 1)) {
        const outcome = refusalOf(() => expect(toHex(verifyNoStore(`${left}-`, named(left), named(right)))).toBe(appHash));
        if (outcome === 'ACCEPTED') accepted.push(`${left} ${right}`);
        else refused += 1;
        // A name outside of both, either of them, or the other way round.
        for (const name of [left, right, `${right}-`])
          expect(refusalOf(() => verifyNoStore(name, named(left), named(right)))).toBe('NOT_PROVEN');
        expect(refusalOf(() => verifyNoStore(`${left}-`, named(right), named(left)))).toBe('NOT_PROVEN');
      }
    // No recorded store is between two that were accepted.
    for (const pair of accepted) {
      const [left, right] = pair.split(' ') as [string, string];
      expect(names.indexOf(right)).toBe(names.indexOf(left) + 1);
    }
    expect(accepted.length).toBeGreaterThan(5);
    expect(refused).toBeGreaterThan(50);
    // At the ends, a single store is enough if it is the first or the last.
    expect(refusalOf(() => verifyNoStore('a', undefined, named(names[3]!)))).toBe('NOT_PROVEN');
    expect(refusalOf(() => verifyNoStore('z', named(names[3]!), undefined))).toBe('NOT_PROVEN');
    expect(refusalOf(() => verifyNoStore('z', undefined, undefined))).toBe('NOT_PROVEN');
    expect(toHex(verifyNoStore('zz', named('wasm'), undefined))).toBe(appHash);
  });

  it('verifies a vote at the height at which it appeared, and empty values', () => {
    const { rows } = recording<{
      rows: {
        name: string;
        request: { params?: { prove: boolean } };
        response: { response?: Response; header?: { app_hash: string } };
      }[];
    }>('store-keys');
    const named = (name: string) => rows.find((row) => row.name === name)!.response;
    const header = hexBytes(named('header H+1').header!.app_hash);
    const before = provenKey('group', named('a vote by key at 910').response!);
    const after = provenKey('group', named('a vote by key at 911').response!);
    for (const key of [before, after]) verifyKey(key, readStoreRoot(key.simple, 'group').appHash);
    expect([before.value, after.value?.length]).toEqual([undefined, expect.any(Number)]);
    const appHash = readStoreRoot(after.simple, 'group').appHash;
    // An old absence, under the state with the vote.
    expect(refusalOf(() => verifyKey(before, appHash))).toBe('NOT_PROVEN');
    expect(refusalOf(() => verifyKey({ ...after, value: undefined }, appHash))).toBe('NOT_PROVEN');
    expect(refusalOf(() => verifyKey({ ...after, value: new Uint8Array() }, appHash))).toBe('NOT_PROVEN');
    expect(refusalOf(() => verifyKey({ ...after, store: 'bank' }, appHash))).toBe('NOT_PROVEN');
    expect(refusalOf(() => verifyKey(after, header))).toBe('NOT_PROVEN');
    for (const name of ['an index entry with an empty value', 'absent, both neighbours have empty values']) {
      const key = provenKey('group', named(name).response!);
      verifyKey(key, readStoreRoot(key.simple, 'group').appHash);
    }
  });
});
