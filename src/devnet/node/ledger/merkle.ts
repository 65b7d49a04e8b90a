import { createHash } from 'node:crypto';

/** SHA-256. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

const leafPrefix = Uint8Array.of(0);
const innerPrefix = Uint8Array.of(1);

/** Where a list is split: the largest power of two below its length. */
function splitPoint(length: number): number {
  let split = 1;
  while (split * 2 < length) split *= 2;
  return split;
}

/** A leaf's hash in the tree of RFC 6962 that CometBFT uses. */
export function leafHash(item: Uint8Array): Uint8Array {
  return sha256(leafPrefix, item);
}

function rootOfHashes(hashes: readonly Uint8Array[]): Uint8Array {
  const [first] = hashes;
  if (first === undefined) return sha256();
  if (hashes.length === 1) return first;
  const split = splitPoint(hashes.length);
  return sha256(innerPrefix, rootOfHashes(hashes.slice(0, split)), rootOfHashes(hashes.slice(split)));
}

/** The root of the tree over `items`; SHA-256 of nothing when there are none. */
export function merkleRoot(items: readonly Uint8Array[]): Uint8Array {
  return rootOfHashes(items.map(leafHash));
}

/** The hashes that lead from item `index` to the root, the leaf's sibling first. */
export function merkleAunts(items: readonly Uint8Array[], index: number): Uint8Array[] {
  const walk = (hashes: readonly Uint8Array[], at: number): Uint8Array[] => {
    if (hashes.length <= 1) return [];
    const split = splitPoint(hashes.length);
    const [left, right] = [hashes.slice(0, split), hashes.slice(split)];
    return at < split ? [...walk(left, at), rootOfHashes(right)] : [...walk(right, at - split), rootOfHashes(left)];
  };
  return walk(items.map(leafHash), index);
}
