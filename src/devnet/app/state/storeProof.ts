import { create, toBinary } from '@bufbuild/protobuf';
import { merklePath, merkleRoot, sha256 } from '../../../chain/wire/merkle.ts';
import {
  type CommitmentProof,
  CommitmentProofSchema,
  ExistenceProofSchema,
  HashOp,
  LengthOp,
  NonExistenceProofSchema,
} from '../../../proto/cosmos/ics23/v1/proofs_pb.js';
import { bytesOf } from './bytes.ts';
import { type Tree, treeEntries, treeEntryBefore } from './tree.ts';
import { proveLeaf, treeRoot } from './treeProof.ts';

/** The trees of all stores, by name. */
export type Trees = ReadonlyMap<string, Tree>;

/** An operation of a proof, as `abci_query` returns it. */
export interface ProofOp {
  readonly type: string;
  readonly key: Uint8Array;
  readonly data: Uint8Array;
}

function sortedNames(trees: Trees): string[] {
  return [...trees.keys()].sort();
}

/** The leaf of a store in the tree over all stores: its name and its hashed root, each with its length. */
function storeLeaf(trees: Trees, name: string): Uint8Array {
  const key = bytesOf(name);
  const root = sha256(treeRoot(trees.get(name) ?? null));
  return Uint8Array.of(key.length, ...key, root.length, ...root);
}

/** The application hash: the root of the simple Merkle tree over the roots of all stores, by name. */
export function rootOfStores(trees: Trees): Uint8Array {
  return merkleRoot(sortedNames(trees).map((name) => storeLeaf(trees, name)));
}

function encode(proof: CommitmentProof['proof']): Uint8Array {
  return toBinary(CommitmentProofSchema, create(CommitmentProofSchema, { proof }));
}

/** Proves that a key is in the tree or, by its neighbours, that it is not. */
function proveKey(tree: Tree, key: string): Uint8Array {
  const [right] = treeEntries(tree, key);
  if (right?.key === key) return encode({ case: 'exist', value: proveLeaf(tree, right) });
  const left = treeEntryBefore(tree, key);
  return encode({
    case: 'nonexist',
    value: create(NonExistenceProofSchema, {
      key: bytesOf(key),
      ...(left !== undefined && { left: proveLeaf(tree, left) }),
      ...(right !== undefined && { right: proveLeaf(tree, right) }),
    }),
  });
}

/** Proves the root of a store under the application hash. */
function proveRoot(trees: Trees, name: string): Uint8Array {
  const names = sortedNames(trees);
  const leaves = names.map((each) => storeLeaf(trees, each));
  const path = merklePath(leaves, names.indexOf(name)).map(({ neighbour, isLeft }) => ({
    hash: HashOp.SHA256,
    prefix: isLeft ? Uint8Array.of(1, ...neighbour) : Uint8Array.of(1),
    suffix: isLeft ? new Uint8Array() : neighbour,
  }));
  return encode({
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
