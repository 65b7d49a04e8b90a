/** Bytes as a binary string: one char (0-255) a byte, the form of the store's keys. */
export function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The bytes of a binary string. */
export function bytesOf(key: string): Uint8Array {
  return new Uint8Array(Buffer.from(key, 'latin1'));
}

/** An unsigned 64-bit integer as its 8 bytes, big endian, as a binary string: the order of the keys is the order of the numbers. */
export function u64Key(value: bigint): string {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(value);
  return bytes.toString('latin1');
}

/** The 64-bit integer in 8 chars of a binary string, from `at`. */
export function u64At(key: string, at = 0): bigint {
  return Buffer.from(key.slice(at, at + 8), 'latin1').readBigUInt64BE();
}

/** A binary string with its length in front, in one byte: how the chain writes a byte part of a key that others follow. */
export function sizedKey(key: string): string {
  return String.fromCharCode(key.length) + key;
}
