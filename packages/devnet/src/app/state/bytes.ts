/** Converts bytes to a binary string, with one char (0-255) for each byte: the format of keys of the store. */
export function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** Converts a binary string to bytes. */
export function bytesOf(key: string): Uint8Array {
  return new Uint8Array(Buffer.from(key, 'latin1'));
}

/**
 * Encodes an unsigned 64-bit integer as a binary string of 8 bytes in big-endian order, so that key order is numeric order.
 */
export function u64Key(value: bigint): string {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(value);
  return bytes.toString('latin1');
}

/** Decodes a 64-bit integer from 8 chars of a binary string at `at`. */
export function u64At(key: string, at = 0): bigint {
  return Buffer.from(key.slice(at, at + 8), 'latin1').readBigUInt64BE();
}

/** Prefixes a binary string with its length in one byte, the chain's encoding of a key part that others follow. */
export function sizedKey(key: string): string {
  return String.fromCharCode(key.length) + key;
}
