// Memory of values in this process (Node.js 20, 64 bits). The constants are measured: the growth of `process.memoryUsage()`
// after garbage collection for 100,000 entries, divided by their number.

/**
 * A cache entry without its key and value: the entry, its slots in the map and in the order of use, and the spare capacity of
 * both tables.
 */
export const entryBytes = 300;

/** An object with few short members, or an element of an array of such objects, without its texts. */
export const objectBytes = 76;

/** The overhead of a `Buffer` or `Uint8Array` that owns its memory: the view, its `ArrayBuffer` and the allocator. */
export const bufferBytes = 300;

/** The header of a string, and its rounding. */
const stringBytes = 20;

const wide = /[^\0-\xff]/;

/** Memory of a string: one byte for each character, or two if any character is outside of Latin-1. */
export function textBytes(text: string): number {
  return stringBytes + text.length * (wide.test(text) ? 2 : 1);
}

/** Copies bytes to new memory. A small `Buffer` usually is a slice of a larger one, and keeps all of it alive. */
export function ownBytes(bytes: Uint8Array): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}

/** The largest part of the memory of stored bytes that they may leave unused. */
const largestUnused = 1 / 64;

/** Returns the bytes if they fill nearly all of their memory, else a copy of them. Use it for values that are stored. */
export function compact(bytes: Buffer): Buffer {
  const { byteLength } = bytes.buffer;
  return byteLength - bytes.length <= byteLength * largestUnused ? bytes : ownBytes(bytes);
}

/** A view of bytes that another value owns. */
const viewBytes = 200;

/** A member of an object or an element of an array. */
const slotBytes = 8;

/** A bigint of 64 bits. */
const bigintBytes = 24;

/**
 * Memory of a decoded value: objects, arrays, texts and numbers at any depth. The bytes of a `Uint8Array` are not counted, because
 * those of a decoded response are a view of the response.
 */
export function valueBytes(value: unknown): number {
  if (typeof value === 'string') return textBytes(value);
  if (typeof value === 'bigint') return bigintBytes;
  if (typeof value !== 'object' || value === null) return 0;
  if (ArrayBuffer.isView(value)) return viewBytes;
  let bytes = objectBytes;
  for (const member of Object.values(value)) bytes += slotBytes + valueBytes(member);
  return bytes;
}
