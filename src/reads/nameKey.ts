import { sha256 } from '@noble/hashes/sha2.js';

/** The key that the chain stores a name under: the hash of its segments in reverse order, as page keys of a node show. */
export function nameKey(name: string): Uint8Array {
  return sha256(Buffer.from(name.split('.').reverse().join('.')));
}

/** A name as the chain stores it: lower case, without surrounding space. */
export function normalName(name: string): string {
  return name.trim().toLowerCase();
}
