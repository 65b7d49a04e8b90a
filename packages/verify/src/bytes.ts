import { malformed } from './errors.ts';

/** No bytes. */
export const noBytes: Uint8Array = new Uint8Array();

/** Joins bytes. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Compares bytes as Go's `bytes.Compare`: negative if `left` comes first, 0 if both are equal. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Whether both have the same bytes. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && hasPrefix(left, right);
}

/** Whether bytes have a part at a place: by default, whether they begin with it. */
export function hasPrefix(bytes: Uint8Array, part: ArrayLike<number>, from = 0): boolean {
  for (let at = 0; at < part.length; at += 1) if (bytes[from + at] !== part[at]) return false;
  return true;
}

/** The most bytes that one call makes a text of. */
const chunk = 8_192;

/** Bytes as a text with a character for each, whose order is that of the bytes. It takes a third of the memory of an array. */
export function textOf(bytes: Uint8Array): string {
  return bytes.length > chunk
    ? textOf(bytes.subarray(0, chunk)) + textOf(bytes.subarray(chunk))
    : Reflect.apply(String.fromCharCode, null, bytes);
}

/** Whether bytes have such a text at a place: by default, whether they begin with it. */
export function hasText(bytes: Uint8Array, text: string, from = 0): boolean {
  for (let at = 0; at < text.length; at += 1) if (bytes[from + at] !== text.charCodeAt(at)) return false;
  return true;
}

/** The bytes of such a text. */
export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** The first key after all keys with a prefix; undefined if the prefix has only bytes `ff`. */
export function afterPrefix(prefix: Uint8Array): Uint8Array | undefined {
  const last = prefix.findLastIndex((byte) => byte < 255);
  if (last < 0) return undefined;
  const after = prefix.slice(0, last + 1);
  after[last] = (after[last] ?? 0) + 1;
  return after;
}

const hexDigits = '0123456789ABCDEF';

/** Bytes as upper case hex, as nodes print hashes. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += `${hexDigits[byte >> 4]}${hexDigits[byte & 15]}`;
  return text;
}

/** Reads upper case hex of a length in bytes. Throws MALFORMED for anything else. */
export function fromHex(text: string, length: number, what: string): Uint8Array {
  if (text.length !== 2 * length) throw malformed(`${what} is not hex of ${length} bytes`);
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 1) {
    const high = hexDigits.indexOf(text.charAt(2 * at));
    const low = hexDigits.indexOf(text.charAt(2 * at + 1));
    if (high < 0 || low < 0) throw malformed(`${what} is not upper case hex`);
    bytes[at] = high * 16 + low;
  }
  return bytes;
}

/** Reads base64 as Go writes it: padded, and without bits after the last byte. Throws MALFORMED for anything else. */
export function fromBase64(text: string, what: string): Uint8Array {
  let bytes = '';
  try {
    bytes = atob(text);
  } catch {
    // What has no bytes is compared, too.
  }
  if (btoa(bytes) !== text) throw malformed(`${what} is not canonical base64`);
  return bytesOf(bytes);
}

/** Bytes as padded base64. */
export const toBase64 = (bytes: Uint8Array): string => btoa(textOf(bytes));
