import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { ics23, tendermintSpec, verifyMembership } from '@confio/ics23';
import { describe, expect, it } from 'vitest';
import { createProvenStores, decodeSimpleProof, decodeStoreProof } from '../../../src/chain/roots/storeRoots.ts';
import { CommitmentProofSchema, type ExistenceProof, HashOp, LengthOp } from '../../../src/proto/cosmos/ics23/v1/proofs_pb.js';
import { recording } from '../../recordings/recording.ts';
import { readAppHashes, readKeyProofs, readRootRows } from './recordedRoots.ts';

const rows = readRootRows();
const appHashes = readAppHashes();

/** The bytes of the `ics23:simple` operation of a recorded result. */
function simpleData(result: (typeof rows)[number]['result'], index = 1): Uint8Array {
  const { response } = result as { response: { proofOps: { ops: { data: string }[] } } };
  return Buffer.from(response.proofOps.ops[index]!.data, 'base64');
}

describe('recorded proofs of store roots', () => {
  it('all lead to the app hash of the next header, by our code and by @confio/ics23', () => {
    expect(rows).toHaveLength(427);
    for (const { store, height, result } of rows) {
      const appHash = appHashes.get(height + 1n)!;
      const proof = decodeStoreProof(result, store, height)!;
      expect([proof.store, proof.appHash], `${store} at ${height}`).toEqual([store, appHash]);
      const theirs = ics23.CommitmentProof.decode(simpleData(result));
      const [key, root] = [Buffer.from(store), Buffer.from(proof.root, 'hex')];
      expect(verifyMembership(theirs, tendermintSpec, Buffer.from(appHash, 'hex'), key, root)).toBe(true);
    }
  });

  it('of a key and of an absent key prove the same root of the group store', () => {
    const { rows: keys, appHash } = readKeyProofs();
    const proofs = keys.map(({ store, height, result }) => decodeStoreProof(result, store, height)!);
    expect(proofs.map((proof) => proof.appHash)).toEqual([appHash, appHash]);
    expect(new Set(proofs.map((proof) => proof.root)).size).toBe(1);
  });

  it('show a change of the group store at exactly the heights that the recording lists', () => {
    const { groupStoreChangedAt } = recording<{ groupStoreChangedAt: number[] }>('governance-world');
    const group = rows.filter(({ store }) => store === 'group');
    const changed: number[] = [];
    let before: string | undefined;
    for (const { store, height, result } of group) {
      const { root } = decodeStoreProof(result, store, height)!;
      if (before !== undefined && root !== before) changed.push(Number(height));
      before = root;
    }
    const [first, last] = [Number(group[0]!.height), Number(group.at(-1)!.height)];
    expect([first, last, group.length]).toEqual([14540, 14600, 61]);
    expect(changed).toEqual(groupStoreChangedAt.filter((height) => height > first && height <= last));
    expect(changed).toHaveLength(8);
  });

  it('decide other stores by their neighbours, and never decide wrongly', () => {
    const proven = createProvenStores();
    const decided = new Map<string, number>();
    const unchanged = new Map<string, number>();
    const before = new Map<string, string>();
    for (let height = 14540n; height <= 14600n; height += 1n) {
      const at = rows.filter((row) => row.height === height);
      const proofs = at.map(({ store, result }) => decodeStoreProof(result, store, height)!);
      const known = proven.atHeight();
      for (const proof of proofs) if (proof.store === 'acc' || proof.store === 'metadata') known.add(proof);
      const { proofOf } = known.all();
      for (const [index, { store, root }] of proofs.entries()) {
        if (before.get(store) === root) unchanged.set(store, (unchanged.get(store) ?? 0) + 1);
        before.set(store, root);
        const byNeighbours = known.rootOf(store);
        if (byNeighbours === undefined) continue;
        expect(byNeighbours, `${store} at ${height}`).toBe(root);
        // The proof that follows from those of other stores has the bytes of the node.
        expect(Buffer.from(proofOf(store)!).toString('hex'), `${store} at ${height}`).toBe(
          Buffer.from(simpleData(at[index]!.result)).toString('hex'),
        );
        decided.set(store, (decided.get(store) ?? 0) + 1);
      }
      for (const proof of proofs) known.add(proof);
    }
    // The probes decide every unchanged root, but for registry: its neighbours change at every height. So does staking itself.
    expect(Object.fromEntries(decided)).toEqual({ acc: 61, metadata: 61, attribute: 60, bank: 40, group: 52 });
    expect(Object.fromEntries(unchanged)).toEqual({ acc: 50, metadata: 60, attribute: 60, bank: 40, group: 52, registry: 60 });
  });
});

/** A change to a proof, after which it must not lead to the app hash. */
type Mutation = readonly [name: string, change: (proof: ExistenceProof) => void];

