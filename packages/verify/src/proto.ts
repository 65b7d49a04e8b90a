import { concat, noBytes } from './bytes.ts';
import { malformed } from './errors.ts';

/** Encoders of protobuf, as Go writes messages: fields in ascending order, without those that are zero or empty. */

/** Encodes an unsigned integer. A negative one is encoded in 64 bits. */
export function varint(value: bigint | number): Uint8Array {
  if (value >= 0 && value < 128) return Uint8Array.of(Number(value));
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

/** A field of an integer. Zero is omitted. */
export function varintField(field: number, value: bigint | number): Uint8Array {
  return BigInt(value) === 0n ? noBytes : concat(Uint8Array.of(field << 3), varint(value));
}

/** A field of 64 bits, little-endian. Zero is omitted. */
export function fixedField(field: number, value: bigint): Uint8Array {
  if (value === 0n) return noBytes;
  const bytes = new Uint8Array(9);
  bytes[0] = (field << 3) | 1;
  new DataView(bytes.buffer).setBigInt64(1, value, true);
  return bytes;
}

/** A field of a nested message, which is written even if it is empty. */
export function messageField(field: number, value: Uint8Array): Uint8Array {
  return concat(Uint8Array.of((field << 3) | 2), varint(value.length), value);
}

/** A field of bytes. No bytes are omitted. */
export function bytesField(field: number, value: Uint8Array): Uint8Array {
  return value.length === 0 ? noBytes : messageField(field, value);
}

const encoder = new TextEncoder();

/** A field of text. Empty text is omitted. */
export function textField(field: number, value: string): Uint8Array {
  return bytesField(field, encoder.encode(value));
}

/** `google.protobuf.Timestamp` of a time in nanoseconds since 1970. */
export function timestamp(nanoseconds: bigint): Uint8Array {
  return concat(varintField(1, nanoseconds / 1_000_000_000n), varintField(2, nanoseconds % 1_000_000_000n));
}

/** The value of a field: an integer below 2^32, or bytes. */
export type FieldValue = number | Uint8Array;

/** Where a varint of at most ten bytes ends; 0 if it does not. */
export function varintEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at < from + 10; at += 1) if ((bytes[at] ?? 128) < 128) return at + 1;
  return 0;
}

/** Decodes a varint of 64 bits between two places. */
export function varintIn(bytes: Uint8Array, from: number, end: number): bigint {
  let value = 0n;
  for (let at = end - 1; at >= from; at -= 1) value = (value << 7n) | BigInt((bytes[at] ?? 0) & 127);
  return BigInt.asUintN(64, value);
}

/** Reads an unsigned integer below 2^32 in the shortest encoding, which ends where {@link varintEnd} says. Throws MALFORMED. */
export function readVarint(bytes: Uint8Array, from: number, what: string): number {
  const first = bytes[from] ?? 128;
  if (first < 128) return first;
  const end = varintEnd(bytes, from);
  const value = Number(varintIn(bytes, from, end));
  if (end === 0 || end > from + 5 || value >= 2 ** 32 || bytes[end - 1] === 0)
    throw malformed(`${what} has an invalid integer`);
  return value;
}

/** The most fields of a message. */
const maxFields = 300;

/**
 * Splits a message into its fields, and calls `take` with each. Only the one encoding is accepted that Go writes: fields in ascending order, the shortest integers, nothing that
 * is zero, and no types but integers and bytes. So no byte can be changed without a change of the content. Empty bytes are accepted only in
 * the fields of `nested`, which are messages. Throws MALFORMED.
 */
export function readFields(
  bytes: Uint8Array,
  what: string,
  nested: readonly number[],
  take: (number: number, value: FieldValue) => void,
): void {
  let at = 0;
  let count = 0;

  function readInteger(): number {
    const value = readVarint(bytes, at, what);
    at = varintEnd(bytes, at);
    return value;
  }

  let last = 0;
  while (at < bytes.length) {
    const tag = readInteger();
    const number = tag >>> 3;
    const type = tag & 7;
    if (number === 0 || number < last) throw malformed(`${what} has its fields in another order`);
    last = number;
    count += 1;
    if (count > maxFields) throw malformed(`${what} has more than ${maxFields} fields`);
    if (type === 0) {
      const value = readInteger();
      if (value === 0) throw malformed(`${what} has a field that is zero`);
      take(number, value);
    } else if (type === 2) {
      const length = readInteger();
      if (length > bytes.length - at) throw malformed(`${what} ends within field ${number}`);
      if (length === 0 && !nested.includes(number)) throw malformed(`${what} has a field that is empty`);
      at += length;
      take(number, bytes.subarray(at - length, at));
    } else throw malformed(`${what} has a field of an unknown type`);
  }
}
