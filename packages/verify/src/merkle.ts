import { sha256 as digest } from '@noble/hashes/sha2.js';
import { concat } from './bytes.ts';

/** SHA-256 of bytes, joined. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  return digest(concat(...parts));
}

const leafPrefix = Uint8Array.of(0);
const innerPrefix = Uint8Array.of(1);

function rootOf(hashes: readonly Uint8Array[]): Uint8Array {
  const [first] = hashes;
  if (first === undefined) return sha256();
  if (hashes.length === 1) return first;
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return sha256(innerPrefix, rootOf(hashes.slice(0, split)), rootOf(hashes.slice(split)));
}

/** The root of the Merkle tree of RFC 6962. For an empty list, SHA-256 of no bytes. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  return rootOf(leaves.map((leaf) => sha256(leafPrefix, leaf)));
}
