import { sha256 as original } from '@noble/hashes/sha2.js';
import { expect, it } from 'vitest';
import { sha256 } from '../../scripts/sha256.ts';

it.each([...Array.from({ length: 130 }, (_, length) => length), 8_191, 65_537])(
  'is what the library computes, for %i bytes',
  (length) => {
    const data = new Uint8Array(length).map((_, at) => (at * 151 + length) % 256);
    const hash = sha256(data);
    expect(hash).toEqual(original(data));
    // Callers keep parts of it, and read its buffer.
    expect(hash.buffer.byteLength).toBe(32);
    expect(Object.getPrototypeOf(hash)).toBe(Uint8Array.prototype);
  },
);

it('reads a part of a buffer', () => {
  const data = new Uint8Array(100).map((_, at) => at);
  expect(sha256(data.subarray(7, 60))).toEqual(original(data.slice(7, 60)));
});
