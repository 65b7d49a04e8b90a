import { sha256 } from '@noble/hashes/sha2.js';

/** How the chain sorts and stores a dotted name: the hash of its segments from the right (seen in the page keys of a node). */
export function nameKey(name: string): Uint8Array {
  return sha256(Buffer.from(name.split('.').reverse().join('.')));
}

/** A name as the chain keeps it, in lower case without space around. */
export function normalName(name: string): string {
  return name.trim().toLowerCase();
}
