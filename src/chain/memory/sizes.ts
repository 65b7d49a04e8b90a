// What values weigh in the memory of this process (Node 20, 64 bits, pointers compressed or not as Node is built). The constants were
// measured: 100,000 entries were made, and the growth of `process.memoryUsage()` after collections was divided by their number.

/** An entry of a cache without its key and its value: the entry, its places in the map and in the order of use, and what the tables of both have spare. */
export const entryBytes = 300;

/** An object of few short members, or one element of an array of them, beside the text that it holds. */
export const objectBytes = 76;

/** A `Buffer` or `Uint8Array` with memory of its own beside its bytes: the view, its `ArrayBuffer` and what the allocator adds. */
export const bufferBytes = 300;

/** The header of a string, and what rounds its length up. */
const stringBytes = 20;

const wide = /[^\0-\xff]/;

/** Memory of a string: one byte a character, or two where one of them is not of Latin-1. */
export function textBytes(text: string): number {
  return stringBytes + text.length * (wide.test(text) ? 2 : 1);
}

/** A copy of bytes with memory of its own. A small `Buffer` is most often a slice of a larger one, which it keeps alive as a whole. */
export function ownBytes(bytes: Uint8Array): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}

/** The bytes themselves where they fill the memory behind them, else a copy of them: for values that are kept. */
export function compact(bytes: Buffer): Buffer {
  return bytes.buffer.byteLength === bytes.length ? bytes : ownBytes(bytes);
}
