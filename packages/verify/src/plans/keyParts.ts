import { concat } from '../bytes.ts';

/** Makes a key from its bytes. */
export const bytesOf = (...bytes: readonly number[]): Uint8Array => Uint8Array.from(bytes);

/** Encodes an id as the stores do: eight bytes, big endian. */
export function idBytes(id: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, id);
  return bytes;
}

/** Puts the length of a key part, one byte, before it. */
export const lengthPrefixed = (part: Uint8Array): Uint8Array => concat(bytesOf(part.length), part);

/** Reads a part whose length is its first byte, at `at`. Throws if the key is too short. */
export function lengthPrefixedPart(key: Uint8Array, at = 0): Uint8Array {
  const part = key.subarray(at + 1, at + 1 + (key[at] ?? 0));
  if (at >= key.length || part.length !== key[at]) throw new Error('a stored key is too short');
  return part;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Encodes text as UTF-8. */
export const textBytes = (text: string): Uint8Array => encoder.encode(text);

/** Decodes UTF-8. Throws for other bytes. */
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);
