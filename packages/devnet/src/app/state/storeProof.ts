import { create, toBinary } from '@bufbuild/protobuf';
import { leafHash, pathOfHashes, rootOfHashes, sha256 } from '../../../../../src/chain/wire/merkle.ts';
import {
  type CommitmentProof,
  CommitmentProofSchema,
  ExistenceProofSchema,
  HashOp,
  LengthOp,
  NonExistenceProofSchema,
} from '../../../../../src/proto/cosmos/ics23/v1/proofs_pb.js';
import { bytesOf } from './bytes.ts';
import { type Tree, type TreeNode, treeEntries, treeEntryBefore } from './tree.ts';
import { proveLeaf, treeRoot } from './treeProof.ts';

/** The trees of all stores, by name. */
export type Trees = ReadonlyMap<string, Tree>;

/** An operation of a proof, as `abci_query` returns it. */
export interface ProofOp {
  readonly type: string;
  readonly key: Uint8Array;
  readonly data: Uint8Array;
}

/** The leaf of a store in the tree over all stores: its name and its hashed root, each with its length. */
function storeLeaf(name: string, tree: Tree): Uint8Array {
  const key = bytesOf(name);
  const root = sha256(treeRoot(tree));
  return Uint8Array.of(key.length, ...key, root.length, ...root);
}

/** The names of all stores in the order of the tree over them, and the hashes of their leaves. */
interface StoreLeaves {
  readonly names: readonly string[];
  readonly hashes: readonly Uint8Array[];
}

/** The hash of the leaf of a store by the root of its tree, because a block changes few stores. */
const hashesByRoot = new WeakMap<TreeNode, { readonly name: string; readonly hash: Uint8Array }>();

/** The hash of the leaf of an empty store by its name. */
const hashesOfEmpty = new Map<string, Uint8Array>();

/** The leaves by state, because each proof of a state needs them. */
const leavesOfStates = new WeakMap<Trees, StoreLeaves>();

function hashOfStore(name: string, tree: Tree): Uint8Array {
  if (tree === null) {
    const hash = hashesOfEmpty.get(name) ?? leafHash(storeLeaf(name, tree));
    hashesOfEmpty.set(name, hash);
    return hash;
  }
  const knownHashes = hashesByRoot.get(tree);
  if (knownHashes?.name === name) return knownHashes.hash;
  const hash = leafHash(storeLeaf(name, tree));
  hashesByRoot.set(tree, { name, hash });
  return hash;
}

/** Returns the leaves of a state, which must not change afterwards. */
function leavesOf(trees: Trees): StoreLeaves {
  const knownLeaves = leavesOfStates.get(trees);
  if (knownLeaves !== undefined) return knownLeaves;
  const names = [...trees.keys()].sort();
  const leaves = { names, hashes: names.map((name) => hashOfStore(name, trees.get(name) ?? null)) };
  leavesOfStates.set(trees, leaves);
  return leaves;
}

/** The application hash: the root of the simple Merkle tree over the roots of all stores, by name. The state must not change afterwards. */
export function rootOfStores(trees: Trees): Uint8Array {
  return rootOfHashes(leavesOf(trees).hashes);
}

/** Encodes a proof of ICS 23. */
export function encodeProof(proof: CommitmentProof['proof']): Uint8Array {
  return toBinary(CommitmentProofSchema, create(CommitmentProofSchema, { proof }));
}

/** Proves that a key is in the tree or, by its neighbours, that it is not. */
export function proveKey(tree: Tree, key: string): Uint8Array {
  const [right] = treeEntries(tree, key);
  if (right?.key === key) return encodeProof({ case: 'exist', value: proveLeaf(tree, right) });
  const left = treeEntryBefore(tree, key);
  return encodeProof({
    case: 'nonexist',
    value: create(NonExistenceProofSchema, {
      key: bytesOf(key),
      ...(left !== undefined && { left: proveLeaf(tree, left) }),
      ...(right !== undefined && { right: proveLeaf(tree, right) }),
    }),
  });
}

/** Proves the root of a store under the application hash. */
export function proveRoot(trees: Trees, name: string): Uint8Array {
  const { names, hashes } = leavesOf(trees);
  const path = pathOfHashes(hashes, names.indexOf(name)).map(({ neighbour, isLeft }) => ({
    hash: HashOp.SHA256,
    prefix: isLeft ? Uint8Array.of(1, ...neighbour) : Uint8Array.of(1),
    suffix: isLeft ? new Uint8Array() : neighbour,
  }));
  return encodeProof({
    case: 'exist',
    value: create(ExistenceProofSchema, {
      key: bytesOf(name),
      value: treeRoot(trees.get(name) ?? null),
      leaf: { hash: HashOp.SHA256, prehashValue: HashOp.SHA256, length: LengthOp.VAR_PROTO, prefix: Uint8Array.of(0) },
      path,
    }),
  });
}

/** The two operations that prove a key of a store, or its absence, under the application hash. */
export function proveStoreKey(trees: Trees, name: string, key: string): ProofOp[] {
  return [
    { type: 'ics23:iavl', key: bytesOf(key), data: proveKey(trees.get(name) ?? null, key) },
    { type: 'ics23:simple', key: bytesOf(name), data: proveRoot(trees, name) },
  ];
}