const mutations: readonly Mutation[] = [
  ['another root', (proof) => (proof.value = proof.value.map((byte) => byte ^ 1))],
  ['a root of 31 bytes', (proof) => (proof.value = proof.value.subarray(1))],
  ['an empty root', (proof) => (proof.value = new Uint8Array())],
  ['another store name', (proof) => (proof.key = Buffer.from('bank'))],
  ['a longer store name', (proof) => (proof.key = Buffer.from('groups'))],
  ['a path without its first step', (proof) => proof.path.shift()],
  ['a path without its last step', (proof) => proof.path.pop()],
  ['no path', (proof) => (proof.path = [])],
  ['two steps exchanged', (proof) => proof.path.splice(0, 2, proof.path[1]!, proof.path[0]!)],
  ['another neighbour', (proof) => (proof.path[1]!.suffix = proof.path[1]!.suffix.map((byte) => byte ^ 1))],
  ['more steps than a tree has', (proof) => (proof.path = Array.from({ length: 65 }, () => proof.path[0]!))],
  ['no leaf', (proof) => (proof.leaf = undefined)],
  ['a leaf with another hash', (proof) => (proof.leaf!.hash = HashOp.SHA512)],
  ['a leaf with a root that is not hashed', (proof) => (proof.leaf!.prehashValue = HashOp.NO_HASH)],
  ['a leaf with a hashed name', (proof) => (proof.leaf!.prehashKey = HashOp.SHA256)],
  ['a leaf without lengths', (proof) => (proof.leaf!.length = LengthOp.NO_PREFIX)],
  ['a leaf with the prefix of an inner node', (proof) => (proof.leaf!.prefix = Uint8Array.of(1))],
  ['a leaf with a longer prefix', (proof) => (proof.leaf!.prefix = Uint8Array.of(0, 0))],
  ['a leaf without prefix', (proof) => (proof.leaf!.prefix = new Uint8Array())],
  ['a step with another hash', (proof) => (proof.path[0]!.hash = HashOp.SHA512)],
  [
    'a step with the prefix of a leaf',
    (proof) => (proof.path[0]!.prefix = Uint8Array.of(0, ...proof.path[0]!.prefix.subarray(1))),
  ],
  [
    'a step with both neighbours',
    (proof) => Object.assign(proof.path[0]!, { prefix: new Uint8Array(33).fill(1), suffix: new Uint8Array(32) }),
  ],
  [
    'a step without a neighbour',
    (proof) => Object.assign(proof.path[0]!, { prefix: Uint8Array.of(1), suffix: new Uint8Array() }),
  ],
  [
    'a step with a neighbour of 33 bytes',
    (proof) => Object.assign(proof.path[0]!, { prefix: Uint8Array.of(1), suffix: new Uint8Array(33) }),
  ],
];

describe('a forged proof of a store root', () => {
  const { store, height, result } = rows.find((row) => row.store === 'group')!;
  const appHash = appHashes.get(height + 1n)!;
  const data = simpleData(result);

  /** The app hash that a proof leads to, or the error of the decoder. */
  function outcome(bytes: Uint8Array, name = store): string {
    try {
      return decodeSimpleProof(bytes, name).appHash;
    } catch (error) {
      return String(error);
    }
  }

  it.each(mutations)('is rejected: %s', (_, change) => {
    const proof = fromBinary(CommitmentProofSchema, data);
    if (proof.proof.case !== 'exist') throw new Error('the recorded proof is not one of existence');
    expect(outcome(toBinary(CommitmentProofSchema, proof))).toBe(appHash);
    change(proof.proof.value);
    expect(outcome(toBinary(CommitmentProofSchema, proof))).not.toBe(appHash);
  });

  it('is rejected: every truncation, and a changed bit in every byte', () => {
    for (let length = 0; length < data.length; length++)
      expect(outcome(data.subarray(0, length)), `${length} bytes`).not.toBe(appHash);
    for (let at = 0; at < data.length; at++) {
      const changed = Uint8Array.from(data);
      changed[at] = changed[at]! ^ 0x40;
      expect(outcome(changed), `byte ${at}`).not.toBe(appHash);
    }
  });

  it('is rejected: an operation of the store itself, an absence, and nothing', () => {
    expect(outcome(simpleData(result, 0))).toContain('Invalid response of the node');
    expect(
      outcome(toBinary(CommitmentProofSchema, create(CommitmentProofSchema, { proof: { case: 'nonexist', value: {} } }))),
    ).toContain('not a proof of existence');
    expect(outcome(new Uint8Array())).toContain('not a proof of existence');
  });

  it('is rejected: the proof of another store', () => {
    expect(outcome(data, 'bank')).toContain('another store than bank');
  });

  it('leads to another app hash than that of another height', () => {
    const wrong = [...appHashes].filter(([at]) => at !== height + 1n).map(([, hash]) => hash);
    expect(wrong).not.toContain(outcome(data));
  });

  it('is rejected: an answer for another height', () => {
    expect(() => decodeStoreProof(result, store, height + 1n)).toThrow(
      `response for height ${height} instead of ${height + 1n}`,
    );
  });

  it('is no proof at all: an answer without proof operations', () => {
    const { response } = result as { response: object };
    expect(decodeStoreProof({ response: { ...response, proofOps: null } }, store, height)).toBeUndefined();
  });
});
