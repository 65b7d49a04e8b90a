import { create } from '@bufbuild/protobuf';
import { sha256 } from '../../../../../src/chain/wire/merkle.ts';
import {
  type ExistenceProof,
  ExistenceProofSchema,
  HashOp,
  LengthOp,
} from '../../../../../src/proto/cosmos/ics23/v1/proofs_pb.js';
import { bytesOf } from './bytes.ts';
import type { Leaf, Tree, TreeNode } from './tree.ts';

/** The byte before a hash: its length. */
const hashLength = Uint8Array.of(32);

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
}

/** What IAVL hashes before the content of a node: height, size and version as signed varints. */
function nodePrefix({ height, size, version }: TreeNode): Uint8Array {
  return Uint8Array.from([...varint(height * 2), ...varint(size * 2), ...varint(version * 2)]);
}

function withLength(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.from(varint(bytes.length)), bytes]);
}

function hashOf(node: TreeNode): Uint8Array {
  if (node.hash !== undefined) return node.hash;
  const prefix = nodePrefix(node);
  node.hash = node.isLeaf
    ? sha256(prefix, withLength(bytesOf(node.key)), hashLength, sha256(node.value))
    : sha256(prefix, hashLength, hashOf(node.left), hashLength, hashOf(node.right));
  return node.hash;
}

/** The root hash of a tree, as IAVL computes it: SHA-256 of nothing if it is empty. Only nodes without a hash are hashed. */
export function treeRoot(tree: Tree): Uint8Array {
  return tree === null ? sha256() : hashOf(tree);
}

/** Proves that `leaf` is in `tree`, by the specification that ICS 23 calls IAVL. */
export function proveLeaf(tree: Tree, leaf: Leaf): ExistenceProof {
  const path = [];
  let node = tree;
  while (node !== null && !node.isLeaf) {
    const isLeft = leaf.key < node.key;
    const prefix = nodePrefix(node);
    path.unshift(
      isLeft
        ? {
            hash: HashOp.SHA256,
            prefix: Buffer.concat([prefix, hashLength]),
            suffix: Buffer.concat([hashLength, hashOf(node.right)]),
          }
        : {
            hash: HashOp.SHA256,
            prefix: Buffer.concat([prefix, hashLength, hashOf(node.left), hashLength]),
          },
    );
    node = isLeft ? node.left : node.right;
  }
  return create(ExistenceProofSchema, {
    key: bytesOf(leaf.key),
    value: leaf.value,
    leaf: { hash: HashOp.SHA256, prehashValue: HashOp.SHA256, length: LengthOp.VAR_PROTO, prefix: nodePrefix(leaf) },
    path,
  });
}
