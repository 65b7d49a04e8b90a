import { create } from '@bufbuild/protobuf';
import {
  type ExistenceProof,
  ExistenceProofSchema,
  NonExistenceProofSchema,
} from '../../../../../src/proto/cosmos/ics23/v1/proofs_pb.js';
import type { Lie } from '../../abci/abci.ts';
import { bytesOf } from '../state/bytes.ts';
import { encodeProof, type ProofOp, proveKey, proveRoot, proveStoreKey, type Trees } from '../state/storeProof.ts';
import { type Leaf, type Tree, treeEntries, treeEntryBefore, treeGet } from '../state/tree.ts';
import { proveLeaf } from '../state/treeProof.ts';
import { swappedStore } from './falseTrees.ts';

/** The leaf at a key, or else one beside it. */
function leafNear(tree: Tree, key: string): Leaf | undefined {
  return treeEntries(tree, key).next().value ?? treeEntryBefore(tree, key);
}

/** The leaf after a key, or else the one before it. */
function otherLeaf(tree: Tree, key: string): Leaf | undefined {
  return treeEntries(tree, `${key}\0`).next().value ?? treeEntryBefore(tree, key);
}

/** The true path of a key, or of one beside it, with the key and the value of the lie. */
function patchedLeaf(tree: Tree, { key, value }: Leaf): ExistenceProof {
  const leaf = leafNear(tree, key);
  const proof = leaf === undefined ? create(ExistenceProofSchema) : proveLeaf(tree, leaf);
  return { ...proof, key: bytesOf(key), value };
}

/** As much of the true proofs as a lie leaves: a left-out key is between two true neighbours, an added one has the path of its neighbour. */
function patchedProof(tree: Tree, lie: Tree, key: string): Uint8Array {
  const [right] = treeEntries(lie, key);
  if (right?.key === key) return encodeProof({ case: 'exist', value: patchedLeaf(tree, right) });
  const left = treeEntryBefore(lie, key);
  const sides = {
    ...(left !== undefined && { left: patchedLeaf(tree, left) }),
    ...(right !== undefined && { right: patchedLeaf(tree, right) }),
  };
  return encodeProof({ case: 'nonexist', value: create(NonExistenceProofSchema, { key: bytesOf(key), ...sides }) });
}

/** Whether a lie says the truth about a key. */
function isTrue(tree: Tree, lie: Tree, key: string): boolean {
  const [value, claim] = [treeGet(tree, key), treeGet(lie, key)];
  return tree === lie || (value !== undefined && claim !== undefined && Buffer.compare(value, claim) === 0);
}

/** The two operations with which a liar proves a key, or that it is absent. */
export function proveLie(proofs: Lie['proofs'], trees: Trees, lies: Trees, store: string, key: string): ProofOp[] {
  if (proofs === 'rebuilt') return proveStoreKey(lies, store, key);
  const [tree, lie] = [trees.get(store) ?? null, lies.get(store) ?? null];
  if (proofs === 'true' || isTrue(tree, lie, key)) return proveStoreKey(trees, store, key);
  const ops = (iavl: Uint8Array, simple = proveRoot(trees, store)): ProofOp[] => [
    { type: 'ics23:iavl', key: bytesOf(key), data: iavl },
    { type: 'ics23:simple', key: bytesOf(store), data: simple },
  ];
  switch (proofs) {
    case 'otherKey': {
      const leaf = otherLeaf(tree, key);
      return leaf === undefined ? ops(proveKey(tree, key)) : ops(encodeProof({ case: 'exist', value: proveLeaf(tree, leaf) }));
    }
    case 'otherStore': {
      const other = store === swappedStore ? 'bank' : swappedStore;
      return ops(proveKey(trees.get(other) ?? null, key), proveRoot(trees, other));
    }
    case 'patched':
      return ops(patchedProof(tree, lie, key));
    case 'grafted':
      return ops(proveKey(lie, key));
  }
}
