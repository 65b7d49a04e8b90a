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
  return left.length === right.length && compareBytes(left, right) === 0;
}

/** Whether bytes begin with those of a prefix. */
export function hasPrefix(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return bytes.length >= prefix.length && compareBytes(bytes.subarray(0, prefix.length), prefix) === 0;
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
const base64Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The value of each digit by its character code; 255 for other characters. */
function valuesOf(digits: string): Uint8Array {
  const values = new Uint8Array(128).fill(255);
  for (let value = 0; value < digits.length; value += 1) values[digits.charCodeAt(value)] = value;
  return values;
}

const hexValues = valuesOf(hexDigits);
const base64Values = valuesOf(base64Digits);

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
    const high = hexValues[text.charCodeAt(2 * at)] ?? 255;
    const low = hexValues[text.charCodeAt(2 * at + 1)] ?? 255;
    if (high === 255 || low === 255) throw malformed(`${what} is not upper case hex`);
    bytes[at] = high * 16 + low;
  }
  return bytes;
}

/** Reads base64 as Go writes it: padded, and without bits after the last byte. Throws MALFORMED for anything else. */
export function fromBase64(text: string, what: string): Uint8Array {
  const { length } = text;
  if (length % 4 !== 0) throw malformed(`${what} is not padded base64`);
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((length / 4) * 3 - padding);
  let bits = 0;
  let count = 0;
  let to = 0;
  for (let at = 0; at < length - padding; at += 1) {
    const value = base64Values[text.charCodeAt(at)] ?? 255;
    if (value === 255) throw malformed(`${what} is not base64`);
    bits = ((bits << 6) | value) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[to] = (bits >> count) & 255;
    to += 1;
  }
  if ((bits & ((1 << count) - 1)) !== 0) throw malformed(`${what} is not canonical base64`);
  return bytes;
}

/** Bytes as padded base64. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
    const bits = (first << 16) | (second << 8) | third;
    const digits = [18, 12, 6, 0].map((shift) => base64Digits[(bits >> shift) & 63] ?? '').join('');
    text += at + 2 < bytes.length ? digits : digits.slice(0, bytes.length - at + 1).padEnd(4, '=');
  }
  return text;
}
