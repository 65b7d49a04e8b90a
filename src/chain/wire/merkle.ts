import { hash } from 'node:crypto';
import type { JsonObject } from './json.ts';

export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const [only = new Uint8Array()] = parts;
  return new Uint8Array(hash('sha256', parts.length <= 1 ? only : Buffer.concat(parts), 'buffer'));
}

const leafPrefix = Uint8Array.of(0);
const innerPrefix = Uint8Array.of(1);

/** Returns the position at which a list is split: the largest power of two below its length. */
function splitPoint(length: number): number {
  let split = 1;
  while (split * 2 < length) split *= 2;
  return split;
}

export function leafHash(item: Uint8Array): Uint8Array {
  return sha256(leafPrefix, item);
}

/** Computes the Merkle root of leaves whose hashes ({@link leafHash}) are known. */
export function rootOfHashes(hashes: readonly Uint8Array[]): Uint8Array {
  const [first] = hashes;
  if (first === undefined) return sha256();
  if (hashes.length === 1) return first;
  const split = splitPoint(hashes.length);
  return sha256(innerPrefix, rootOfHashes(hashes.slice(0, split)), rootOfHashes(hashes.slice(split)));
}

/** Computes the Merkle root of `items`. For an empty list, SHA-256 of no bytes. */
export function merkleRoot(items: readonly Uint8Array[]): Uint8Array {
  return rootOfHashes(items.map(leafHash));
}

/** A step from a leaf to the root: the hash of the neighbour, and on which side of the path it is. */
interface MerkleStep {
  readonly neighbour: Uint8Array;
  readonly isLeft: boolean;
}

/** The steps of the proof from leaf `index` to the root, starting with the sibling of the leaf. `leaves` are hashes of leaves. */
export function pathOfHashes(leaves: readonly Uint8Array[], index: number): MerkleStep[] {
  const walk = (hashes: readonly Uint8Array[], at: number): MerkleStep[] => {
    if (hashes.length <= 1) return [];
    const split = splitPoint(hashes.length);
    const [left, right] = [hashes.slice(0, split), hashes.slice(split)];
    return at < split
      ? [...walk(left, at), { neighbour: rootOfHashes(right), isLeft: false }]
      : [...walk(right, at - split), { neighbour: rootOfHashes(left), isLeft: true }];
  };
  return walk(leaves, index);
}

/** Returns the hashes of the proof from item `index` to the root, starting with the sibling of the leaf. */
export function merkleAunts(items: readonly Uint8Array[], index: number): Uint8Array[] {
  return pathOfHashes(items.map(leafHash), index).map(({ neighbour }) => neighbour);
}

/** The proof that a transaction is in a block, as a node encodes it. `tx` are its bytes, `hashes` those of all transactions of the block. */
export function encodeTxProof(tx: Uint8Array, index: number, hashes: readonly Uint8Array[]): JsonObject {
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  return {
    root_hash: Buffer.from(merkleRoot(hashes)).toString('hex').toUpperCase(),
    data: base64(tx),
    proof: {
      total: String(hashes.length),
      index: String(index),
      leaf_hash: base64(leafHash(hashes[index] ?? new Uint8Array())),
      aunts: merkleAunts(hashes, index).map(base64),
    },
  };
}
