import { describe, expect, it } from 'vitest';
import {
  areNeighbours,
  emptyRoot,
  equalBytes,
  fromHex,
  type ProofError,
  type Range,
  readStoreRoot,
  toHex,
  verifyAbsence,
  verifyExistence,
  verifyKey,
  verifyRange,
  verifySigned,
} from '../../packages/verify/src/index.ts';
import { recording } from '../recordings/recording.ts';
import { bytesOf, entryOf, lightBlockOf, storeRanges, trustAt } from './bundles.ts';

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

/** The range of answers: the first one is that of the prefix, the last one that of the first key after it. */
function rangeOf(prefix: Uint8Array, answers: readonly { key: string; value: string | null; iavl: string }[]): Range {
  const [start, ...rest] = answers;
  const end = rest.pop()!;
  const startsWithKey = start!.value !== null;
  return {
    prefix,
    entries: [...(startsWithKey ? [start!] : []), ...rest].map(entryOf),
    start: startsWithKey ? undefined : bytesOf(start!.iavl),
    end: { value: end.value === null ? undefined : bytesOf(end.value), proof: bytesOf(end.iavl) },
  };
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
function allRanges() {
  const wasmd = storeRanges();
  const appHash = hexBytes(wasmd.commit.signed_header.header.app_hash);
  const ranges = wasmd.ranges.map(({ store, prefix, answers }) => ({
    store,
    appHash,
    simple: bytesOf(wasmd.simple[store]!),
    range: rangeOf(hexBytes(prefix), answers),
  }));
  const votes = (['store-votes', 'store-votes-index'] as const).map((file) => {
    const { header, prefix, answers } = recording<{ header: { app_hash: string }; prefix: string; answers: Response[] }>(file);
    const keys = answers.map((answer) => ({ ...answer, iavl: answer.proofOps!.ops[0]!.data }));
    return {
      store: 'group',
      appHash: hexBytes(header.app_hash),
      simple: bytesOf(answers[0]!.proofOps!.ops[1]!.data),
      range: rangeOf(hexBytes(prefix), keys),
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
    expect(answers).toHaveLength(571);
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
    expect(answers.filter(({ value }) => value === '')).toHaveLength(68);
  });

  it('verifies that ranges are complete, and finds every key that is left out, added or moved', () => {
    const ranges = allRanges();
    expect(ranges).toHaveLength(117);
    const counts = { keys: 0, empty: 0, dropped: 0, pairs: 0, swapped: 0 };
    for (const { store, appHash, simple, range } of ranges) {
      const top = readStoreRoot(simple, store);
      expect(toHex(top.appHash)).toBe(toHex(appHash));
      expect(toHex(verifyRange(range))).toBe(toHex(top.root));
      const { entries } = range;
      counts.keys += entries.length;
      if (entries.length === 0) counts.empty += 1;
      for (let index = 0; index < entries.length; index += 1) {
        expect(refusalOf(() => verifyRange({ ...range, entries: entries.toSpliced(index, 1) }))).toBe('INCOMPLETE');
        counts.dropped += 1;
        if (index + 1 === entries.length) continue;
        if (entries.length > 2) {
          expect(refusalOf(() => verifyRange({ ...range, entries: entries.toSpliced(index, 2) }))).toBe('INCOMPLETE');
          counts.pairs += 1;
        }
        const swapped = entries.toSpliced(index, 2, entries[index + 1]!, entries[index]!);
        expect(refusalOf(() => verifyRange({ ...range, entries: swapped }))).toBe('INCOMPLETE');
        counts.swapped += 1;
      }
      if (entries.length > 0) {
        expect(refusalOf(() => verifyRange({ ...range, entries: [] }))).toBe('INCOMPLETE');
        expect(refusalOf(() => verifyRange({ ...range, end: undefined }))).toBe('INCOMPLETE');
        expect(refusalOf(() => verifyRange({ ...range, entries: [...entries, entries[0]!] }))).toBe('INCOMPLETE');
      }
    }
    expect(counts).toEqual({ keys: 421, empty: 21, dropped: 421, pairs: 307, swapped: 325 });
  });

  it('compares neighbours: of all pairs of a range, only those that follow one another', () => {
    const { range } = allRanges().at(-1)!;
    const leaves = range.entries.map(({ key, value, proof }) => verifyExistence(proof, key, value));
    expect(leaves).toHaveLength(30);
    for (const [left, one] of leaves.entries())
      for (const [right, other] of leaves.entries()) expect(areNeighbours(one, other)).toBe(right === left + 1);
  });

  it('refuses an absence that is made up from proofs of existence', () => {
    const { range } = allRanges().at(-1)!;
    const [first, second, third, fourth] = range.entries;
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
    const after = Uint8Array.of(...second!.key, 0);
    const neighbours = verifyAbsence(absenceOf(after, second!.proof, third!.proof), after);
    expect([neighbours.left?.key, neighbours.right?.key]).toEqual([second!.key, third!.key]);
    for (const [key, left, right] of [
      [second!.key, first!.proof, third!.proof],
      [after, first!.proof, third!.proof],
      [after, second!.proof, fourth!.proof],
      [after, second!.proof, undefined],
      [after, undefined, third!.proof],
      [after, third!.proof, fourth!.proof],
      [after, third!.proof, second!.proof],
    ] as const)
      expect(refusalOf(() => verifyAbsence(absenceOf(key, left, right), key))).toBe('NOT_PROVEN');
    // Without a neighbour, it leads to the root of the empty store alone.
    expect(verifyAbsence(absenceOf(after), after)).toEqual({ root: emptyRoot, left: undefined, right: undefined });
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
